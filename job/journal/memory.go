package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"ampirun/internal/memfd"
)

// memory is a file of memory with the notes of opened files, for a job that goes back to a copy in memory and has no directory for them:
// each is preceded by its epoch and PE (vrank/libc/file_journal.h). Epochs come one after the other.
type memory struct {
	file *os.File
	from int64 // what comes before it is forgotten
}

func newMemory() (*memory, error) {
	f, err := memfd.Create("ampirun-opened", 0)
	if err != nil {
		return nil, fmt.Errorf("make a place for notes of opened files: %w", err)
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFL, unix.O_APPEND); err != nil {
		f.Close()
		return nil, fmt.Errorf("make a place for notes of opened files: %w", err)
	}
	return &memory{file: f}, nil
}

// each visits the notes that are not forgotten: visit gets the epoch and PE of each, and its text with the zero at its end. It ends the
// visits by false.
func (b *memory) each(visit func(epoch int, pe string, text []byte) bool) error {
	text, err := io.ReadAll(io.NewSectionReader(b.file, b.from, 1<<62))
	if err != nil {
		return err
	}
	for {
		end := bytes.IndexByte(text, 0) + 1
		if end == 0 {
			return nil
		}
		where, note, isWhole := bytes.Cut(text[:end], []byte{':'})
		number, pe, _ := strings.Cut(string(where), ".")
		epoch, err := strconv.Atoi(number)
		if err != nil || !isWhole {
			return fmt.Errorf("%q is no note", text[:end])
		}
		if !visit(epoch, pe, note) {
			return nil
		}
		text = text[end:]
	}
}

// undo makes files as they were before an epoch, and forgets all. No worker is there.
func (b *memory) undo(epoch int) (*undo, error) {
	notes := map[string][]byte{} // by PE
	err := b.each(func(n int, pe string, text []byte) bool {
		if n >= epoch {
			notes[pe] = append(notes[pe], text...)
		}
		return true
	})
	u := newUndo()
	for _, text := range notes {
		err = errors.Join(err, u.read(text))
	}
	if err = errors.Join(err, u.finish()); err != nil {
		return nil, cannotUndo(err)
	}
	b.from = 0
	return u, b.file.Truncate(0)
}

// forget drops the notes of earlier epochs.
func (b *memory) forget(epoch int) {
	const mode = unix.FALLOC_FL_PUNCH_HOLE | unix.FALLOC_FL_KEEP_SIZE
	_ = b.each(func(n int, pe string, text []byte) bool { // what it does not understand stays
		if n >= epoch {
			return false
		}
		b.from += int64(len(strconv.Itoa(n)) + len(".:") + len(pe) + len(text))
		return true
	})
	if b.from > 0 {
		_ = unix.Fallocate(int(b.file.Fd()), mode, 0, b.from)
	}
}
