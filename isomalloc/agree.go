package isomalloc

import (
	"fmt"
	"slices"
)

const (
	quietLow     = 0x400000000000 // 64 TiB: Go's runtime has its heap below, in each process at a random place
	preferredLow = 0x100000000000 // 16 TiB: far above programs, far below libraries and stacks
	baseAlign    = 1 << 30
)

// Agree picks a base where size bytes are free in every process. free holds the
// free ranges of each, as FreeRanges gives them. The base is a multiple of 1 GiB,
// the lowest one from 64 TiB upwards, which will be free in other processes, too;
// else the lowest one from 16 TiB upwards; if there is none, the lowest one below
// that; if there is none either, the lowest page where the region fits.
func Agree(free [][]Range, size uint64) (uintptr, error) {
	if len(free) == 0 {
		return 0, fmt.Errorf("agree on a region base: no process reported its free addresses")
	}
	common := normalize(free[0])
	for _, f := range free[1:] {
		common = intersect(common, normalize(f))
	}
	for _, try := range []struct{ from, align uintptr }{
		{quietLow, baseAlign}, {preferredLow, baseAlign}, {0, baseAlign}, {0, pageSize},
	} {
		if base, ok := lowestFit(common, size, try.from, try.align); ok {
			return base, nil
		}
	}
	return 0, fmt.Errorf("agree on a region base: no %s are free at one address in all %d processes (largest common gap: %s)",
		formatBytes(size), len(free), formatBytes(largest(common)))
}

// normalize sorts ranges, and joins those that overlap or touch.
func normalize(in []Range) []Range {
	in = slices.Clone(in)
	slices.SortFunc(in, compareLo)
	var out []Range
	for _, r := range in {
		if r.Hi <= r.Lo {
			continue
		}
		if n := len(out); n > 0 && r.Lo <= out[n-1].Hi {
			out[n-1].Hi = max(out[n-1].Hi, r.Hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

// intersect gives what two normalized lists have in common.
func intersect(a, b []Range) []Range {
	var out []Range
	for len(a) > 0 && len(b) > 0 {
		if lo, hi := max(a[0].Lo, b[0].Lo), min(a[0].Hi, b[0].Hi); lo < hi {
			out = append(out, Range{lo, hi})
		}
		if a[0].Hi < b[0].Hi {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

func lowestFit(free []Range, size uint64, from, align uintptr) (uintptr, bool) {
	for _, f := range free {
		lo := (max(f.Lo, from) + align - 1) &^ (align - 1)
		if lo >= f.Lo && lo >= from && lo < f.Hi && uint64(f.Hi-lo) >= size {
			return lo, true
		}
	}
	return 0, false
}

func largest(free []Range) uint64 {
	var n uint64
	for _, f := range free {
		n = max(n, f.Len())
	}
	return n
}

// formatBytes writes a size in the largest binary unit that divides it to a few digits.
func formatBytes(n uint64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	v, u := float64(n), 0
	for v >= 1024 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	return fmt.Sprintf("%.4g %s", v, units[u])
}
