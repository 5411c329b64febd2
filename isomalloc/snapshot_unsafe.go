package isomalloc

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/zeebo/xxh3"
	"golang.org/x/sys/unix"
)

// Snapshot is memory that a region is copied to, at the same offsets. Behind it in the memfd is a bit for each page, which says that the page
// has been written to, so that who saves the snapshot from time to time need not look for that. Behind the bits are hashes of pages, so that who
// copies need not read the snapshot to see that a page is the same.
type Snapshot struct {
	*Region
	marks  []atomic.Uint64 // mapped, and shared with other processes
	hashes []pageHash      // mapped with them
}

// pageHash is XXH3 of 128 bits of a page that the snapshot has. It is known if the low half is not 0.
type pageHash struct{ low, high atomic.Uint64 }

const pagesInWord = 64

// marksSize is how much memory the bits of a region take, in bytes.
func (c Config) marksSize() uint64 {
	return (c.Size()/pageSize/8 + pageSize) &^ (pageSize - 1)
}

// hashesSize is how much address space the hashes of a region take, in bytes. Memory is used where pages are.
func (c Config) hashesSize() uint64 {
	return (c.Size()/pageSize*uint64(unsafe.Sizeof(pageHash{})) + pageSize - 1) &^ (pageSize - 1)
}

// CreateSnapshot makes the memfd of a snapshot. It is not mapped: see View.
func CreateSnapshot(c Config) (*Snapshot, error) {
	r, err := create(c, c.marksSize()+c.hashesSize())
	if err != nil {
		return nil, err
	}
	return newSnapshot(r)
}

// TakeSnapshot takes over the memfd of a snapshot that another process has made with the same Config, and closes it when it fails.
func TakeSnapshot(fd int, c Config) (*Snapshot, error) {
	r, err := take(fd, c, c.marksSize()+c.hashesSize())
	if err != nil {
		return nil, err
	}
	return newSnapshot(r)
}

func newSnapshot(r *Region) (*Snapshot, error) {
	bits := r.cfg.marksSize()
	size := bits + r.cfg.hashesSize()
	at, err := mapApart(r.FD(), r.cfg.Size(), size, unix.PROT_READ|unix.PROT_WRITE)
	if err != nil {
		r.Close()
		return nil, fmt.Errorf("map what is known of the pages of a snapshot (%s): %w%s", formatBytes(size), err, limitHint(err))
	}
	hashes := (*pageHash)(pointer(at + uintptr(bits)))
	return &Snapshot{r, unsafe.Slice((*atomic.Uint64)(pointer(at)), bits/8), unsafe.Slice(hashes, r.cfg.Size()/pageSize)}, nil
}

// Mark notes that the pages of [lo, hi) are written to, and that their hashes are not known any more. Call it before that is done: who dies in
// between has noted too much, not too little.
func (s *Snapshot) Mark(lo, hi uintptr) {
	for page := uint64(lo-s.Base()) / pageSize; page < uint64(hi-s.Base())/pageSize; page++ {
		s.hashes[page].low.Store(0)
		s.marks[page/pagesInWord].Or(1 << (page % pagesInWord))
	}
}

// Compare tells whether a page of the snapshot has a content, by its hash, if that is known.
func (s *Snapshot) Compare(at uintptr, content []byte) (same, known bool) {
	h := &s.hashes[uint64(at-s.Base())/pageSize]
	low := h.low.Load()
	if low == 0 {
		return false, false
	}
	is := xxh3.Hash128(content)
	return is.Lo == low && is.Hi == h.high.Load(), true
}

// Learn makes the hash of a page known, which has the content and keeps it until Mark. Who dies meanwhile has made nothing known.
func (s *Snapshot) Learn(at uintptr, content []byte) {
	h, is := &s.hashes[uint64(at-s.Base())/pageSize], xxh3.Hash128(content)
	h.low.Store(0)
	h.high.Store(is.Hi)
	h.low.Store(is.Lo)
}

// HasChanged tells whether any of size bytes at an offset has been written to since Forget, or since there is the snapshot.
func (s *Snapshot) HasChanged(at, size uint64) bool {
	for page := at / pageSize; page < (at+size+pageSize-1)/pageSize; page++ {
		if s.marks[page/pagesInWord].Load()&(1<<(page%pagesInWord)) != 0 {
			return true
		}
	}
	return false
}

// Forget makes the pages of ranges unchanged; maybe some others near by that do not exist, too. Nobody may write to the snapshot meanwhile. The
// bits stay mapped, so that it costs nothing to set them again.
func (s *Snapshot) Forget(ranges []Range) {
	for _, r := range ranges {
		first, last := uint64(r.Lo-s.Base())/pageSize/pagesInWord, uint64(r.Hi-1-s.Base())/pageSize/pagesInWord
		for i := first; i <= last; i++ {
			s.marks[i].Store(0)
		}
	}
}

// Close gives the snapshot back, with its bits and hashes.
func (s *Snapshot) Close() error {
	unix.MunmapPtr(unsafe.Pointer(unsafe.SliceData(s.marks)), uintptr(s.cfg.marksSize()+s.cfg.hashesSize()))
	return s.Region.Close()
}

// CopyFrom makes the snapshot the same as a region. All that one of both had may have changed.
func (s *Snapshot) CopyFrom(src *Region) error {
	if err := errors.Join(s.markAll(src), s.markAll(s.Region)); err != nil {
		return err
	}
	return s.Region.CopyFrom(src)
}

// Punch gives pages back, which have changed then.
func (s *Snapshot) Punch(lo, hi uintptr) error {
	if err := s.inside("punch", lo, hi); err != nil {
		return err
	}
	s.Mark(lo, hi)
	return s.Region.Punch(lo, hi)
}

// Clear gives all memory of the snapshot back, and what it had has changed.
func (s *Snapshot) Clear() error {
	if err := s.markAll(s.Region); err != nil {
		return err
	}
	return s.Region.Clear()
}

// markAll marks what exists of the snapshot, or of a region like it.
func (s *Snapshot) markAll(r *Region) error {
	shift := s.Base() - r.Base()
	return r.EachExtent(r.Base(), r.Base()+r.size(), func(e Range) error {
		s.Mark(e.Lo+shift, e.Hi+shift)
		return nil
	})
}
