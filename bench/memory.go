package main

import (
	"bytes"
	"fmt"
	"strconv"
)

// parseMemory finds the memory of the median rank, in KiB, in what +stats prints: the last size in its row.
func parseMemory(text []byte) (float64, error) {
	for line := range bytes.Lines(text) {
		words := bytes.Fields(line)
		if len(words) > 2 && string(words[0]) == "median" {
			unit := len(words) - 1
			for unit > 1 && isNumber(words[unit]) {
				unit--
			}
			return parseSize(string(words[unit-1]), string(words[unit]))
		}
	}
	return 0, fmt.Errorf("+stats printed no row of the median rank: %q", text)
}

func isNumber(word []byte) bool {
	_, err := strconv.ParseFloat(string(word), 64)
	return err == nil
}

var inKiB = map[string]float64{"B": 1.0 / 1024, "KiB": 1, "MiB": 1024, "GiB": 1 << 20}

func parseSize(number, unit string) (float64, error) {
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || inKiB[unit] == 0 {
		return 0, fmt.Errorf("+stats printed a memory size of %q %q", number, unit)
	}
	return value * inKiB[unit], nil
}
