package vrank

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// onlyAtFirst are flags that say how a file is made, not how it is open.
const onlyAtFirst = unix.O_CREAT | unix.O_EXCL | unix.O_TRUNC | unix.O_TMPFILE

// openFiles gives a rank its descriptors as they were: same numbers, same places in the same files, what was in pipes in them again.
func openFiles(list []File) error {
	done := make([]bool, len(list))
	for i := range list {
		if done[i] {
			continue
		}
		err := list[i].openAgain(list[i:], func(k int) { done[i+k] = true })
		if err != nil {
			return err
		}
	}
	for i := range list { // what is watched is there now
		if err := list[i].watchAgain(); err != nil {
			return err
		}
	}
	return nil
}

// openAgain opens the first of a list, and those that can only be opened with it: it tells their places in the list.
func (f *File) openAgain(list []File, done func(int)) error {
	if f.Same != 0 {
		return f.take(f.Same)
	}
	switch f.Kind {
	case FileRemoved, FileMemory:
		return f.makeAgain(list, done)
	case FilePipe:
		return f.makePipe(list, done)
	case FileSocket:
		return f.makeSockets(list, done)
	case FileEvent:
		return f.makeEvent()
	case FileTimer:
		return f.makeTimer()
	case FileSignal:
		return f.makeSignals()
	case FilePoll:
		return f.makePoll()
	}
	fd, err := f.open()
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(fd)
	if err := f.restore(fd); err != nil {
		return err
	}
	return f.take(fd)
}

// open opens it by its name, or by another one that whoever keeps it has given it: a link of /proc, which O_NOFOLLOW would not follow.
func (f *File) open() (int, error) {
	flags := f.Flags&^onlyAtFirst | unix.O_CLOEXEC
	if f.Other != "" {
		return unix.Open(f.Other, flags&^unix.O_NOFOLLOW, 0)
	}
	return unix.Open(f.Path, flags, 0)
}

// shareObject gives all of the list that have the first one's object a descriptor of it.
func (f *File) shareObject(fd int, list []File, done func(int)) error {
	for i := range list {
		if other := &list[i]; other.Object == f.Object && other.Same == 0 {
			if err := other.openOf(fd); err != nil {
				return err
			}
			done(i)
		}
	}
	return nil
}

// openOf opens what fd is once more, as f was.
func (f *File) openOf(fd int) error {
	own, err := unix.Open(ownLink(fd), f.Flags&^onlyAtFirst&^unix.O_DIRECT&^unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(own)
	if f.Flags&unix.O_DIRECT != 0 {
		if _, err := unix.FcntlInt(uintptr(own), unix.F_SETFL, f.Flags&^unix.O_CLOEXEC); err != nil {
			return f.cannot(err)
		}
	}
	if f.Kind != FilePipe {
		if _, err := unix.Seek(own, f.Offset, unix.SEEK_SET); err != nil {
			return f.cannot(err)
		}
	}
	if err := f.lockAgain(own); err != nil {
		return err
	}
	return f.take(own)
}

// patiently tries again while something is in use: by processes of a job that was killed just now, perhaps.
func patiently(try func() error) error {
	const patience, pause = 5 * time.Second, 10 * time.Millisecond
	err := try()
	for until := time.Now().Add(patience); errors.Is(err, unix.EAGAIN) && time.Now().Before(until); err = try() {
		time.Sleep(pause)
	}
	if errors.Is(err, unix.EAGAIN) {
		return errors.New("another process uses it")
	}
	return err
}

func (f *File) cannot(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s, which it had open, is not there any more", f.Path)
	}
	return fmt.Errorf("open %s again, which it had open: %w", f.Path, err)
}

// restore checks that fd is what the rank had, and puts it where it was. What was added to a file that the rank writes is cut off: the
// rank will write it again.
func (f *File) restore(fd int) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return f.cannot(err)
	}
	kinds := map[string]uint32{FileRegular: unix.S_IFREG, FileDirectory: unix.S_IFDIR, FileDevice: unix.S_IFCHR}
	if st.Mode&unix.S_IFMT != kinds[f.Kind] {
		return fmt.Errorf("%s, which it had open, is no %s any more", f.Path, f.Kind)
	}
	if f.Flags&unix.O_PATH != 0 || f.Kind == FileDevice {
		return nil
	}
	if f.Kind == FileRegular && st.Size < f.Size {
		return fmt.Errorf("%s, which it had open, has %d bytes, and had %d when the checkpoint was made: take an earlier or later checkpoint that fits it, or put the file back",
			f.Path, st.Size, f.Size)
	}
	if f.Kind == FileRegular && f.Flags&unix.O_ACCMODE != unix.O_RDONLY && st.Size > f.Size {
		if err := unix.Ftruncate(fd, f.Size); err != nil {
			return fmt.Errorf("cut %s back to %d bytes: %w", f.Path, f.Size, err)
		}
	}
	if f.Kind == FileDirectory { // ext4 begins to read only at the first call, and when that was at the end it never finds the beginning again
		var entries [4096]byte
		if _, err := unix.ReadDirent(fd, entries[:]); err != nil {
			return f.cannot(err)
		}
	}
	if _, err := unix.Seek(fd, f.Offset, unix.SEEK_SET); err != nil {
		return f.cannot(err)
	}
	return f.lockAgain(fd)
}

// take gives the open file its number.
func (f *File) take(fd int) error {
	how := unix.F_DUPFD
	if f.Flags&unix.O_CLOEXEC != 0 {
		how = unix.F_DUPFD_CLOEXEC
	}
	got, err := unix.FcntlInt(uintptr(fd), how, f.Number)
	if err != nil {
		return fmt.Errorf("give %s the number %d (see ulimit -n): %w", f.Path, f.Number, err)
	}
	if got != f.Number {
		unix.Close(got)
		return fmt.Errorf("give %s the number %d: it is in use in this process", f.Path, f.Number)
	}
	return nil
}

// ---- files without a name ----

// memory is what names of files in memory begin with.
const memory = "/memfd:"

// keepRemoved copies the bytes of a file that nobody could open again into the rank's slice.
func (r *rank) keepRemoved(f *File) error {
	if err := f.keepLocks(); err != nil {
		return err
	}
	data := r.room(f)
	if data == nil {
		return fmt.Errorf("it has %s open, and its slice has no room for the %d bytes in it: raise +slice", f.Path, f.Size)
	}
	if strings.HasPrefix(f.Path, memory) {
		f.Seals, _ = unix.FcntlInt(uintptr(f.Number), unix.F_GET_SEALS, 0)
	}
	fd, err := unix.Open(ownLink(f.Number), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("read %s, which it has open: %w", f.Path, err)
	}
	defer unix.Close(fd)
	for at := 0; at < len(data); {
		n, err := unix.Pread(fd, data[at:], int64(at))
		if n <= 0 {
			return fmt.Errorf("read %s, which it has open: %v", f.Path, err)
		}
		at += n
	}
	return nil
}

// makeAgain makes a file without a name, with what it held, for all that had it open.
func (f *File) makeAgain(list []File, done func(int)) error {
	fd, err := f.makeNameless()
	if err == nil && f.Kind == FileMemory {
		err = unix.Ftruncate(fd, f.Size)
	}
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(fd)
	for data, at := f.content(), 0; at < len(data); {
		n, err := unix.Pwrite(fd, data[at:], int64(at))
		if err != nil {
			return fmt.Errorf("make %s again, which it had open: %w", f.Path, err)
		}
		at += n
	}
	if err := f.shareObject(fd, list, done); err != nil || f.Seals == 0 {
		return err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, f.Seals); err != nil {
		return fmt.Errorf("seal %s again: %w", f.Path, err)
	}
	return nil
}

// makeNameless makes an empty file where it was, with its name if it had one, or in memory, if it was there, or the directory is gone, or its
// file system knows no such files.
func (f *File) makeNameless() (int, error) {
	if f.Kind == FileMemory {
		return unix.Open(f.Path, unix.O_RDWR|unix.O_CREAT|unix.O_CLOEXEC|unix.O_NOFOLLOW, f.Mode)
	}
	if !strings.HasPrefix(f.Path, memory) {
		if fd, err := unix.Open(filepath.Dir(f.Path), unix.O_RDWR|unix.O_TMPFILE|unix.O_CLOEXEC, 0o600); err == nil {
			return fd, nil
		}
	}
	return unix.MemfdCreate(strings.TrimPrefix(f.Path, memory), unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
}
