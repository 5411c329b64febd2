package main

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// pageSize is what sizes of memory are rounded up to.
const pageSize = 4096

// parseCount reads a number from 1 to limit.
func parseCount(text string, limit int) (int, error) {
	n, err := strconv.Atoi(text)
	switch {
	case err != nil && !isDigits(text):
		return 0, fmt.Errorf("not a number")
	case err != nil || n > limit:
		return 0, fmt.Errorf("too many: at most %d", limit)
	case n < 1:
		return 0, fmt.Errorf("at least 1 is needed")
	}
	return n, nil
}

// parseTime reads a time that is not too short to be kept: a number of seconds, or with a unit.
func parseTime(text string) (time.Duration, error) {
	const least = 10 * time.Millisecond
	d, err := time.ParseDuration(text)
	if seconds, notNumber := strconv.ParseFloat(text, 64); notNumber == nil && seconds < 1e9 {
		d, err = time.Duration(seconds*float64(time.Second)), nil
	}
	if err != nil {
		return 0, fmt.Errorf("not a time; write seconds (60), or a duration (60s, 5m)")
	}
	if d < least {
		return 0, fmt.Errorf("too short: at least %v", least)
	}
	return d, nil
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// parseSize reads a size in bytes with an optional unit (K, M, G, T, of 1024 each; KB and KiB mean K) and rounds it up
// to whole pages. Zero is no size.
func parseSize(text string) (uint64, error) {
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	shift, known := unitShift(text[digits:])
	n, err := strconv.ParseUint(text[:digits], 10, 64)
	switch {
	case digits == 0 || !known:
		return 0, fmt.Errorf("not a size; write a whole number and a unit, such as 64M or 2G")
	case err != nil || bits.Len64(n)+shift > 47:
		return 0, fmt.Errorf("too large: addresses end at 128T")
	case n == 0:
		return 0, fmt.Errorf("a size of nothing makes no sense")
	}
	return (n<<shift + pageSize - 1) &^ (pageSize - 1), nil
}

// unitShift is the power of two that a unit stands for.
func unitShift(unit string) (shift int, known bool) {
	unit = strings.ToUpper(unit)
	if unit == "" || unit == "B" {
		return 0, true
	}
	at := strings.IndexByte("KMGT", unit[0])
	rest := unit[1:]
	return 10 * (at + 1), at >= 0 && (rest == "" || rest == "B" || rest == "IB")
}
