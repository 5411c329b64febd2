package job

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

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
func (o opened) undo(dir string) (err error) {
	var done []string
	notes(dir, func(path, job string, epoch int) {
		if err != nil || job != o.Job || epoch < o.Epoch {
			return
		}
		var text []byte
		if text, err = os.ReadFile(path); err == nil {
			err = undoAll(text)
		}
		if err != nil {
			err = fmt.Errorf("make the files as they were that ranks have opened since the checkpoint: %w", err)
		}
		done = append(done, path)
	})
	for _, path := range done {
		if err == nil {
			err = os.Remove(path)
		}
	}
	return err
}

// note is what a rank has opened: see vrank/opened.h.
type note struct {
	number   string
	identity string // device, inode, birth
	size     int64  // before; -1: it is new
	path     string
}

// unmade is the device of a file that was about to be made.
const unmade = "0:0 "

// parseNote reads a note; false: it is cut off. A path that is cut off does not show, and is not that of the file with that identity.
func parseNote(line string) (n note, isWhole bool) {
	field := strings.SplitN(line, " ", 6)
	if len(field) != 6 {
		return n, false
	}
	n = note{number: field[0], identity: strings.Join(field[1:4], " "), path: field[5]}
	var err error
	n.size, err = strconv.ParseInt(field[4], 10, 64)
	return n, err == nil
}

// undoAll reads the notes of one worker. The last one may be cut off, and any one for which the disk had no room; for the last file that was made
// there may be only the first one.
func undoAll(text []byte) error {
	pending := map[string]note{}
	for line, rest, whole := bytes.Cut(text, []byte{0}); whole; line, rest, whole = bytes.Cut(rest, []byte{0}) {
		n, isWhole := parseNote(string(line))
		if !isWhole {
			continue
		}
		if strings.HasPrefix(n.identity, unmade) {
			pending[n.number] = n
			continue
		}
		delete(pending, n.number)
		if err := n.undo(); err != nil {
			return err
		}
	}
	for _, n := range pending {
		if err := n.undoUnfinished(); err != nil {
			return err
		}
	}
	return nil
}

// undo removes a file that is new, and cuts another one back, if it is still the same file.
func (n note) undo() error {
	st, err := statx(n.path)
	switch {
	case err != nil || fmt.Sprintf("%d:%d %d %d.%d", st.Dev_major, st.Dev_minor, st.Ino, st.Btime.Sec, st.Btime.Nsec) != n.identity:
		return nil
	case n.size < 0:
		return os.Remove(n.path)
	case uint64(n.size) < st.Size:
		return os.Truncate(n.path, n.size)
	}
	return nil
}

// undoUnfinished removes a file whose maker was killed when it had just been made: it is empty, and was born then.
func (n note) undoUnfinished() error {
	second, nanosecond, _ := strings.Cut(strings.TrimPrefix(n.identity, unmade+"0 "), ".")
	s, err := strconv.ParseInt(second, 10, 64)
	ns, err2 := strconv.ParseInt(nanosecond, 10, 64)
	if err != nil || err2 != nil {
		return fmt.Errorf("%q is no time", n.identity)
	}
	at := time.Unix(s, ns)
	st, err := statx(n.path)
	born := time.Unix(st.Btime.Sec, int64(st.Btime.Nsec))
	if err != nil || st.Size > 0 || st.Mode&unix.S_IFMT != unix.S_IFREG || born.Before(at) || born.After(at.Add(soon)) {
		return nil
	}
	return os.Remove(n.path)
}

// soon is how long it may take to make a file.
const soon = 10 * time.Second

func statx(path string) (st unix.Statx_t, err error) {
	err = unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st)
	return st, err
}

// forget removes notes that no checkpoint needs: of other jobs, and of epochs before the oldest checkpoint that there is.
func (o opened) forget(dir string, oldest int) {
	notes(dir, func(path, job string, epoch int) {
		if job != o.Job || epoch < oldest {
			_ = os.Remove(path) // else with the next checkpoint
		}
	})
}
