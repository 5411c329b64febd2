package isomalloc

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"go.uber.org/atomic"
	"golang.org/x/sys/unix"
)

// copyWindow is how much of two regions is mapped at a time to be copied.
const copyWindow = 16 << 20

// CopyFrom makes the region the same as another one of the same size: pages that differ are copied, and what does not exist there is given
// back here. It needs the memfds only. Nobody may write to either meanwhile.
func (r *Region) CopyFrom(src *Region) error {
	if r.cfg.Size() != src.cfg.Size() {
		return fmt.Errorf("copy region: one has %s and the other %s", formatBytes(src.cfg.Size()), formatBytes(r.cfg.Size()))
	}
	whole := Range{r.Base(), r.Base() + r.size()}
	shift := src.Base() - r.Base()
	from, err := src.Extents(src.Base(), src.Base()+r.size())
	if err != nil {
		return err
	}
	var windows []Range // of this region
	hole := whole.Lo
	for _, e := range from {
		e = Range{e.Lo - shift, e.Hi - shift}
		if err := r.punchExtents(hole, e.Lo); err != nil {
			return err
		}
		hole = e.Hi
		for lo := e.Lo; lo < e.Hi; lo += copyWindow {
			windows = append(windows, Range{lo, min(lo+copyWindow, e.Hi)})
		}
	}
	if err := r.punchExtents(hole, whole.Hi); err != nil {
		return err
	}
	return inParallel(len(windows), func(i int) error { return r.copyPages(src, windows[i]) })
}

func (r *Region) size() uintptr { return uintptr(r.cfg.Size()) }

// punchExtents gives back what exists of [lo, hi).
func (r *Region) punchExtents(lo, hi uintptr) error {
	if lo >= hi {
		return nil
	}
	return r.EachExtent(lo, hi, func(e Range) error { return r.Punch(e.Lo, e.Hi) })
}

// copyPages copies the pages of a range that differ.
func (r *Region) copyPages(src *Region, part Range) (err error) {
	at, size := int64(part.Lo-r.Base()), int(part.size())
	from, err := unix.Mmap(src.FD(), at, size, unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return fmt.Errorf("map %s to copy it: %w", part, err)
	}
	defer func() { err = errors.Join(err, unix.Munmap(from)) }()
	to, err := unix.Mmap(r.FD(), at, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return fmt.Errorf("map %s to copy to it: %w", part, err)
	}
	defer func() { err = errors.Join(err, unix.Munmap(to)) }()
	for i := 0; i < size; i += pageSize {
		if p := from[i : i+pageSize]; !bytes.Equal(to[i:i+pageSize], p) {
			copy(to[i:], p)
		}
	}
	return nil
}

// inParallel calls work with 0 to n-1 on all processors, and gives one of the errors.
func inParallel(n int, work func(i int) error) error {
	var next atomic.Int64
	var all sync.WaitGroup
	errs := make([]error, min(n, runtime.GOMAXPROCS(0)))
	for w := range errs {
		all.Go(func() {
			for errs[w] == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				errs[w] = work(i)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Clear gives all pages of the region back.
func (r *Region) Clear() error { return r.Punch(r.Base(), r.Base()+r.size()) }
