package isomalloc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
)

// Range is the addresses from Lo up to, not including, Hi.
type Range struct{ Lo, Hi uintptr }

// Len is the size of the range in bytes.
func (r Range) Len() uint64 { return uint64(r.Hi - r.Lo) }

func (r Range) String() string { return fmt.Sprintf("%#x-%#x", r.Lo, r.Hi) }

const (
	pageSize = 4096
	// userLow keeps clear of vm.mmap_min_addr, userHigh is the end of a 47-bit user space.
	userLow  = 0x10000
	userHigh = 0x7ffffffff000
)

// FreeRanges gives the parts of this process's address space that nothing is
// mapped in, in ascending order.
func FreeRanges() ([]Range, error) {
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		return nil, fmt.Errorf("read own address space: %w", err)
	}
	defer f.Close()
	used, err := parseMaps(f)
	if err != nil {
		return nil, fmt.Errorf("read own address space: %w", err)
	}
	return gaps(used), nil
}

// parseMaps reads the address ranges of a file in the format of /proc/PID/maps.
func parseMaps(r io.Reader) ([]Range, error) {
	var used []Range
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<20) // a line holds a path
	for n := 1; scan.Scan(); n++ {
		if len(scan.Bytes()) == 0 {
			continue
		}
		rg, err := parseMapsLine(scan.Bytes())
		if err != nil {
			return nil, fmt.Errorf("maps line %d: %w", n, err)
		}
		used = append(used, rg)
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("maps: %w", err)
	}
	return used, nil
}

func parseMapsLine(line []byte) (Range, error) {
	field, _, _ := bytes.Cut(line, []byte(" "))
	low, high, ok := bytes.Cut(field, []byte("-"))
	if !ok {
		return Range{}, fmt.Errorf("no address range in %.80q", line)
	}
	lo, err := strconv.ParseUint(string(low), 16, 64)
	if err != nil {
		return Range{}, fmt.Errorf("bad start address: %w", err)
	}
	hi, err := strconv.ParseUint(string(high), 16, 64)
	if err != nil {
		return Range{}, fmt.Errorf("bad end address: %w", err)
	}
	if hi <= lo {
		return Range{}, fmt.Errorf("range %#x-%#x is empty", lo, hi)
	}
	return Range{uintptr(lo), uintptr(hi)}, nil
}

// gaps is what the used ranges leave of user space, rounded inwards to pages.
func gaps(used []Range) []Range {
	used = slices.Clone(used)
	slices.SortFunc(used, compareLo)
	var free []Range
	at := uintptr(userLow)
	for _, u := range used {
		if hi := min(u.Lo&^(pageSize-1), userHigh); hi > at {
			free = append(free, Range{at, hi})
		}
		if u.Hi >= userHigh {
			return free
		}
		at = max(at, (u.Hi+pageSize-1)&^(pageSize-1))
	}
	if at < userHigh {
		free = append(free, Range{at, userHigh})
	}
	return free
}

func compareLo(a, b Range) int {
	switch {
	case a.Lo < b.Lo:
		return -1
	case a.Lo > b.Lo:
		return 1
	}
	return 0
}
