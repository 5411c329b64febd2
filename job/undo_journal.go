package job

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"ampirun/internal/safefile"
	"ampirun/vrank"
)

// opened is where workers note which files ranks open to write, beside the checkpoints (vrank/libc/file_journal.h): a job that goes on from a
// checkpoint finds those files as they were, so that what it appends does not come twice, and what it makes is not there yet.
type opened struct {
	Job   string // tells jobs apart that use the same directory
	Epoch int    // of what ranks open after the checkpoint that this is kept with
}

const journalFolder = "opened"

func newUndoJournal() opened {
	var name [8]byte
	_, _ = rand.Read(name[:]) // never fails
	return opened{Job: hex.EncodeToString(name[:])}
}

// notesIn opens the notes in a directory of checkpoints; nil: there are none.
func notesIn(root *safefile.Dir) (*safefile.Dir, error) {
	folder, err := root.Sub(journalFolder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return folder, err
}

// noting is what workers need to know that go on with a rollbackTarget.
func (k *checkpointer) noting(v *rollbackTarget) vrank.Journal {
	switch {
	case k == nil:
		return vrank.Journal{}
	case k.memoryJournal != nil:
		return vrank.Journal{Memory: true, Epoch: k.since(v).Epoch}
	}
	return vrank.Journal{Name: k.opened.Job, Epoch: k.since(v).Epoch}
}

// since is what ranks have opened since the job was where it goes on from.
func (k *checkpointer) since(v *rollbackTarget) opened {
	if v == nil || !v.isOurs {
		return k.opened
	}
	return opened{k.opened.Job, v.epoch}
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

// undo makes files as they were when the checkpoint was made that o was kept with, as far as ranks have opened them since: those that are
// new go, others are cut back. A file that is another one by now is left alone. Notes that somebody else than the directory's owner has put
// there are not believed: said names them. It may be done again.
func (o opened) undo(folder *safefile.Dir) (u *undoing, said []string, err error) {
	var done []string
	u = newUndoing()
	eachNote(folder, func(name, job string, epoch int) {
		if err != nil || job != o.Job || epoch < o.Epoch {
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
func (o opened) forget(folder *safefile.Dir, oldest int) {
	eachNote(folder, func(name, job string, epoch int) {
		if job != o.Job || epoch < oldest {
			_ = folder.Remove(name) // else with the next checkpoint
		}
	})
}
