package vrank

import (
	"errors"

	"golang.org/x/sys/unix"

	"ampirun/isomalloc"
)

// prepareFrom is how much more memory than last time a job must have for Prepare to be worth while, in bytes.
const prepareFrom = 4 << 20

// Prepare makes room in the snapshot for memory that has come since the last freeze, for the ranks that this worker has, while they run. It takes the
// kernel longer to find pages and fill them with zeroes than it takes to copy to them, and in a freeze everybody would wait. Any
// goroutine; what fails here will fail then.
func Prepare() {
	if w := running; w != nil && w.placed.Load() && w.snapshot != nil {
		w.prepareSnapshot()
	}
}

func (w *worker) prepareSnapshot() {
	s := w.snapshot
	s.preparing.Lock()
	defer s.preparing.Unlock()
	has, err := memoryOf(w.region)
	if err != nil || has < s.prepared+prepareFrom {
		return
	}
	s.prepared = has
	freezes := s.begun.Load()
	for id := range w.cfg.Ranks {
		r := rankAt(id)
		if r.owner() != w.cfg.PE {
			continue
		}
		stack := isomalloc.Range{Lo: r.slice() + uintptr(w.layout.stack), Hi: r.slice() + uintptr(w.layout.stack+w.layout.stackSize)}
		if s.prepare(w.region, w.region.Slice(id), stack, func() bool { return s.begun.Load() != freezes }) != nil {
			return
		}
	}
}

// errBegun tells that there is no more time to prepare.
var errBegun = errors.New("the freeze has begun")

// preparePiece is how much room is made between two looks at the time.
const preparePiece = 4 << 20

// prepare makes room for what a range of the region has and the snapshot does not, but for what is useless. The range may change meanwhile.
func (s *snapshot) prepare(region *isomalloc.Region, whole, useless isomalloc.Range, isOver func() bool) error {
	extents, err := region.Extents(whole.Lo, whole.Hi)
	if err != nil {
		return err
	}
	extents = without(extents, useless)
	old, err := s.Extents(whole.Lo, whole.Hi)
	if err != nil {
		return err
	}
	return eachPart(extents, old, func(part isomalloc.Range, exists, isThere bool) error {
		if !exists || isThere {
			return nil
		}
		s.found[whole.Lo] = extents
		for lo := part.Lo; lo < part.Hi; lo += preparePiece {
			if isOver() {
				return errBegun
			}
			if err := s.to.Populate(isomalloc.Range{Lo: lo, Hi: min(lo+preparePiece, part.Hi)}); err != nil {
				return err
			}
		}
		return nil
	})
}

// memoryOf is how much memory a region has, in bytes.
func memoryOf(r *isomalloc.Region) (int64, error) {
	var st unix.Stat_t
	err := unix.Fstat(r.FD(), &st)
	return st.Blocks * 512, err
}
