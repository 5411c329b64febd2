package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Create makes a file for output, or empties the one that is there, which keeps its mode; a new one has 0600 less the umask. In a sticky directory,
// where all users may make files, no symbolic link is followed, and a file of somebody else is refused.
func Create(path string) (*os.File, error) {
	f, err := OpenOutput(path, unix.O_WRONLY)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		if err := f.Truncate(0); err != nil {
			f.Close()
			return nil, err
		}
	}
	return f, nil
}

// OpenOutput opens such a file as it is, with flags of open.
func OpenOutput(path string, flags int) (*os.File, error) {
	var w walker
	f, err := w.output(path, flags)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return f, nil
}

var (
	errStickyLink = errors.New("a symbolic link in a sticky directory is not followed, since others may have made it: name what it stands for")
	errStickyFile = errors.New("it belongs to somebody else, in a directory where all may make files: name another one")
)

// walker follows a path name by name.
type walker struct {
	makes bool     // directories that are not there
	at    int      // descriptor of the directory that was reached (O_PATH)
	rest  []string // names to come
	links int      // that were followed
}

const maxLinks = 40 // as the kernel has it

// begin goes to where a path begins.
func (w *walker) begin(path string) (err error) {
	start := "."
	if filepath.IsAbs(path) {
		start = "/"
	}
	if w.at, err = unix.Open(start, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		return err
	}
	w.rest = append(names(path), w.rest...)
	return nil
}

// names takes a path apart. What ends in a slash is a directory.
func names(path string) (list []string) {
	for _, n := range strings.Split(path, "/") {
		if n != "" && n != "." {
			list = append(list, n)
		}
	}
	if strings.HasSuffix(path, "/") || len(list) == 0 {
		list = append(list, ".")
	}
	return list
}

// enter goes on in a directory.
func (w *walker) enter(fd int) {
	unix.Close(w.at)
	w.at = fd
}

// directory opens a directory (O_PATH).
func (w *walker) directory(path string) (int, error) {
	if path == "" {
		return -1, unix.ENOENT
	}
	if err := w.begin(path); err != nil {
		return -1, err
	}
	for len(w.rest) > 0 {
		if err := w.step(); err != nil {
			unix.Close(w.at)
			return -1, err
		}
	}
	return w.at, nil
}

// step follows one name, which must be that of a directory, or of a link to one.
func (w *walker) step() error {
	name := w.rest[0]
	fd, err := unix.Openat(w.at, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT && w.makes {
		fd, err = w.make(name)
	}
	if err != nil {
		return err
	}
	w.rest = w.rest[1:]
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		w.enter(fd)
		return nil
	case unix.S_IFLNK:
		defer unix.Close(fd)
		return w.follow(name, fd)
	}
	unix.Close(fd)
	return unix.ENOTDIR
}

func (w *walker) make(name string) (int, error) {
	if err := unix.Mkdirat(w.at, name, dirPerm); err != nil && err != unix.EEXIST {
		return -1, err
	}
	fd, err := unix.Openat(w.at, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err == nil {
		err = restrict(fd)
	}
	return fd, err
}

// follow goes on where a link points to.
func (w *walker) follow(name string, link int) error {
	if w.isSticky() {
		return errStickyLink
	}
	if w.links++; w.links > maxLinks {
		return unix.ELOOP
	}
	var kind unix.Statfs_t
	if err := unix.Fstatfs(link, &kind); err == nil && kind.Type == unix.PROC_SUPER_MAGIC { // what it says need not be a path
		fd, err := unix.Openat(w.at, name, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err == nil {
			w.enter(fd)
		}
		return err
	}
	target := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(link, "", target)
	if err != nil {
		return err
	}
	if target = target[:n]; !filepath.IsAbs(string(target)) {
		w.rest = append(names(string(target)), w.rest...)
		return nil
	}
	before := w.at
	defer unix.Close(before)
	return w.begin(string(target))
}

// isSticky tells whether the directory is one in which others may make files, and nobody may remove those of others.
func (w *walker) isSticky() bool {
	var st unix.Stat_t
	return unix.Fstat(w.at, &st) != nil || st.Mode&unix.S_ISVTX != 0 && st.Mode&0o022 != 0
}

// output opens a file to write it.
func (w *walker) output(path string, flags int) (*os.File, error) {
	if path == "" {
		return nil, unix.ENOENT
	}
	if err := w.begin(path); err != nil {
		return nil, err
	}
	defer func() { unix.Close(w.at) }()
	for {
		for len(w.rest) > 1 {
			if err := w.step(); err != nil {
				return nil, err
			}
		}
		name := w.rest[0]
		if !isLink(w.at, name) {
			return w.last(path, name, flags|unix.O_NOFOLLOW)
		}
		link, err := unix.Openat(w.at, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		var kind unix.Statfs_t
		if err := unix.Fstatfs(link, &kind); err == nil && kind.Type == unix.PROC_SUPER_MAGIC { // as /dev/stdout is in the end
			unix.Close(link)
			return w.last(path, name, flags)
		}
		w.rest = nil
		err = w.follow(name, link)
		unix.Close(link)
		if err != nil {
			return nil, err
		}
	}
}

// last opens the file itself.
func (w *walker) last(path, name string, flags int) (*os.File, error) {
	if err := w.check(name); err != nil {
		return nil, err
	}
	fd, err := unix.Openat(w.at, name, flags|unix.O_CREAT|unix.O_CLOEXEC|unix.O_NOCTTY, filePerm)
	for err == unix.EINTR {
		fd, err = unix.Openat(w.at, name, flags|unix.O_CREAT|unix.O_CLOEXEC|unix.O_NOCTTY, filePerm)
	}
	if err != nil {
		return nil, err
	}
	var st, dir unix.Stat_t
	if w.isSticky() && (unix.Fstat(fd, &st) != nil || unix.Fstat(w.at, &dir) != nil || isForeign(&st, &dir)) {
		unix.Close(fd)
		return nil, errStickyFile
	}
	return os.NewFile(uintptr(fd), path), nil
}

// check looks at the file before it is opened: to open what is no file may take forever.
func (w *walker) check(name string) error {
	var st, dir unix.Stat_t
	if !w.isSticky() || unix.Fstatat(w.at, name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return nil
	}
	if unix.Fstat(w.at, &dir) != nil || isForeign(&st, &dir) {
		return errStickyFile
	}
	return nil
}

// isForeign tells whether a file is neither this user's nor that of the directory's owner.
func isForeign(st, dir *unix.Stat_t) bool {
	return int(st.Uid) != os.Geteuid() && st.Uid != dir.Uid
}
