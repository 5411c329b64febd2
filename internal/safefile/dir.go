// Package safefile opens files where other users may have prepared something: beneath a directory that must be one user's (Dir), and under
// the names of outputs (Create).
package safefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// Modes of what a Dir makes, whatever the umask is.
const (
	filePerm    = 0o600
	ProgramPerm = 0o700 // of files that are to be run
	dirPerm     = 0o700
)

// Dir is a directory, held by a descriptor: whatever becomes of its path, names are looked up in it. They lead to nothing outside of it, no
// symbolic link is followed, and what belongs to somebody else than the directory is refused (*NotOwned). It may be used by several
// goroutines at a time.
type Dir struct {
	file  *os.File // O_PATH
	path  string
	owner uint32
}

// NotOwned is an error about a file that belongs to somebody else than the directory that it is in.
type NotOwned struct {
	Path         string
	Owner, Wants int // user ids
}

func (n *NotOwned) Error() string {
	return fmt.Sprintf("%s: it belongs to %s and not to %s", n.Path, UserName(n.Owner), UserName(n.Wants))
}

// UserName names a user for messages: by number, since to look names up the C library loads further libraries, on which checkpoints then depend.
func UserName(id int) string {
	if id == 0 {
		return "root"
	}
	return fmt.Sprintf("user %d", id)
}

// Open opens a directory, whoever it belongs to. No symbolic link is followed that lies in a sticky directory.
func Open(path string) (*Dir, error) { return openDir(path, false) }

// Make does that with a directory that it makes if it is not there, with those before it.
func Make(path string) (*Dir, error) { return openDir(path, true) }

func openDir(path string, makes bool) (*Dir, error) {
	w := walker{makes: makes}
	fd, err := w.directory(path)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	return newDir(fd, path)
}

func newDir(fd int, path string) (*Dir, error) {
	d := &Dir{file: os.NewFile(uintptr(fd), path), path: path}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		d.Close()
		return nil, d.failed("stat", "", err)
	}
	d.owner = st.Uid
	return d, nil
}

// Close gives the descriptor back.
func (d *Dir) Close() error { return d.file.Close() }

// FD is the descriptor (O_PATH), as long as the Dir is not closed.
func (d *Dir) FD() int { return int(d.file.Fd()) }

// Owner is the id of the user whom the directory belongs to, and IsOwn tells whether it is this process's.
func (d *Dir) Owner() int  { return int(d.owner) }
func (d *Dir) IsOwn() bool { return int(d.owner) == os.Geteuid() }

// Path is what a name in the directory is called in messages; that of "" is its own.
func (d *Dir) Path(name string) string {
	if name == "" {
		return d.path
	}
	return d.path + "/" + name
}

func (d *Dir) failed(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: d.Path(name), Err: err}
}

// with calls a function with the descriptor, which stays open meanwhile.
func (d *Dir) with(op, name string, do func(fd int) error) error {
	defer runtime.KeepAlive(d)
	if err := do(int(d.file.Fd())); err != nil {
		return d.failed(op, name, err)
	}
	return nil
}

// open opens what a name stands for; os.File has its path.
func (d *Dir) open(name string, flags int, perm uint32) (*os.File, error) {
	fd := -1
	err := d.with("open", name, func(dir int) (err error) {
		fd, err = beneath(dir, name, flags, perm)
		if errors.Is(err, unix.ELOOP) {
			err = errLink
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), d.Path(name)), nil
}

var (
	errLink    = errors.New("it is a symbolic link, which is not followed here: remove it, or name what it stands for")
	errRegular = errors.New("it is no regular file")
	errLinked  = errors.New("it is a file that has other names, too (hard links): remove this one")
)

// regular opens a file that belongs to the directory's owner.
func (d *Dir) regular(name string, flags int, perm uint32) (f *os.File, st unix.Stat_t, err error) {
	f, err = d.open(name, flags|unix.O_NONBLOCK|unix.O_NOCTTY, perm) // nothing waits in opening what is no file
	if err != nil {
		return nil, st, err
	}
	switch err = unix.Fstat(int(f.Fd()), &st); {
	case err != nil:
		err = d.failed("stat", name, err)
	case st.Uid != d.owner:
		err = &NotOwned{d.Path(name), int(st.Uid), int(d.owner)}
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		err = d.failed("open", name, errRegular)
	}
	if err != nil {
		f.Close()
		return nil, st, err
	}
	return f, st, nil
}

// Open opens a file to read it.
func (d *Dir) Open(name string) (*os.File, error) {
	f, _, err := d.regular(name, unix.O_RDONLY, 0)
	return f, err
}

// ReadFile reads a file.
func (d *Dir) ReadFile(name string) ([]byte, error) {
	f, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Create makes a file to write it; flags may have O_DIRECT. program says that it is to be run.
func (d *Dir) Create(name string, flags int, program bool) (*os.File, error) {
	perm := uint32(filePerm)
	if program {
		perm = ProgramPerm
	}
	return d.make(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|flags, perm)
}

// OpenShared opens a file to read and write it, as others do at the same time, and makes it if it is not there.
func (d *Dir) OpenShared(name string) (*os.File, error) {
	return d.make(name, unix.O_RDWR|unix.O_CREAT, filePerm)
}

func (d *Dir) make(name string, flags int, perm uint32) (*os.File, error) {
	f, st, err := d.regular(name, flags, perm)
	if err != nil {
		return nil, err
	}
	if st.Nlink > 1 {
		err = d.failed("open", name, errLinked)
	} else if st.Mode&0o777 != perm {
		err = f.Chmod(fs.FileMode(perm))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Mkdir makes a directory and opens it.
func (d *Dir) Mkdir(name string) (*Dir, error) {
	err := d.with("mkdir", name, func(fd int) error { return unix.Mkdirat(fd, name, dirPerm) })
	if err != nil {
		return nil, err
	}
	return d.restricted(name)
}

// MakeSub opens a directory that is made if it is not there. One that is there loses the rights that others had.
func (d *Dir) MakeSub(name string) (*Dir, error) {
	sub, err := d.Mkdir(name)
	if !errors.Is(err, fs.ErrExist) {
		return sub, err
	}
	return d.restricted(name)
}

// restricted opens a directory and gives it its mode.
func (d *Dir) restricted(name string) (*Dir, error) {
	sub, err := d.Sub(name)
	if err != nil {
		return nil, err
	}
	if err := sub.with("chmod", "", restrict); err != nil {
		sub.Close()
		return nil, err
	}
	return sub, nil
}

// Sub opens a directory in this one.
func (d *Dir) Sub(name string) (*Dir, error) {
	f, err := d.open(name, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		f.Close()
		return nil, d.failed("stat", name, err)
	}
	if st.Uid != d.owner {
		f.Close()
		return nil, &NotOwned{d.Path(name), int(st.Uid), int(d.owner)}
	}
	return &Dir{file: f, path: d.Path(name), owner: st.Uid}, nil
}

// restrict gives a directory its mode. A descriptor of this kind (O_PATH) can be had of one that a umask has closed to its owner.
func restrict(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&0o777 == dirPerm {
		return err
	}
	return unix.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), dirPerm)
}

// readable opens the directory itself to read it, or to make safe what is in it.
func (d *Dir) readable() (*os.File, error) {
	fd := -1
	err := d.with("open", "", func(dir int) (err error) {
		fd, err = unix.Openat(dir, ".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), d.path), nil
}

// Names are those of what is in the directory, sorted.
func (d *Dir) Names() ([]string, error) {
	f, err := d.readable()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// Sync waits until what was made, renamed or removed in the directory is on the disk.
func (d *Dir) Sync() error {
	f, err := d.readable()
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// stat looks at what a name stands for itself.
func (d *Dir) stat(name string) (st unix.Stat_t, err error) {
	err = d.with("stat", name, func(fd int) error { return unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return st, err
}

// Size is the size of a file, in bytes.
func (d *Dir) Size(name string) (int64, error) {
	st, err := d.stat(name)
	switch {
	case err != nil:
		return 0, err
	case st.Uid != d.owner:
		return 0, &NotOwned{d.Path(name), int(st.Uid), int(d.owner)}
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return 0, d.failed("open", name, errRegular)
	}
	return st.Size, nil
}

// HasDir tells whether a name is that of a directory, whoever it belongs to.
func (d *Dir) HasDir(name string) bool {
	st, err := d.stat(name)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
}

// Owns tells whether what a name stands for belongs to the directory's owner.
func (d *Dir) Owns(name string) bool {
	st, err := d.stat(name)
	return err == nil && st.Uid == d.owner
}

// Link gives a file of this directory the same name in another one.
func (d *Dir) Link(name string, to *Dir) error {
	defer runtime.KeepAlive(to)
	return d.with("link", name, func(fd int) error { return unix.Linkat(fd, name, int(to.file.Fd()), name, 0) })
}

// Rename gives something another name in the directory. A directory of the new name is replaced only if it is empty.
func (d *Dir) Rename(from, to string) error {
	return d.with("rename", from, func(fd int) error { return unix.Renameat(fd, from, fd, to) })
}

// Remove removes a file.
func (d *Dir) Remove(name string) error {
	return d.with("remove", name, func(fd int) error { return unix.Unlinkat(fd, name, 0) })
}

// RemoveAll removes a directory with all that is in it; it is no error if it is not there.
func (d *Dir) RemoveAll(name string) error {
	return d.with("remove", name, func(fd int) error {
		root, err := os.OpenRoot(fmt.Sprintf("/proc/self/fd/%d", fd))
		if err != nil {
			return err
		}
		defer root.Close()
		return root.RemoveAll(name)
	})
}

// beneath opens a name that may have slashes, in a directory: as openat2 does, or where a kernel or a filter of system calls has none,
// step by step.
func beneath(dir int, name string, flags int, perm uint32) (int, error) {
	how := &unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC | unix.O_NOFOLLOW), Mode: uint64(perm),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	for {
		fd, err := unix.Openat2(dir, name, how)
		switch {
		case err == unix.EINTR || err == unix.EAGAIN: // something was renamed meanwhile
			continue
		case err == unix.ENOSYS || err == unix.EPERM:
			return stepwise(dir, name, flags, perm)
		case err == unix.ENOTDIR && flags&unix.O_DIRECTORY != 0 && isLink(dir, name):
			err = unix.ELOOP
		}
		return fd, err
	}
}

// stepwise opens a name without openat2.
func stepwise(dir int, name string, flags int, perm uint32) (int, error) {
	names := strings.Split(name, "/")
	at := dir
	for i, n := range names {
		if n == "" || n == ".." {
			return -1, unix.EXDEV
		}
		last := i == len(names)-1
		f, p := unix.O_PATH|unix.O_DIRECTORY, uint32(0)
		if last {
			f, p = flags, perm
		}
		next, err := unix.Openat(at, n, f|unix.O_NOFOLLOW|unix.O_CLOEXEC, p)
		for err == unix.EINTR {
			next, err = unix.Openat(at, n, f|unix.O_NOFOLLOW|unix.O_CLOEXEC, p)
		}
		if err == unix.ENOTDIR && isLink(at, n) {
			err = unix.ELOOP
		}
		if err == nil && f&unix.O_PATH != 0 && isLink(next, "") {
			unix.Close(next)
			err = unix.ELOOP
		}
		if at != dir {
			unix.Close(at)
		}
		if err != nil {
			return -1, err
		}
		at = next
	}
	return at, nil
}

// isLink tells whether a name, or with "" a descriptor (O_PATH), is that of a symbolic link.
func isLink(dir int, name string) bool {
	var st unix.Stat_t
	err := unix.Fstatat(dir, name, &st, unix.AT_SYMLINK_NOFOLLOW|unix.AT_EMPTY_PATH)
	return err == nil && st.Mode&unix.S_IFMT == unix.S_IFLNK
}
