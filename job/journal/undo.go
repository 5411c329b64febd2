package journal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// note is what a rank has opened, made or is about to remove: see vrank/libc/file_journal.h.
type note struct {
	number   string
	identity string // device, inode, birth
	what     what
	size     int64  // before, of a file that was there
	mode     uint32 // of a directory that goes
	path     string
}

// what a note is about.
type what int

const (
	oldFile what = iota
	newFile
	newDirectory
	oldDirectory // that goes
)

// unmade is the device of what was about to be made.
const unmade = "0:0 "

// parseNote reads a note; false: it is cut off. A path that is cut off does not show, and is not that of the file with that identity.
func parseNote(line string) (n note, isWhole bool) {
	field := strings.SplitN(line, " ", 6)
	if len(field) != 6 {
		return n, false
	}
	var err error
	n = note{number: field[0], identity: strings.Join(field[1:4], " "), path: field[5]}
	mode, goes := strings.CutPrefix(field[4], "gone:")
	switch {
	case field[4] == "-1":
		n.what = newFile
	case field[4] == "dir":
		n.what = newDirectory
	case goes:
		n.what = oldDirectory
		_, err = fmt.Sscanf(mode, "%o", &n.mode)
	default:
		n.size, err = strconv.ParseInt(field[4], 10, 64)
	}
	return n, err == nil && n.size >= 0 && n.mode <= 0o7777 && filepath.IsAbs(n.path)
}

// undo makes undone what notes say: read for each worker, then finish.
type undo struct {
	made map[string]bool // identities of what ranks have made
	dirs []note
}

func newUndo() *undo { return &undo{made: map[string]bool{}} }

// read reads the notes of one worker. The last one may be cut off, and any one for which the disk had no room; for what was made last there may be
// only the first one.
func (u *undo) read(text []byte) error {
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
		if err := u.one(n); err != nil {
			return err
		}
	}
	for _, n := range pending {
		if err := u.unfinished(n); err != nil {
			return err
		}
	}
	return nil
}

// one removes a file that is new, and cuts another one back, if it is still the same file. Directories have to wait.
func (u *undo) one(n note) error {
	if n.what == newFile || n.what == newDirectory {
		u.made[n.identity] = true
	}
	if n.what == newDirectory || n.what == oldDirectory {
		u.dirs = append(u.dirs, n)
		return nil
	}
	st, err := statx(n.path)
	switch {
	case err != nil || identity(&st) != n.identity:
		return nil
	case n.what == newFile:
		return os.Remove(n.path)
	case uint64(n.size) < st.Size:
		return os.Truncate(n.path, n.size)
	}
	return nil
}

// unfinished removes what was made by a rank that was killed when it had just done so: it was not there when the rank looked, is empty, and was born
// then.
func (u *undo) unfinished(n note) error {
	second, nanosecond, _ := strings.Cut(strings.TrimPrefix(n.identity, unmade+"0 "), ".")
	s, err := strconv.ParseInt(second, 10, 64)
	ns, err2 := strconv.ParseInt(nanosecond, 10, 64)
	if err != nil || err2 != nil {
		return fmt.Errorf("%q is no time", n.identity)
	}
	at := time.Unix(s, ns)
	st, err := statx(n.path)
	born := birth(&st)
	if err != nil || born.Before(at) || born.After(at.Add(soon)) {
		return nil
	}
	switch kind := st.Mode & unix.S_IFMT; {
	case n.what == newDirectory && kind == unix.S_IFDIR:
		n.identity = identity(&st)
		return u.one(n)
	case n.what == newFile && kind == unix.S_IFREG && st.Size == 0:
		return os.Remove(n.path)
	}
	return nil
}

// birth is when a file was made, or, where that is not known, when it was changed for the last time: no earlier.
func birth(st *unix.Statx_t) time.Time {
	if st.Btime != (unix.StatxTimestamp{}) {
		return time.Unix(st.Btime.Sec, int64(st.Btime.Nsec))
	}
	return time.Unix(st.Ctime.Sec, int64(st.Ctime.Nsec))
}

// soon is how long it may take to make a file.
const soon = 10 * time.Second

// statx tells about a file. Where a container's filter knows no statx the file has no time of birth, in notes neither.
func statx(path string) (st unix.Statx_t, err error) {
	err = unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_BASIC_STATS|unix.STATX_BTIME, &st)
	if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) {
		return st, err
	}
	var old unix.Stat_t
	err = unix.Lstat(path, &old)
	return unix.Statx_t{Mode: uint16(old.Mode), Ino: old.Ino, Size: uint64(old.Size), Dev_major: unix.Major(old.Dev), Dev_minor: unix.Minor(old.Dev),
		Ctime: unix.StatxTimestamp{Sec: old.Ctim.Sec, Nsec: uint32(old.Ctim.Nsec)}}, err
}

// finish makes directories again that are gone, outer ones first, and removes those that are new, inner ones first, if nothing is in them. It comes
// when all notes are read: what was made and removed since was in no directory before.
func (u *undo) finish() error {
	slices.SortStableFunc(u.dirs, func(a, b note) int { return cmp.Compare(len(a.path), len(b.path)) })
	for _, n := range u.dirs {
		if n.what != oldDirectory || u.made[n.identity] {
			continue
		}
		if err := n.makeAgain(); err != nil {
			return err
		}
	}
	for _, n := range slices.Backward(u.dirs) {
		st, err := statx(n.path)
		if n.what == newDirectory && err == nil && identity(&st) == n.identity {
			_ = unix.Rmdir(n.path) // somebody has something in it: it stays
		}
	}
	return nil
}

// makeAgain makes a directory where there is nothing. If what it was in is not there either, that was moved.
func (n note) makeAgain() error {
	err := os.Mkdir(n.path, 0o700)
	if err == nil {
		err = unix.Chmod(n.path, n.mode)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
