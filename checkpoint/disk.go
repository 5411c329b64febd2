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
	Flush(at, size int64) // lets the system begin to write a part to the disk
	Sync() error          // until it is there
	Close() error
}

// realDisk is the system's.
type realDisk struct{}

func (realDisk) Mkdir(path string) error      { return os.Mkdir(path, 0o700) }
func (realDisk) Link(from, to string) error   { return os.Link(from, to) }
func (realDisk) Rename(from, to string) error { return os.Rename(from, to) }
func (realDisk) RemoveAll(path string) error  { return os.RemoveAll(path) }

func (realDisk) Create(path string) (output, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	return realOutput{f}, nil
}

func (realDisk) SyncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

type realOutput struct{ *os.File }

// Flush is a hint: where the file system knows nothing of it, Sync has more to do.
func (o realOutput) Flush(at, size int64) {
	_ = unix.SyncFileRange(int(o.Fd()), at, size, unix.SYNC_FILE_RANGE_WRITE)
}

func (o realOutput) Sync() error {
	if err := unix.Fdatasync(int(o.Fd())); err != nil {
		return &fs.PathError{Op: "fdatasync", Path: o.Name(), Err: err}
	}
	return nil
}
