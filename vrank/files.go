package vrank

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// File is an open descriptor of a rank, as far as it can be opened again elsewhere.
type File struct {
	Number int
	Path   string
	Flags  int    // as F_GETFL has them, with O_CLOEXEC
	Kind   string // FileRegular and kin
	Offset int64  // of the next read or write, in bytes
	Size   int64  // of a regular file, in bytes
	Same   int    // the number of another one of the rank that is the same open file; 0: none

	// Of a removed file: where in the slice its bytes are while the job is frozen.
	Content uintptr `json:",omitempty"`
}

// The kinds of files that can be opened again.
const (
	FileRegular   = "file"
	FileDirectory = "directory"
	FileDevice    = "device"  // without a state: /dev/null and its like
	FileRemoved   = "removed" // regular, without a name: its bytes are saved with the rank
)

var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// files describes the descriptors of a rank, or says why one of them cannot be; dropContents has to follow in any case.
func (r *rank) files() (list []File, why string) {
	for _, fd := range r.descriptors() {
		f, err := describeFile(fd)
		if err != nil {
			return list, err.Error()
		}
		for _, other := range list { // there may be hundreds of copies of one
			if f.Same == 0 && other.Same == 0 && other.Path == f.Path && isSameOpenFile(other.Number, fd) {
				f.Same = other.Number
			}
		}
		if f.Kind == FileRemoved && f.Same == 0 {
			err = r.keepContent(&f)
		}
		list = append(list, f)
		if err != nil {
			return list, err.Error()
		}
	}
	return list, ""
}

// keepContent copies the bytes of a file that nobody could open again into the rank's slice.
func (r *rank) keepContent(f *File) error {
	full := fmt.Errorf("it has a file open that was removed (%s), and its slice has no room for the %d bytes in it: raise +slice", f.Path, f.Size)
	to := r.memory(uint64(f.Size) + 1)
	if to == nil {
		return full
	}
	f.Content = uintptr(to)
	fd, err := unix.Open("/proc/self/fd/"+strconv.Itoa(f.Number), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("read %s, which was removed and it has open: %w", f.Path, err)
	}
	defer unix.Close(fd)
	for data, at := bytesAt(to, uint64(f.Size)), 0; at < len(data); {
		n, err := unix.Pread(fd, data[at:], int64(at))
		if n <= 0 {
			return fmt.Errorf("read %s, which was removed and it has open: %v", f.Path, err)
		}
		at += n
	}
	return nil
}

// dropContents frees what keepContent has taken.
func (r *rank) dropContents(files []File) {
	for _, f := range files {
		r.free(at(f.Content))
	}
}

// describeFile says what a descriptor is. The error is the reason why its rank cannot be saved.
func describeFile(fd int) (File, error) {
	f := File{Number: fd}
	var st unix.Stat_t
	var err error
	if f.Path, err = os.Readlink("/proc/self/fd/" + strconv.Itoa(fd)); err == nil {
		err = unix.Fstat(fd, &st)
	}
	if err == nil {
		f.Flags, err = unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	}
	if err != nil {
		return f, fmt.Errorf("nothing is known of its descriptor %d: %w", fd, err)
	}
	if own, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && own&unix.FD_CLOEXEC != 0 {
		f.Flags |= unix.O_CLOEXEC
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		f.Kind, f.Size = FileRegular, st.Size
		f.Offset, _ = unix.Seek(fd, 0, unix.SEEK_CUR)
		if st.Nlink == 0 {
			f.Kind, f.Path = FileRemoved, strings.TrimSuffix(f.Path, " (deleted)")
		}
	case unix.S_IFDIR:
		f.Kind = FileDirectory
		f.Offset, _ = unix.Seek(fd, 0, unix.SEEK_CUR)
	case unix.S_IFCHR:
		f.Kind = FileDevice
		if !slices.Contains(devices, f.Path) {
			return f, fmt.Errorf("its descriptor %d is the device %s: checkpoints have to wait until it is closed", fd, f.Path)
		}
	default:
		return f, fmt.Errorf("its descriptor %d is %s, which cannot be opened again: checkpoints have to wait until it is closed", fd, nameOf(f.Path))
	}
	return f, nil
}

// nameOf is what /proc says of a descriptor that is no file, in words: pipe:[4711], socket:[4711], anon_inode:[eventpoll].
func nameOf(link string) string {
	kind, rest, ok := strings.Cut(link, ":")
	switch {
	case kind == "anon_inode":
		return "an object of the kernel (" + strings.Trim(rest, "[]") + ")"
	case ok && rest != "" && rest[0] == '[':
		return "a " + kind
	}
	return "the pipe or socket " + link
}

// isSameOpenFile tells whether two descriptors share their offset. A kernel that does not tell has them apart.
func isSameOpenFile(a, b int) bool {
	const kcmpFile = 0
	pid := uintptr(os.Getpid())
	r, _, errno := unix.Syscall6(unix.SYS_KCMP, pid, pid, kcmpFile, uintptr(a), uintptr(b), 0)
	return errno == 0 && r == 0
}

// openAgain gives a rank a descriptor as it was: same number, same place in the same file.
func (f *File) openAgain() error {
	if f.Same != 0 {
		return f.take(f.Same)
	}
	if f.Kind == FileRemoved {
		return f.makeAgain()
	}
	fd, err := unix.Open(f.Path, f.Flags&^(unix.O_CREAT|unix.O_EXCL|unix.O_TRUNC)|unix.O_CLOEXEC, 0)
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(fd)
	if err := f.restore(fd); err != nil {
		return err
	}
	return f.take(fd)
}

// makeAgain makes a file without a name, with what it held.
func (f *File) makeAgain() error {
	how := f.Flags&^unix.O_ACCMODE | unix.O_RDWR | unix.O_CLOEXEC
	fd, err := unix.Open(filepath.Dir(f.Path), how|unix.O_TMPFILE, 0o600)
	if err != nil { // the directory is gone, or its file system knows no such files: memory will do
		fd, err = unix.MemfdCreate(filepath.Base(f.Path), unix.MFD_CLOEXEC)
	}
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(fd)
	for data, at := bytesAt(at(f.Content), uint64(f.Size)), 0; at < len(data); {
		n, err := unix.Pwrite(fd, data[at:], int64(at))
		if err != nil {
			return fmt.Errorf("make %s again, which it had open and removed: %w", f.Path, err)
		}
		at += n
	}
	if _, err := unix.Seek(fd, f.Offset, unix.SEEK_SET); err != nil {
		return f.cannot(err)
	}
	return f.take(fd)
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
	if _, err := unix.Seek(fd, f.Offset, unix.SEEK_SET); err != nil {
		return f.cannot(err)
	}
	return nil
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
