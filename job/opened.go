package job

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ampirun/vrank"
)

// opened is where workers note which files ranks open to write, beside the checkpoints (vrank/opened.h): a job that goes on from a
// checkpoint finds those files as they were, so that what it appends does not come twice, and what it makes is not there yet.
type opened struct {
	Job   string // tells jobs apart that use the same directory
	Epoch int    // of what ranks open after the checkpoint that this is kept with
}

const openedFolder = "opened"

func newOpened() opened {
	var name [8]byte
	_, _ = rand.Read(name[:]) // never fails
	return opened{Job: hex.EncodeToString(name[:])}
}

// makeFolder makes the place for notes in a directory of checkpoints.
func makeFolder(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, openedFolder), 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("make a place for notes of opened files: %w", err)
	}
	return nil
}

// noting is what workers need to know that go on with a revival.
func (k *keeper) noting(v *revival) vrank.Opened {
	switch {
	case k == nil:
		return vrank.Opened{}
	case k.notebook != nil:
		return vrank.Opened{Memory: true, Epoch: k.since(v).Epoch}
	}
	return vrank.Opened{Prefix: filepath.Join(k.how.Dir, openedFolder, k.opened.Job), Epoch: k.since(v).Epoch}
}

// since is what ranks have opened since the job was where it goes on from.
func (k *keeper) since(v *revival) opened {
	if v == nil || !v.isOurs {
		return k.opened
	}
	return opened{k.opened.Job, v.epoch}
}

// notes are the files with notes in a directory of checkpoints: visit gets the job and the epoch of each.
func notes(dir string, visit func(path, job string, epoch int)) {
	entries, _ := os.ReadDir(filepath.Join(dir, openedFolder)) // none: nothing was noted
	for _, e := range entries {
		part := strings.Split(e.Name(), ".")
		if len(part) != 3 {
			continue
		}
		if epoch, err := strconv.Atoi(part[1]); err == nil {
			visit(filepath.Join(dir, openedFolder, e.Name()), part[0], epoch)
		}
	}
}

// undo makes files as they were when the checkpoint was made that o was kept with, as far as ranks have opened them since: those that are
// new go, others are cut back. A file that is another one by now is left alone. It may be done again.
func (o opened) undo(dir string) (u *undoing, err error) {
	var done []string
	u = newUndoing()
	notes(dir, func(path, job string, epoch int) {
		if err != nil || job != o.Job || epoch < o.Epoch {
			return
		}
		var text []byte
		if text, err = os.ReadFile(path); err == nil {
			err = u.read(text)
		}
		done = append(done, path)
	})
	if err == nil {
		err = u.finish()
	}
	if err != nil {
		return nil, cannotUndo(err)
	}
	for _, path := range done {
		if err == nil {
			err = os.Remove(path)
		}
	}
	return u, err
}

func cannotUndo(err error) error {
	return fmt.Errorf("make the files as they were that ranks have opened since the checkpoint: %w", err)
}

// forget removes notes that no checkpoint needs: of other jobs, and of epochs before the oldest checkpoint that there is.
func (o opened) forget(dir string, oldest int) {
	notes(dir, func(path, job string, epoch int) {
		if job != o.Job || epoch < oldest {
			_ = os.Remove(path) // else with the next checkpoint
		}
	})
}
