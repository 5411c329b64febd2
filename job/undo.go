package job

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// note is what a rank has opened: see vrank/opened.h.
type note struct {
	number   string
	identity string // device, inode, birth
	size     int64  // before; -1: it is new
	path     string
}

// unmade is the device of a file that was about to be made.
const unmade = "0:0 "

func parseNote(line string) (n note, err error) {
	field := strings.SplitN(line, " ", 6)
	if len(field) != 6 {
		return n, fmt.Errorf("%q is no note", line)
	}
	n = note{number: field[0], identity: strings.Join(field[1:4], " "), path: field[5]}
	n.size, err = strconv.ParseInt(field[4], 10, 64)
	return n, err
}

// undoing makes undone what notes say.
type undoing struct {
	made map[string]bool // identities of what ranks have made
}

func newUndoing() *undoing { return &undoing{made: map[string]bool{}} }

// read reads the notes of one worker. The last one may be cut off; and for the last file that was made there may be only the first one.
func (u *undoing) read(text []byte) error {
	pending := map[string]note{}
	for line, rest, whole := bytes.Cut(text, []byte{0}); whole; line, rest, whole = bytes.Cut(rest, []byte{0}) {
		n, err := parseNote(string(line))
		if err == nil && strings.HasPrefix(n.identity, unmade) {
			pending[n.number] = n
			continue
		}
		delete(pending, n.number)
		if err == nil {
			err = u.undo(n)
		}
		if err != nil {
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
func (u *undoing) undo(n note) error {
	if n.size < 0 {
		u.made[n.identity] = true
	}
	st, err := statx(n.path)
	switch {
	case err != nil || identity(&st) != n.identity:
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

// finish does what has to wait until all notes are read.
func (u *undoing) finish() error { return nil }
