package checkpoint

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// disk is what a store does to its directory. Tests put one in that fails.
type disk interface {
	Mkdir(path string) error
	Create(path string) (output, error) // a new file
	Link(from, to string) error
	Rename(from, to string) error
	RemoveAll(path string) error
	SyncDir(path string) error // what was made, renamed or removed in a folder is safe
}

// output is a file being written.
type output interface {
	Write(p []byte) (int, error)
	Sync() error // until it is on the disk
	Close() error
}

// realDisk is the system's.
type realDisk struct{}

func (realDisk) Mkdir(path string) error      { return os.Mkdir(path, 0o700) }
func (realDisk) Link(from, to string) error   { return os.Link(from, to) }
func (realDisk) Rename(from, to string) error { return os.Rename(from, to) }
func (realDisk) RemoveAll(path string) error  { return os.RemoveAll(path) }

func (realDisk) SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

// directAlign is what addresses, places and lengths of direct writes are multiples of.
const directAlign = 4096

func (realDisk) Create(path string) (output, error) {
	const flags = os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if f, err := os.OpenFile(path, flags|unix.O_DIRECT, 0o400); err == nil {
		return &realOutput{file: f, direct: true}, nil
	}
	_ = os.Remove(path) // a file system without direct writes may have made it all the same
	f, err := os.OpenFile(path, flags, 0o400)
	if err != nil {
		return nil, err
	}
	return &realOutput{file: f}, nil
}

// realOutput writes past the system's cache as long as what it is given is aligned: less work for processors, and what the
// program has read stays in the cache.
type realOutput struct {
	file         *os.File
	direct       bool
	end, flushed int64 // of what is written through the cache
}

func (o *realOutput) Write(p []byte) (int, error) {
	if o.direct && len(p)%directAlign == 0 {
		n, err := o.file.Write(p)
		if n > 0 || err == nil {
			o.end += int64(n)
			o.flushed = o.end
			return n, err
		}
		// The file system wants another alignment, or there is no room: what is below tells.
	}
	if o.direct {
		o.direct = false
		if _, err := unix.FcntlInt(o.file.Fd(), unix.F_SETFL, 0); err != nil {
			return 0, &fs.PathError{Op: "fcntl", Path: o.file.Name(), Err: err}
		}
	}
	n, err := o.file.Write(p)
	o.end += int64(n)
	o.flush()
	return n, err
}

// flushBytes is how much goes into the system's cache before it is told to write it to the disk.
const flushBytes = 4 << 20

// flush is a hint: where the file system knows nothing of it, Sync has more to do.
func (o *realOutput) flush() {
	if o.end-o.flushed >= flushBytes {
		_ = unix.SyncFileRange(int(o.file.Fd()), o.flushed, o.end-o.flushed, unix.SYNC_FILE_RANGE_WRITE)
		o.flushed = o.end
	}
}

func (o *realOutput) Sync() error {
	if err := unix.Fdatasync(int(o.file.Fd())); err != nil {
		return &fs.PathError{Op: "fdatasync", Path: o.file.Name(), Err: err}
	}
	return nil
}

func (o *realOutput) Close() error { return o.file.Close() }
