package vrank

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"ampirun/isomalloc"
)

// controlPiece is how much of the control area one worker copies at a time: all of them take turns.
const controlPiece = 1 << 20

// copyRegion copies this worker's share of the region to where it is saved from, and has holes there where the region has some.
func (w *worker) copyRegion(ranks []*rank) (bytes uint64, err error) {
	for _, r := range ranks {
		slice := w.region.Slice(r.number())
		lo, hi := r.deadStack()
		n, err := w.copyRange(slice, isomalloc.Range{Lo: lo, Hi: hi}, w.copyExtent)
		if err != nil {
			return bytes, fmt.Errorf("copy the memory of rank %d: %w", r.number(), err)
		}
		bytes += n
	}
	n, err := w.copyRange(w.region.Control(), isomalloc.Range{}, w.copyMyPieces)
	if err != nil {
		return bytes, fmt.Errorf("copy the memory of the job: %w", err)
	}
	return bytes + n, nil
}

// copyRange copies what exists in a range, but for what is of no use. What existed at the last copy and does not now becomes a hole again.
func (w *worker) copyRange(whole, useless isomalloc.Range, with func(isomalloc.Range) (uint64, error)) (bytes uint64, err error) {
	extents, err := w.region.Extents(whole.Lo, whole.Hi)
	if err != nil {
		return 0, err
	}
	extents = without(extents, useless)
	old, err := w.shadow.Extents(whole.Lo, whole.Hi)
	if err != nil {
		return 0, err
	}
	for _, e := range extents {
		n, err := with(e)
		if bytes += n; err != nil {
			return bytes, err
		}
		old = without(old, e)
	}
	for _, e := range old {
		if err := w.shadow.Punch(e.Lo, e.Hi); err != nil {
			return bytes, err
		}
	}
	return bytes, nil
}

// without takes a range out of others.
func without(list []isomalloc.Range, out isomalloc.Range) (rest []isomalloc.Range) {
	for _, r := range list {
		if out.Hi <= r.Lo || r.Hi <= out.Lo {
			rest = append(rest, r)
			continue
		}
		if r.Lo < out.Lo {
			rest = append(rest, isomalloc.Range{Lo: r.Lo, Hi: out.Lo})
		}
		if out.Hi < r.Hi {
			rest = append(rest, isomalloc.Range{Lo: out.Hi, Hi: r.Hi})
		}
	}
	return rest
}

// copyMyPieces copies every so manieth piece of an extent that all workers look at.
func (w *worker) copyMyPieces(e isomalloc.Range) (bytes uint64, err error) {
	for at := e.Lo; at < e.Hi; {
		end := min((at/controlPiece+1)*controlPiece, e.Hi)
		if int(at/controlPiece)%w.cfg.PEs == w.cfg.PE {
			n, err := w.copyExtent(isomalloc.Range{Lo: at, Hi: end})
			if bytes += n; err != nil {
				return bytes, err
			}
		}
		at = end
	}
	return bytes, nil
}

// copyExtent copies memory that exists. What this process may not read of it, or has something else mapped over, it reads from the region's file.
func (w *worker) copyExtent(e isomalloc.Range) (bytes uint64, err error) {
	for lo := e.Lo; lo < e.Hi; {
		from := unsafe.Slice((*byte)(at(lo)), e.Hi-lo)
		n, err := unix.Pwrite(w.shadow.FD(), from, int64(lo-w.cfg.Base))
		if errors.Is(err, unix.EFAULT) {
			n, err = w.copyPageByFile(lo)
		}
		if err != nil {
			return bytes, err
		}
		bytes, lo = bytes+uint64(n), lo+uintptr(n)
	}
	return bytes, nil
}

func (w *worker) copyPageByFile(lo uintptr) (int, error) {
	buf := make([]byte, page-lo%page)
	if _, err := unix.Pread(w.region.FD(), buf, int64(lo-w.cfg.Base)); err != nil {
		return 0, err
	}
	return unix.Pwrite(w.shadow.FD(), buf, int64(lo-w.cfg.Base))
}
