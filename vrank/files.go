package vrank

import (
	"fmt"
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
	Other  string `json:",omitempty"` // by what it is opened in place of Path, which is not its name any more
	Flags  int    // as F_GETFL has them, with O_CLOEXEC
	Kind   string // FileRegular and kin
	Offset int64  // of the next read or write, in bytes; -1: it has none
	Size   int64  // of a regular file, and of what waits in a pipe or socket, in bytes
	Same   int    // the number of another one of the rank that is the same open file; 0: none
	Object Object // of regular files, pipes and sockets; those without a name by which they could be opened again are opened together

	// Of what nobody could open again: where in the slice its bytes are while the job is frozen.
	Content uint64 `json:",omitempty"`

	Seals   int        `json:",omitempty"` // of a file in memory
	Mode    uint32     `json:",omitempty"` // of shared memory and pipes
	Locks   []Lock     `json:",omitempty"`
	Pipe    *Pipe      `json:",omitempty"`
	Socket  *Socket    `json:",omitempty"`
	Counter *Counter   `json:",omitempty"`
	Timer   *TimerFile `json:",omitempty"`
	Mask    uint64     `json:",omitempty"` // of a signalfd
	Watch   []Watch    `json:",omitempty"` // of an epoll
}

// Object is what the kernel calls a file by.
type Object struct{ Device, Inode uint64 }

// The kinds of files that can be opened again.
const (
	FileRegular   = "file"
	FileDirectory = "directory"
	FileDevice    = "device"  // without a state: /dev/null and its like
	FileRemoved   = "removed" // regular, without a name: its bytes are saved with the rank
	FileMemory    = "memory"  // shared memory (/dev/shm) that nobody else has: likewise
	FilePipe      = "pipe"    // with or without a name; what waits in it is saved with the rank
	FileSocket    = "socket"  // one of a pair; likewise
	FileEvent     = "eventfd"
	FileTimer     = "timerfd"
	FileSignal    = "signalfd"
	FilePoll      = "epoll"
)

var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// files describes the descriptors of a rank, or says why one of them cannot be; dropContents has to follow in any case.
func (r *rank) files(all *holders) (list []File, why string) {
	for _, fd := range r.descriptors() {
		f, err := describeFile(fd)
		if err == nil {
			f.Same, err = sameIn(list, &f)
		}
		list = append(list, f)
		if err != nil {
			return list, err.Error()
		}
	}
	for i := range list {
		if err := all.check(list, &list[i]); err != nil {
			return list, err.Error()
		}
	}
	for i := range list {
		if err := r.keepState(list, i); err != nil {
			return list, err.Error()
		}
	}
	return list, ""
}

// sameIn is the number of one of the list that is the same open file; 0: none. There may be hundreds of copies of one.
func sameIn(list []File, f *File) (int, error) {
	for _, other := range list {
		if other.Same != 0 || other.Path != f.Path {
			continue
		}
		if same, err := isSameOpenFile(os.Getpid(), other.Number, f.Number); same || err != nil {
			return other.Number, err
		}
	}
	return 0, nil
}

// keepState notes what the kernel alone has of a file. Nobody else has it open.
func (r *rank) keepState(list []File, i int) error {
	f := &list[i]
	switch {
	case f.Same != 0:
		return nil
	case (f.Kind == FileRemoved || f.Kind == FileMemory) && isFirst(list, i):
		return r.keepRemoved(f)
	case f.Kind == FilePipe && isFirst(list, i):
		return r.keepPipe(list, f)
	case f.Kind == FileSocket:
		return r.keepSocket(list, f)
	case f.Kind == FileEvent:
		return f.keepEvent()
	case f.Kind == FileTimer:
		return f.keepTimer()
	case f.Kind == FileSignal:
		return f.keepMask()
	case f.Kind == FilePoll:
		return f.keepWatches(list)
	case f.Kind == FileRegular:
		return f.keepLocks()
	}
	return nil
}

// isFirst tells whether none before has the same object.
func isFirst(list []File, i int) bool {
	return !slices.ContainsFunc(list[:i], func(f File) bool { return f.Object == list[i].Object })
}

// room is memory of the rank's slice for the bytes of a file, until dropContents; nil when there is none.
func (r *rank) room(f *File) []byte {
	to := r.memory(uint64(f.Size) + 1)
	if to == nil {
		return nil
	}
	f.Content = uint64(uintptr(to))
	return f.content()
}

// roomForUnread is room for what waits in a pipe or socket; none when nothing does.
func (r *rank) roomForUnread(f *File) ([]byte, error) {
	n, err := unix.IoctlGetInt(f.Number, unix.TIOCINQ)
	if err != nil || n == 0 {
		return nil, err
	}
	f.Size = int64(n)
	data := r.room(f)
	if data == nil {
		return nil, fmt.Errorf("its slice has no room for the %d bytes in a %s: raise +slice", n, f.Kind)
	}
	return data, nil
}

func (f *File) content() []byte { return bytesAt(at(uintptr(f.Content)), uint64(f.Size)) }

// dropContents frees what room has given.
func (r *rank) dropContents(files []File) {
	for _, f := range files {
		r.free(at(uintptr(f.Content)))
	}
}

// describeFile says what a descriptor is. The error is the reason why its rank cannot be saved.
func describeFile(fd int) (File, error) {
	f := File{Number: fd}
	var st unix.Stat_t
	var err error
	if f.Path, err = os.Readlink(ownLink(fd)); err == nil {
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
		f.Kind, f.Size, f.Object = FileRegular, st.Size, Object{st.Dev, st.Ino}
		f.Offset, _ = unix.Seek(fd, 0, unix.SEEK_CUR)
		if st.Nlink == 0 {
			f.Kind, f.Path = FileRemoved, strings.TrimSuffix(f.Path, deleted)
			break
		}
		if f.Path, err = nameNow(f.Path, &st); err != nil {
			return f, fmt.Errorf("its descriptor %d: %w: checkpoints have to wait until it is closed", fd, err)
		}
		if strings.HasPrefix(f.Path, sharedMemory) {
			f.Kind, f.Mode = FileMemory, st.Mode&0o777
		}
	case unix.S_IFDIR:
		f.Kind = FileDirectory
		f.Offset, _ = unix.Seek(fd, 0, unix.SEEK_CUR)
	case unix.S_IFCHR:
		f.Kind = FileDevice
		if !slices.Contains(devices, f.Path) {
			return f, fmt.Errorf("its descriptor %d is the device %s: checkpoints have to wait until it is closed", fd, f.Path)
		}
	case unix.S_IFIFO:
		f.Kind, f.Object, f.Mode = FilePipe, Object{st.Dev, st.Ino}, st.Mode&0o777
	case unix.S_IFSOCK:
		f.Kind, f.Object = FileSocket, Object{st.Dev, st.Ino}
	default:
		if f.Kind = kernelObjects[f.Path]; f.Kind == "" {
			return f, f.unfit()
		}
	}
	return f, nil
}

// sharedMemory is where memory that processes share has names.
const sharedMemory = "/dev/shm/"

// nameNow finds the name of a file that had another one when it was opened, in the same directory, as the C library makes semaphores.
func nameNow(path string, st *unix.Stat_t) (string, error) {
	old, gone := strings.CutSuffix(path, deleted)
	var now unix.Stat_t
	if !gone || unix.Lstat(path, &now) == nil {
		return path, nil
	}
	dir := filepath.Dir(old)
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if unix.Lstat(name, &now) == nil && now.Dev == st.Dev && now.Ino == st.Ino {
			return name, nil
		}
	}
	return path, fmt.Errorf("the file that was %s has a name that is not known", old)
}

// deleted is what /proc adds to the names of files that were removed.
const deleted = " (deleted)"

// kernelObjects are those without a file that can be made again, by what /proc says of them.
var kernelObjects = map[string]string{
	"anon_inode:[eventfd]":   FileEvent,
	"anon_inode:[timerfd]":   FileTimer,
	"anon_inode:[signalfd]":  FileSignal,
	"anon_inode:[eventpoll]": FilePoll,
}

// unfit is the reason that is given for what cannot be opened again.
func (f *File) unfit() error {
	return fmt.Errorf("its descriptor %d is %s, which cannot be opened again: checkpoints have to wait until it is closed", f.Number, nameOf(f.Path))
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
	return link
}

// ownLink is the name by which this process's descriptor can be looked at, and opened once more.
func ownLink(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// facts is what /proc knows of a descriptor, line by line: a name, and what follows it.
func facts(fd int, visit func(name, value string) error) error {
	if err := factsOf("/proc/self/fdinfo/"+strconv.Itoa(fd), visit); err != nil {
		return fmt.Errorf("its descriptor %d: %w", fd, err)
	}
	return nil
}

// factsOf is the same for a file of /proc.
func factsOf(path string, visit func(name, value string) error) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("nothing is known of it: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		if err := visit(strings.TrimSpace(name), strings.TrimSpace(value)); err != nil {
			return err
		}
	}
	return nil
}
