package vrank

import (
	"encoding/binary"
	"fmt"
	"strconv"

	"golang.org/x/sys/unix"
)

// Counter is an eventfd.
type Counter struct {
	Count     uint64
	Semaphore bool
}

// keepEvent reads the count, which stays.
func (f *File) keepEvent() error {
	e, told := &Counter{}, false
	err := facts(f.Number, func(name, value string) (err error) {
		switch name {
		case "eventfd-count":
			e.Count, err = strconv.ParseUint(value, 16, 64)
		case "eventfd-semaphore":
			e.Semaphore, told = value == "1", true
		}
		return err
	})
	if err == nil && !told {
		e.Semaphore, err = isSemaphore(f.Number, e.Count)
	}
	f.Counter = e
	return err
}

// isSemaphore finds out what Linux before 6.7 does not tell: whether a read takes one or all. Nobody else uses the eventfd, whose count is the
// same afterwards.
func isSemaphore(fd int, count uint64) (bool, error) {
	const some = 2 // so many that one is not all
	if count > 1<<63 {
		return false, fmt.Errorf("its count is too large")
	}
	if err := addEvent(fd, some); err != nil {
		return false, err
	}
	var got [8]byte
	if _, err := unix.Read(fd, got[:]); err != nil {
		return false, err
	}
	if taken := binary.NativeEndian.Uint64(got[:]); taken != 1 {
		return false, addEvent(fd, count)
	}
	_, err := unix.Read(fd, got[:])
	return true, err
}

func addEvent(fd int, n uint64) error {
	if n == 0 {
		return nil
	}
	_, err := unix.Write(fd, binary.NativeEndian.AppendUint64(nil, n))
	return err
}

func (f *File) makeEvent() error {
	flags := f.Flags & (unix.EFD_NONBLOCK | unix.EFD_CLOEXEC)
	if f.Counter.Semaphore {
		flags |= unix.EFD_SEMAPHORE
	}
	fd, err := unix.Eventfd(0, flags)
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(fd)
	if err := addEvent(fd, f.Counter.Count); err != nil {
		return f.cannot(err)
	}
	return f.take(fd)
}

// keepMask notes the signals of a signalfd.
func (f *File) keepMask() error {
	return facts(f.Number, func(name, value string) (err error) {
		if name == "sigmask" {
			f.Mask, err = strconv.ParseUint(value, 16, 64)
		}
		return err
	})
}

func (f *File) makeSignals() error {
	var mask unix.Sigset_t
	mask.Val[0] = f.Mask
	fd, err := unix.Signalfd(-1, &mask, f.Flags&(unix.SFD_NONBLOCK|unix.SFD_CLOEXEC))
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(fd)
	return f.take(fd)
}
