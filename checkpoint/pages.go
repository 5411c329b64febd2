package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
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

// writers is how many goroutines write packs: two for each processor, since half of them wait for the disk.
func writers() int { return min(2*runtime.GOMAXPROCS(0), 16) }

// writePages gives every page its place, and writes those that have none yet. The packs are then finished, but not safe.
func (v *saving) writePages() error {
	zero := hashOf(make([]byte, v.PageSize))
	var next atomic.Int64
	var stop atomic.Bool
	return parallel(min(writers(), len(v.pieces)), func() (err error) {
		w := &pageWriter{saving: v, zero: zero, compressor: compressor{tuner: &v.tuner}}
		defer func() { err = errors.Join(err, w.stage.close()) }()
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

// parallel runs a function in n goroutines until all are done, and gives the errors of all.
func parallel(n int, work func() error) error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { errs[i] = work() })
	}
	all.Wait()
	return errors.Join(errs...)
}

// pageWriter is one of the goroutines that write pages.
type pageWriter struct {
	*saving
	zero       Hash
	compressor compressor
	stage      stage
	buffer     []byte
	pack       *packWriter // nil before the first page
	number     int         // of the pack in v.packs
	counts     Counts
}

func (w *pageWriter) piece(p *piece) error {
	if _, direct := w.memory.(inPlace); !direct {
		w.buffer = sized(w.buffer, pieceBytes)
	}
	data, err := w.memory.piece(p.Offset, p.Length, w.buffer)
	if err != nil {
		return err
	}
	size := int(w.PageSize)
	hashes, places := w.chain.memo.part(p.Extent, w.PageSize)
	for i := range len(data) / size {
		page := data[i*size : (i+1)*size]
		h := hashOf(page)
		w.hashes[p.first+i] = h
		if hashes != nil && hashes[i] == h && w.old.has(places[i]) {
			w.places[p.first+i] = places[i]
			w.counts.Kept++
		} else if w.places[p.first+i], err = w.page(page, h); err != nil {
			return err
		}
	}
	return nil
}

// page finds or makes the place of a page.
func (w *pageWriter) page(data []byte, h Hash) (place, error) {
	if h == w.zero {
		w.counts.Zero++
		return zeroPlace, nil
	}
	if at, ok := w.old.find(h); ok {
		w.counts.Kept++
		return at, nil
	}
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
