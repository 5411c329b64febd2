package vrank

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// Pipe is what a pipe has besides its bytes.
type Pipe struct {
	Capacity int   // bytes that it has room for
	Packets  []int `json:",omitempty"` // lengths of what comes out of it one by one; none of an ordinary pipe
	HasName  bool  // it is opened by its path
}

// maxPipe bounds what is read from a pipe at once: more than any has room for.
const maxPipe = 1 << 30

// keepPipe copies what waits in a pipe, which stays there.
func (r *rank) keepPipe(list []File, f *File) error {
	capacity, err := unix.FcntlInt(uintptr(f.Number), unix.F_GETPIPE_SZ, 0)
	if err != nil {
		return f.unfit()
	}
	f.Pipe = &Pipe{Capacity: capacity, HasName: strings.HasPrefix(f.Path, "/") && !strings.HasSuffix(f.Path, deleted)}
	data, err := r.roomForUnread(f)
	if len(data) == 0 {
		return err
	}
	if err := f.readAside(list, data); err != nil {
		return fmt.Errorf("read the pipe that is its descriptor %d: %w", f.Number, err)
	}
	return nil
}

// readAside has the kernel lay what is in the pipe into another one too, and reads that.
func (f *File) readAside(list []File, data []byte) error {
	from, err := unix.Open(ownLink(f.Number), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(from)
	var aside [2]int
	if err := unix.Pipe2(aside[:], unix.O_CLOEXEC|unix.O_NONBLOCK); err != nil {
		return err
	}
	defer unix.Close(aside[0])
	defer unix.Close(aside[1])
	if _, err := unix.FcntlInt(uintptr(aside[1]), unix.F_SETPIPE_SZ, f.Pipe.Capacity); err != nil {
		return err
	}
	n, err := unix.Tee(from, aside[1], maxPipe, unix.SPLICE_F_NONBLOCK)
	if err == nil && n != int64(len(data)) {
		err = fmt.Errorf("%d of %d bytes could be read", n, len(data))
	}
	for at := 0; err == nil && at < len(data); {
		var got int
		if got, err = unix.Read(aside[0], data[at:]); err == nil {
			f.Pipe.Packets = append(f.Pipe.Packets, got)
			at += got
		}
	}
	if !hasPackets(list, f) {
		f.Pipe.Packets = nil
	}
	return err
}

// hasPackets tells whether somebody writes packets to the pipe.
func hasPackets(list []File, f *File) bool {
	for _, other := range list {
		if other.Object == f.Object && other.Flags&unix.O_DIRECT != 0 {
			return true
		}
	}
	return false
}

// makePipe makes a pipe with all its ends, or opens one that has a name.
func (f *File) makePipe(list []File, done func(int)) error {
	reads, writes, err := f.pipe()
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(reads)
	defer unix.Close(writes)
	if err := f.refill(writes); err != nil {
		return fmt.Errorf("fill its pipe (descriptor %d) again: %w", f.Number, err)
	}
	return f.shareObject(reads, list, done)
}

func (f *File) pipe() (reads, writes int, err error) {
	if !f.Pipe.HasName {
		var ends [2]int
		err := unix.Pipe2(ends[:], unix.O_CLOEXEC|unix.O_NONBLOCK)
		return ends[0], ends[1], err
	}
	err = patiently(func() (err error) {
		reads, err = openEmpty(f.Path)
		if errors.Is(err, unix.ENOENT) { // what was in it comes from the rank, so another one does
			if err = unix.Mkfifo(f.Path, f.Mode); err == nil {
				reads, err = openEmpty(f.Path)
			}
		}
		return err
	})
	if err == nil {
		writes, err = unix.FcntlInt(uintptr(reads), unix.F_DUPFD_CLOEXEC, 0)
	}
	return reads, writes, err
}

// openEmpty opens a pipe that nobody else has written to.
func openEmpty(path string) (int, error) {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCINQ)
	if err == nil && n > 0 {
		err = unix.EAGAIN
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

func (f *File) refill(fd int) error {
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETPIPE_SZ, f.Pipe.Capacity); err != nil {
		return err
	}
	pieces := f.Pipe.Packets
	if pieces == nil {
		pieces = []int{int(f.Size)}
	} else if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, unix.O_DIRECT|unix.O_NONBLOCK); err != nil {
		return err
	}
	data := f.content()
	for _, n := range pieces {
		if got, err := unix.Write(fd, data[:n]); err != nil || got != n {
			return fmt.Errorf("%d of %d bytes fit into it: %w", got, n, err)
		}
		data = data[n:]
	}
	return nil
}
