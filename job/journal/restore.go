package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/vrank"
)

// restore gives the files that ranks had open the names that they had then; made are identities of those that ranks have made since. A file
// whose name cannot be had is opened without it. What went wrong is returned in lines.
func (h *retained) restore(open Files, made map[string]bool) (said []string) {
	if h == nil {
		return nil
	}
	others := map[vrank.Retained]string{} // of those that have been looked at
	open.eachRetained(func(name vrank.Retained, f *vrank.File) {
		f.Other = ""
		file := h.files[name]
		if file == nil {
			return // the rank looks for it where it was
		}
		other, done := others[name]
		if !done {
			if err := file.restore(name.Path, made); err != nil {
				other = fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), file.fd)
				said = append(said, fmt.Sprintf("%s, which ranks had open, cannot be put back: %v; they have it open all the same", name.Path, err))
			}
			others[name] = other
		}
		f.Other = other
	})
	return said
}

// restore makes path a name of the file again.
func (f *retainedFile) restore(path string, made map[string]bool) error {
	now, err := statx(path)
	switch {
	case err == nil && objectOf(&now) == f.object:
		return nil
	case err == nil && !made[identity(&now)]:
		return errors.New("another file has its name")
	case err == nil:
		err = os.Remove(path)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	}
	if err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Fstat(f.fd, &st); err != nil {
		return err
	}
	moved, ok := f.nameNow()
	if st.Nlink > 0 && ok {
		return renameBack(moved, path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil { // it went with the file, perhaps
		return err
	}
	if st.Nlink == 0 {
		return f.copyTo(path, &st)
	}
	return unix.Linkat(unix.AT_FDCWD, f.link(), unix.AT_FDCWD, path, unix.AT_SYMLINK_FOLLOW)
}

// link is the name by which this process's descriptor can be opened.
func (f *retainedFile) link() string { return fmt.Sprintf("/proc/self/fd/%d", f.fd) }

// nameNow is the name that the file was given in place of the one that it had; false if that was removed.
func (f *retainedFile) nameNow() (string, bool) {
	name, err := os.Readlink(f.link())
	if err != nil || strings.HasSuffix(name, " (deleted)") {
		return "", false
	}
	st, err := statx(name)
	return name, err == nil && objectOf(&st) == f.object
}

// renameBack renames a file, or the directory that has another name since, with what is in it.
func renameBack(now, path string) error {
	for filepath.Base(now) == filepath.Base(path) {
		if _, err := os.Lstat(filepath.Dir(path)); err == nil {
			break
		}
		now, path = filepath.Dir(now), filepath.Dir(path)
	}
	return os.Rename(now, path)
}

// copyTo makes a file that is like this one, which has no name any more, and keeps that from now on.
func (f *retainedFile) copyTo(path string, st *unix.Stat_t) error {
	from, err := os.Open(f.link())
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer to.Close()
	kept := -1
	if err = copySparse(to, from, st.Size); err == nil {
		kept, err = likeness(to, path, st)
	}
	if err != nil {
		os.Remove(path)
		return err
	}
	var now unix.Stat_t
	if err := unix.Fstat(kept, &now); err != nil {
		return err
	}
	unix.Close(f.fd)
	f.fd, f.object = kept, vrank.Object{Device: now.Dev, Inode: now.Ino}
	return nil
}

// likeness gives a new file the owner, mode and times of an old one, and returns a descriptor to hold it by.
func likeness(to *os.File, path string, st *unix.Stat_t) (int, error) {
	if int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid() {
		if err := to.Chown(int(st.Uid), int(st.Gid)); err != nil {
			return -1, err
		}
	}
	if err := unix.Fchmod(int(to.Fd()), st.Mode&0o7777); err != nil {
		return -1, err
	}
	if err := os.Chtimes(path, time.Unix(st.Atim.Unix()), time.Unix(st.Mtim.Unix())); err != nil {
		return -1, err
	}
	return unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// copySparse copies what there is of a file of some size; its holes stay holes.
func copySparse(to, from *os.File, size int64) error {
	if err := to.Truncate(size); err != nil {
		return err
	}
	for at := int64(0); at < size; {
		begin, err := unix.Seek(int(from.Fd()), at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) {
			return nil
		}
		if err != nil {
			return err
		}
		if at, err = unix.Seek(int(from.Fd()), begin, unix.SEEK_HOLE); err != nil {
			return err
		}
		if _, err = from.Seek(begin, io.SeekStart); err == nil {
			_, err = to.Seek(begin, io.SeekStart)
		}
		if err == nil {
			_, err = io.CopyN(to, from, at-begin)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func objectOf(st *unix.Statx_t) vrank.Object {
	return vrank.Object{Device: unix.Mkdev(st.Dev_major, st.Dev_minor), Inode: st.Ino}
}

// identity is what notes of opened files tell a file by.
func identity(st *unix.Statx_t) string {
	return fmt.Sprintf("%d:%d %d %d.%d", st.Dev_major, st.Dev_minor, st.Ino, st.Btime.Sec, st.Btime.Nsec)
}
