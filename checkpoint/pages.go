package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"go.uber.org/atomic"
)

// source gives memory piece by piece.
type source interface {
	// piece gives size bytes at an offset, maybe in the buffer.
	piece(at, size uint64, buffer []byte) ([]byte, error)
}

type inPlace struct {
	memory interface{ Slice(at, size uint64) []byte }
}

func (p inPlace) piece(at, size uint64, _ []byte) ([]byte, error) {
	return p.memory.Slice(at, size), nil
}

type copied struct{ memory io.ReaderAt }

func (c copied) piece(at, size uint64, buffer []byte) ([]byte, error) {
	n, err := c.memory.ReadAt(buffer[:size], int64(at))
	if uint64(n) == size {
		return buffer[:size], nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = fmt.Errorf("the memory ends at %#x, in an extent", at+uint64(n))
	}
	return nil, err
}

func sourceOf(memory io.ReaderAt) source {
	if m, ok := memory.(interface{ Slice(at, size uint64) []byte }); ok {
		return inPlace{m}
	}
	return copied{memory}
}

// Tracked is memory that knows what has been written to it. Memory given to Save may be of this kind.
type Tracked interface {
	// HasChanged tells whether bytes may have changed since the last Save of the store that gave no error. Save calls it in several goroutines,
	// and not before there was such a Save.
	HasChanged(at, size uint64) bool
}

// mayHaveChanged is false only for a page that is as the last Save found it.
func (v *saving) mayHaveChanged(at uint64) bool {
	return v.tracked == nil || v.tracked.HasChanged(at, v.PageSize)
}

// join makes one extent of those that touch.
func join(extents []Extent) (joined []Extent) {
	for _, e := range extents {
		if n := len(joined); n > 0 && joined[n-1].End() == e.Offset {
			joined[n-1].Length += e.Length
			continue
		}
		joined = append(joined, e)
	}
	return joined
}

// pieceBytes is how much memory a goroutine takes at a time.
const pieceBytes = 1 << 20

// piece is a part of an extent.
type piece struct {
	Extent
	first int // which of all pages its first one is
}

func (v *saving) split() {
	first := 0
	for _, e := range v.Extents {
		for at := e.Offset; at < e.End(); at += pieceBytes {
			p := piece{Extent{at, min(pieceBytes, e.End()-at)}, first}
			v.pieces = append(v.pieces, p)
			first += int(p.Length / v.PageSize)
		}
	}
	v.places, v.hashes = make([]place, first), make([]Hash, first)
	v.Counts.Pages = first
}

// diskWorkers is how many goroutines read or write packs: two for each processor, since half of them wait for the disk.
func diskWorkers() int { return min(2*runtime.GOMAXPROCS(0), 16) }

// writePages gives every page its place, and writes those that have none yet. The packs are then finished, but not safe.
func (v *saving) writePages() error {
	zero := hashOf(make([]byte, v.PageSize))
	var next, begun atomic.Int64
	var stop atomic.Bool
	tools := v.store.toolsFor(min(diskWorkers(), len(v.pieces)))
	return parallel(len(tools), func() error {
		w := &pageWriter{saving: v, zero: zero, tools: tools[begun.Add(1)-1], reminder: reminder{memo: &v.chain.memo, page: v.PageSize}}
		for !stop.Load() {
			i := int(next.Add(1)) - 1
			if i >= len(v.pieces) {
				break
			}
			if err := w.piece(&v.pieces[i]); err != nil {
				stop.Store(true)
				return err
			}
		}
		return w.finish()
	})
}

// parallel runs a function in n goroutines until all are done, and gives the first error: on a full disk all say the same.
func parallel(n int, work func() error) error {
	errs := make(chan error, n)
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if err := work(); err != nil {
				errs <- err
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

// tools are memory that a goroutine writes pages with. They stay from one Save to the next: the kernel takes as long to find new memory as it takes
// to fill it.
type tools struct {
	compressor compressor
	stage      stage
	buffer     []byte
}

// toolsFor gives tools for n goroutines.
func (s *Store) toolsFor(n int) []*tools {
	for len(s.tools) < n {
		s.tools = append(s.tools, &tools{compressor: compressor{tuner: &s.tuner}})
	}
	return s.tools[:n]
}

// pageWriter is one of the goroutines that write pages.
type pageWriter struct {
	*saving
	*tools
	zero     Hash
	reminder reminder
	data     []byte      // of the piece; nil before it is read
	pack     *packWriter // nil before the first page
	number   int         // of the pack in v.packs
	counts   Counts
}

// stretch is how many pages are asked about at once.
const stretch = 64

func (w *pageWriter) piece(p *piece) error {
	w.data = nil
	pages := int(p.Length / w.PageSize)
	for first := 0; first < pages; first += stretch {
		end := min(first+stretch, pages)
		if w.keep(p, first, end) {
			continue
		}
		for i := first; i < end; i++ {
			if err := w.look(p, i); err != nil {
				return err
			}
		}
	}
	return nil
}

// keep takes pages of a piece over as the last Save found them, if all can be: those of most stretches.
func (w *pageWriter) keep(p *piece, first, end int) bool {
	at, n := p.Offset+uint64(first)*w.PageSize, end-first
	if w.tracked == nil || w.tracked.HasChanged(at, uint64(n)*w.PageSize) {
		return false
	}
	hashes, places := w.reminder.recallAll(at, n)
	if places == nil {
		return false
	}
	zero := 0
	for _, was := range places {
		if was == zeroPlace {
			zero++
		} else if !w.old.has(was) {
			return false
		}
	}
	copy(w.hashes[p.first+first:], hashes)
	copy(w.places[p.first+first:], places)
	w.counts.Zero += zero
	w.counts.Kept += n - zero
	return true
}

// look finds out what a page of a piece is now, and where it is stored.
func (w *pageWriter) look(p *piece, i int) (err error) {
	at := uint64(i) * w.PageSize
	h, was, ok := w.reminder.recall(p.Offset + at)
	if !ok || w.mayHaveChanged(p.Offset+at) {
		data, err := w.read(p, at)
		if err != nil {
			return err
		}
		now := hashOf(data)
		h, ok = now, ok && now == h
	}
	w.hashes[p.first+i] = h
	w.places[p.first+i], err = w.place(p, at, h, was, ok)
	return err
}

// read gives a page of a piece. The piece is read as a whole when the first of its pages is needed.
func (w *pageWriter) read(p *piece, at uint64) (data []byte, err error) {
	if w.data == nil {
		if _, direct := w.memory.(inPlace); !direct {
			w.buffer = sized(w.buffer, pieceBytes)
		}
		if w.data, err = w.memory.piece(p.Offset, p.Length, w.buffer); err != nil {
			return nil, err
		}
	}
	return w.data[at : at+w.PageSize], nil
}

// place finds or makes the place of a page; the last Save had it at was, if ok.
func (w *pageWriter) place(p *piece, at uint64, h Hash, was place, ok bool) (place, error) {
	if h == w.zero {
		w.counts.Zero++
		return zeroPlace, nil
	}
	if !ok || !w.old.has(was) {
		was, ok = w.old.find(h)
	}
	if ok {
		w.counts.Kept++
		return was, nil
	}
	data, err := w.read(p, at)
	if err != nil {
		return 0, err
	}
	return w.write(data, h)
}

// write makes a place for a page that no older generation has.
func (w *pageWriter) write(data []byte, h Hash) (place, error) {
	if w.pack == nil || w.pack.full() {
		if err := w.nextPack(); err != nil {
			return 0, err
		}
	}
	at, known := w.news.add(h, placeOf(w.number, w.pack.next()))
	if known {
		w.counts.Same++
		return at, nil
	}
	w.counts.Written++
	return at, w.pack.add(data, h)
}

func (w *pageWriter) nextPack() (err error) {
	if err := w.finishPack(); err != nil {
		return err
	}
	w.pack, w.number, err = w.packs.create(w.saving, &w.compressor, &w.stage)
	return err
}

func (w *pageWriter) finishPack() error {
	if w.pack == nil {
		return nil
	}
	return w.pack.finish()
}

func (w *pageWriter) finish() error {
	w.packs.count(&w.counts)
	return w.finishPack()
}
