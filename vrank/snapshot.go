package vrank

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"go.uber.org/atomic"

	"ampirun/isomalloc"
)

// snapshot is what a worker copies its share of the region to when the job is frozen. Pages are compared, and only those that differ are written
// and marked. Views of both stay from one freeze to the next, since what takes most of the time otherwise is to touch a page for the first time.
type snapshot struct {
	*isomalloc.Snapshot
	from, to *isomalloc.View
	read     [2][]byte // buffers for what cannot be viewed
	freezes  int
	known    map[uintptr]known // by the address of what was followed
	same     bool              // what was followed since the freeze began exists as it did after the last one

	preparing sync.Mutex                    // Prepare is at work; with what follows
	prepared  int64                         // bytes that the region had when that was done last
	found     map[uintptr][]isomalloc.Range // what the region had where room was made
	begun     atomic.Int32                  // freezes, for it to stop
}

// known is what a part of the snapshot had after a freeze. Nobody else changes it before the next one. Later it is a hint.
type known struct {
	freeze  int // 0: it is no more than a hint
	extents []isomalloc.Range
}

// copyPiece is how much is looked at with one call of the system, where there are no views.
const copyPiece = 256 << 10

func newSnapshot(region *isomalloc.Region, fd int) (*snapshot, error) {
	s, err := isomalloc.TakeSnapshot(fd, region.Config())
	if err != nil {
		return nil, err
	}
	return &snapshot{Snapshot: s, from: region.View(false), to: s.View(true), read: [2][]byte{make([]byte, copyPiece), make([]byte, copyPiece)},
		known: map[uintptr]known{}, found: map[uintptr][]isomalloc.Range{}}, nil
}

// controlPiece is how much of the control area one worker copies at a time: all of them take turns.
const controlPiece = 1 << 20

// copyRegion copies this worker's share of the region to its snapshot, and has holes there where the region has some.
func (w *worker) copyRegion(ranks []*rank) (bytes uint64, err error) {
	w.snapshot.begin()
	for _, r := range ranks {
		lo, hi := r.deadStack()
		n, err := w.snapshot.follow(w.region.Slice(r.number()), isomalloc.Range{Lo: lo, Hi: hi}, w.snapshot.copy)
		if err != nil {
			return bytes, fmt.Errorf("copy the memory of rank %d: %w", r.number(), err)
		}
		bytes += n
	}
	n, err := w.snapshot.follow(w.region.Control(), isomalloc.Range{}, w.copyMyPieces)
	if err != nil {
		return bytes, fmt.Errorf("copy the memory of the job: %w", err)
	}
	return bytes + n, nil
}

// begin begins another freeze.
func (s *snapshot) begin() {
	s.freezes++
	s.same = true
	s.begun.Add(1)
	s.preparing.Lock()
	defer s.preparing.Unlock()
	for at, extents := range s.found {
		s.known[at] = known{extents: extents}
	}
	clear(s.found)
}

// copyMyPieces copies every so manieth piece of memory that all workers look at.
func (w *worker) copyMyPieces(part isomalloc.Range, isThere bool) (bytes uint64, err error) {
	for at := part.Lo; at < part.Hi; {
		end := min((at/controlPiece+1)*controlPiece, part.Hi)
		if int(at/controlPiece)%w.cfg.PEs == w.cfg.PE {
			n, err := w.snapshot.copy(isomalloc.Range{Lo: at, Hi: end}, isThere)
			if bytes += n; err != nil {
				return bytes, err
			}
		}
		at = end
	}
	return bytes, nil
}

// follow has a range of the snapshot be as the region is, but for what is useless: copy is called with the parts that exist, and told whether
// the snapshot has them already.
func (s *snapshot) follow(whole, useless isomalloc.Range, copy func(isomalloc.Range, bool) (uint64, error)) (bytes uint64, err error) {
	extents, err := s.from.Extents(whole, s.known[whole.Lo].extents)
	if err != nil {
		return 0, err
	}
	extents = without(extents, useless)
	old, err := s.has(whole)
	if err != nil {
		return 0, err
	}
	err = eachPart(extents, old, func(part isomalloc.Range, exists, isThere bool) error {
		if !exists {
			return s.Punch(part.Lo, part.Hi)
		}
		n, err := copy(part, isThere)
		bytes += n
		return err
	})
	if k, ok := s.sinceLast(whole); !ok || !slices.Equal(k, extents) {
		s.same = false
	}
	s.known[whole.Lo] = known{s.freezes, extents}
	return bytes, err
}

// has is what exists of a part of the snapshot. To look for that takes long, so it is only done for ranks that were elsewhere at the last freeze.
func (s *snapshot) has(whole isomalloc.Range) ([]isomalloc.Range, error) {
	if extents, ok := s.sinceLast(whole); ok {
		return extents, nil
	}
	return s.to.Extents(whole, s.known[whole.Lo].extents)
}

// sinceLast is what exists of a part of the snapshot since the last freeze, if this worker has copied it then.
func (s *snapshot) sinceLast(whole isomalloc.Range) (extents []isomalloc.Range, ok bool) {
	k := s.known[whole.Lo]
	return k.extents, k.freeze == s.freezes-1 && k.freeze > 0
}

// copy brings memory that exists to the snapshot, and tells how much of it was not there yet.
func (s *snapshot) copy(part isomalloc.Range, isThere bool) (bytes uint64, err error) {
	for lo := part.Lo; lo < part.Hi; lo += copyPiece {
		hi := min(lo+copyPiece, part.Hi)
		from, err := s.from.Bytes(lo, hi, s.read[0])
		if err != nil {
			return bytes, err
		}
		if !isThere {
			s.Mark(lo, hi)
			if err := s.to.Make(lo, from); err != nil {
				return bytes, err
			}
			bytes += uint64(hi - lo)
			continue
		}
		n, err := s.copyChanged(lo, from)
		if bytes += n; err != nil {
			return bytes, err
		}
	}
	return bytes, nil
}

// copyChanged copies the pages from lo on that differ. Where a page's hash is known, the snapshot is not read. It gets known when the page is found
// to be the same: most pages that have changed will have changed the next time too, and for them a hash would be in vain.
func (s *snapshot) copyChanged(lo uintptr, from []byte) (copied uint64, err error) {
	var to []byte // nil until one of the pages has to be read
	for i := 0; i < len(from); i += page {
		at, content := lo+uintptr(i), from[i:i+page]
		same, known := s.Compare(at, content)
		if !known && to == nil {
			if to, err = s.to.Bytes(lo, lo+uintptr(len(from)), s.read[1]); err != nil {
				return copied, err
			}
		}
		if !known && bytes.Equal(content, to[i:i+page]) {
			s.Learn(at, to[i:i+page])
			same = true
		}
		if same {
			continue
		}
		s.Mark(at, at+page)
		if err := s.to.Write(at, content); err != nil {
			return copied, err
		}
		copied += page
	}
	return copied, nil
}
