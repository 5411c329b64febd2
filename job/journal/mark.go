package journal

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ampirun/internal/safefile"
)

// Mark is a place in a job's journal: what ranks have opened in its epoch and later has come after it.
type Mark struct {
	Job   string // tells jobs apart that use the same directory
	Epoch int
}

func newMark() Mark {
	var name [8]byte
	_, _ = rand.Read(name[:]) // never fails
	return Mark{Job: hex.EncodeToString(name[:])}
}

// maxName is how long the name of a job is at most: see vrank/libc/file_journal.c.
const maxName = 63

// Validate looks at what names of files are made of.
func (m Mark) Validate() error {
	if m.Epoch < 0 || len(m.Job) > maxName || strings.ContainsAny(m.Job, "/.\x00") {
		return fmt.Errorf("its notes of opened files are called %.100q, from %d on", m.Job, m.Epoch)
	}
	return nil
}

// eachNote visits the files with notes: visit gets the job and the epoch of each.
func eachNote(folder *safefile.Dir, visit func(name, job string, epoch int)) {
	if folder == nil {
		return
	}
	names, _ := folder.Names() // none: nothing was noted
	for _, name := range names {
		part := strings.Split(name, ".")
		if len(part) != 3 {
			continue
		}
		if epoch, err := strconv.Atoi(part[1]); err == nil {
			visit(name, part[0], epoch)
		}
	}
}

// undo makes files as they were at the mark, as far as ranks have opened them since: those that are
// new go, others are cut back. A file that is another one by now is left alone. Notes that somebody else than the directory's owner has put
// there are not believed: said names them. It may be done again.
func (m Mark) undo(folder *safefile.Dir) (u *undo, said []string, err error) {
	var done []string
	u = newUndo()
	eachNote(folder, func(name, job string, epoch int) {
		if err != nil || job != m.Job || epoch < m.Epoch {
			return
		}
		var text []byte
		text, err = folder.ReadFile(name)
		if other := new(safefile.NotOwned); errors.As(err, &other) {
			said, err = append(said, other.Error()+": what it says of opened files is not believed"), nil
			return
		}
		if err == nil {
			err = u.read(text)
		}
		done = append(done, name)
	})
	if err == nil {
		err = u.finish()
	}
	if err != nil {
		return nil, said, cannotUndo(err)
	}
	if folder == nil || !folder.IsOwn() {
		return u, said, nil
	}
	for _, name := range done {
		if err == nil {
			err = folder.Remove(name)
		}
	}
	return u, said, err
}

func cannotUndo(err error) error {
	return fmt.Errorf("make the files as they were that ranks have opened since the checkpoint: %w", err)
}

// forget removes notes that no checkpoint needs: of other jobs, and of epochs before the oldest checkpoint that there is.
func (m Mark) forget(folder *safefile.Dir, oldest int) {
	eachNote(folder, func(name, job string, epoch int) {
		if job != m.Job || epoch < oldest {
			_ = folder.Remove(name) // else with the next checkpoint
		}
	})
}
