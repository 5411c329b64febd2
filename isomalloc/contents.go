package isomalloc

import (
	"bytes"
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// EachExtent calls visit with the parts of [lo, hi) that have pages, in ascending order. The rest reads as zeroes. visit may punch what it
// was given. It needs the memfd only, not a mapping; an error of visit ends it and is returned.
//
// The memfd is asked because it alone knows: page tables (pagemap) have what one process has touched, and mincore takes a byte for each
// page of address space.
func (r *Region) EachExtent(lo, hi uintptr, visit func(Range) error) error {
	if err := r.inside("list extents", lo, hi); err != nil {
		return err
	}
	for at := lo; at < hi; {
		data, err := r.next(at, hi, unix.SEEK_DATA)
		if err != nil || data == hi {
			return err
		}
		if at, err = r.next(data, hi, unix.SEEK_HOLE); err != nil {
			return err
		}
		if err := visit(Range{data, at}); err != nil {
			return err
		}
	}
	return nil
}

// next is where the next data or hole begins from an address on, below hi; hi if none does.
func (r *Region) next(lo, hi uintptr, what int) (uintptr, error) {
	at, err := r.file.Seek(int64(lo-r.Base()), what)
	if errors.Is(err, unix.ENXIO) {
		return hi, nil
	}
	if err != nil {
		return hi, fmt.Errorf("list extents of %s: %w", Range{lo, hi}, err)
	}
	return min(hi, r.Base()+uintptr(at)), nil
}

// Extents gives the parts of [lo, hi) that have pages as a list, see EachExtent.
func (r *Region) Extents(lo, hi uintptr) (out []Range, err error) {
	err = r.EachExtent(lo, hi, func(e Range) error {
		out = append(out, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// EachContent calls visit with the parts of [lo, hi) that hold something: pages that exist and are not all zeroes, in ascending order.
// visit may punch what it was given. The range must be readable in this process, and show the region's own memory.
func (r *Region) EachContent(lo, hi uintptr, visit func(Range) error) error {
	return r.EachExtent(lo, hi, func(e Range) error { return eachNonZero(e, visit) })
}

// stride bounds what eachNonZero looks at before it hands it out: while it is in the cache.
const stride = 1 << 20

var zeroPage [pageSize]byte

// eachNonZero leaves out the pages of a mapped range that hold nothing but zeroes.
func eachNonZero(e Range, visit func(Range) error) error {
	from := e.Lo
	for at := e.Lo; at < e.Hi; at += pageSize {
		isZero := bytes.Equal(bytesAt(at, at+pageSize), zeroPage[:])
		if !isZero && at-from < stride {
			continue
		}
		if from < at {
			if err := visit(Range{from, at}); err != nil {
				return err
			}
		}
		if from = at; isZero {
			from += pageSize
		}
	}
	if from == e.Hi {
		return nil
	}
	return visit(Range{from, e.Hi})
}
