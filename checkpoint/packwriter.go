package checkpoint

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/zeebo/xxh3"
)

// packBytes is how much memory goes into a pack before the next one begins, so that old ones die one by one.
const packBytes = 64 << 20

// packWriter writes one pack.
type packWriter struct {
	shape
	out        output
	name       string
	compressor *compressor
	packIndex
	block   []byte // being filled
	end     uint64 // of what is written
	flushed uint64 // of what the system was told to write
	busy    time.Duration
	sum     Hash // of the index, when it is closed
}

func packName(s *shape) string {
	return fmt.Sprintf("%s-%d%s", folderName(s.generation), s.part, packExt)
}

func createPack(d disk, folder string, s shape, c *compressor) (*packWriter, error) {
	w := &packWriter{shape: s, name: packName(&s), compressor: c, block: make([]byte, 0, s.blockPages*s.pageSize)}
	var err error
	if w.out, err = d.Create(filepath.Join(folder, w.name)); err != nil {
		return nil, err
	}
	if err := w.write(s.head()); err != nil {
		w.out.Close()
		return nil, err
	}
	return w, nil
}

// flushBytes is how much is written before the system is told to begin with it.
const flushBytes = 4 << 20

func (w *packWriter) write(data []byte) error {
	began := time.Now()
	defer func() { w.busy += time.Since(began) }()
	if _, err := w.out.Write(data); err != nil {
		return err
	}
	w.end += uint64(len(data))
	if w.end-w.flushed >= flushBytes {
		w.out.Flush(int64(w.flushed), int64(w.end-w.flushed))
		w.flushed = w.end
	}
	return nil
}

// next is the number that the next page gets.
func (w *packWriter) next() uint64 { return uint64(len(w.pages)) }

func (w *packWriter) full() bool { return w.next()*w.pageSize >= packBytes }

func (w *packWriter) add(page []byte, h Hash) error {
	w.pages = append(w.pages, h)
	w.block = append(w.block, page...)
	if len(w.block) == cap(w.block) {
		return w.endBlock()
	}
	return nil
}

func (w *packWriter) endBlock() error {
	stored, method, err := w.compressor.pack(w.block)
	if err != nil {
		return err
	}
	w.blocks = append(w.blocks, blockEntry{w.end, uint32(len(stored)), method, xxh3.Hash(stored)})
	w.block = w.block[:0]
	return w.write(stored)
}

// finish writes what is left. The pack is not safe before Sync.
func (w *packWriter) finish() error {
	if len(w.block) > 0 {
		if err := w.endBlock(); err != nil {
			return err
		}
	}
	w.block = nil
	index, sum := w.encode(w.head(), w.end)
	w.sum = sum
	return w.write(index)
}

func (w *packWriter) ref() packRef {
	return packRef{Name: w.name, Size: w.end, Pages: w.next(), Index: w.sum}
}
