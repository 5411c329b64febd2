package checkpoint

import (
	"fmt"
	"time"

	"github.com/zeebo/xxh3"
	"golang.org/x/sys/unix"

	"ampirun/internal/safefile"
)

const (
	packBytes  = 64 << 20 // so much memory goes into a pack before the next one begins, so that old ones die one by one
	writeBytes = 1 << 20  // so much is written at a time
)

// stage collects what is written, in memory that direct writes can take. A goroutine uses one for all of its packs.
type stage struct {
	memory []byte // of the system; nil before the first use
	used   int
}

func (s *stage) open() (err error) {
	if s.memory == nil {
		s.memory, err = unix.Mmap(-1, 0, writeBytes+2*maxBlock, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	}
	s.used = 0
	return err
}

func (s *stage) close() error {
	if s.memory == nil {
		return nil
	}
	return unix.Munmap(s.memory)
}

// packWriter writes one pack.
type packWriter struct {
	shape
	out        output
	name       string
	compressor *compressor
	stage      *stage
	packIndex
	begin int           // of the block being filled, in the stage
	sent  uint64        // bytes written
	busy  time.Duration // in writing
	size  uint64        // of the file, and
	sum   Hash          // of the index, when it is finished
}

func packName(s *shape) string {
	return fmt.Sprintf("%s-%d%s", folderName(s.generation), s.part, packExt)
}

func createPack(d disk, folder *safefile.Dir, s shape, c *compressor, to *stage) (*packWriter, error) {
	w := &packWriter{shape: s, name: packName(&s), compressor: c, stage: to}
	if err := to.open(); err != nil {
		return nil, err
	}
	to.used = copy(to.memory, s.head())
	w.begin = to.used
	var err error
	w.out, err = d.Create(folder, w.name, false)
	return w, err
}

// next is the number that the next page gets.
func (w *packWriter) next() uint64 { return uint64(len(w.pages)) }

func (w *packWriter) full() bool { return w.next()*w.pageSize >= packBytes }

func (w *packWriter) add(page []byte, h Hash) error {
	w.pages = append(w.pages, h)
	w.stage.used += copy(w.stage.memory[w.stage.used:], page)
	if uint64(w.stage.used-w.begin) == w.blockPages*w.pageSize {
		return w.endBlock()
	}
	return nil
}

// endBlock stores the block that was filled in its place, and sends what there is when it is much.
func (w *packWriter) endBlock() error {
	stored, method, err := w.compressor.pack(w.stage.memory[w.begin:w.stage.used])
	if err != nil {
		return err
	}
	w.blocks = append(w.blocks, blockEntry{w.sent + uint64(w.begin), uint32(len(stored)), method, xxh3.Hash(stored)})
	if method != methodRaw {
		w.stage.used = w.begin + copy(w.stage.memory[w.begin:], stored)
	}
	if w.begin = w.stage.used; w.begin < writeBytes {
		return nil
	}
	return w.send(w.stage.used / directAlign * directAlign)
}

// send writes the first n bytes of the stage.
func (w *packWriter) send(n int) error {
	began := time.Now()
	_, err := w.out.Write(w.stage.memory[:n])
	w.busy += time.Since(began)
	w.sent += uint64(n)
	w.stage.used = copy(w.stage.memory, w.stage.memory[n:w.stage.used])
	w.begin = w.stage.used
	return err
}

// finish writes what is left. The pack is not safe before Sync.
func (w *packWriter) finish() error {
	if w.stage.used > w.begin {
		if err := w.endBlock(); err != nil {
			return err
		}
	}
	if err := w.send(w.stage.used); err != nil {
		return err
	}
	index, sum := w.encode(w.head(), w.sent)
	w.size, w.sum = w.sent+uint64(len(index)), sum
	_, err := w.out.Write(index)
	return err
}

func (w *packWriter) ref() Pack {
	return Pack{Name: w.name, Size: w.size, Pages: w.next(), Index: w.sum}
}
