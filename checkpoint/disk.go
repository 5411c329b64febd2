package checkpoint

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"ampirun/internal/safefile"
)

// disk is what a store does to its directory. Tests put one in that fails.
type disk interface {
	Mkdir(in *safefile.Dir, name string) (*safefile.Dir, error)
	Create(in *safefile.Dir, name string, program bool) (output, error) // a new file, which may be run
	Link(from *safefile.Dir, name string, to *safefile.Dir) error
	Rename(in *safefile.Dir, from, to string) error
	RemoveAll(in *safefile.Dir, name string) error
	SyncDir(d *safefile.Dir) error // what was made, renamed or removed in a folder is safe
}

// output is a file being written.
type output interface {
	Write(p []byte) (int, error)
	Sync() error // until it is on the disk
	Close() error
}

// realDisk is the system's.
type realDisk struct{}

func (realDisk) Mkdir(in *safefile.Dir, name string) (*safefile.Dir, error) { return in.Mkdir(name) }
func (realDisk) Link(from *safefile.Dir, name string, to *safefile.Dir) error {
	return from.Link(name, to)
}
func (realDisk) Rename(in *safefile.Dir, from, to string) error { return in.Rename(from, to) }
func (realDisk) RemoveAll(in *safefile.Dir, name string) error  { return in.RemoveAll(name) }
func (realDisk) SyncDir(d *safefile.Dir) error                  { return d.Sync() }

// directAlign is what addresses, places and lengths of direct writes are multiples of.
const directAlign = 4096

func (realDisk) Create(in *safefile.Dir, name string, program bool) (output, error) {
	if f, err := in.Create(name, unix.O_DIRECT, program); err == nil {
		return &realOutput{file: f, direct: true}, nil
	}
	_ = in.Remove(name) // a file system without direct writes may have made it all the same
	f, err := in.Create(name, 0, program)
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
