package vrank

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Watch is a descriptor that an epoll watches.
type Watch struct {
	Number int
	Events uint32
	Data   uint64
}

// oneShot are the bits that are left of a watch that has told once, and tells no more until it is set again.
const oneShot = unix.EPOLLONESHOT | unix.EPOLLET | unix.EPOLLWAKEUP | unix.EPOLLEXCLUSIVE

// keepWatches reads lines such as "tfd: 5 events: 19 data: 5 pos:0 ino:60a sdev:9".
func (f *File) keepWatches(list []File) error {
	return facts(f.Number, func(name, value string) error {
		if name != "tfd" {
			return nil
		}
		field := strings.Fields(value)
		if len(field) < 5 {
			return fmt.Errorf("an epoll says %q", value)
		}
		number, err := strconv.Atoi(field[0])
		events, err2 := strconv.ParseUint(field[2], 16, 32)
		data, err3 := strconv.ParseUint(field[4], 16, 64)
		if err != nil || err2 != nil || err3 != nil {
			return fmt.Errorf("an epoll says %q", value)
		}
		w := Watch{number, uint32(events), data}
		same, err := f.watches(w, len(f.Watch))
		if err != nil {
			return err
		}
		if !isIn(list, number) || !same {
			return fmt.Errorf("an epoll watches what was its descriptor %d: checkpoints have to wait until that is taken out", number)
		}
		if w.Events&unix.EPOLLONESHOT != 0 && w.Events&^oneShot == 0 {
			return fmt.Errorf("an epoll has told of its descriptor %d once (EPOLLONESHOT): checkpoints have to wait until it is to tell again", number)
		}
		f.Watch = append(f.Watch, w)
		return nil
	})
}

// watches tells whether what is watched under a number is what has it now. One number may have been several files.
func (f *File) watches(w Watch, n int) (bool, error) {
	for _, other := range f.Watch[:n] {
		if other.Number == w.Number {
			return false, nil
		}
	}
	return isWatched(f.Number, w.Number)
}

func (f *File) makePoll() error {
	fd, err := unix.EpollCreate1(f.Flags & unix.EPOLL_CLOEXEC)
	if err != nil {
		return f.cannot(err)
	}
	defer unix.Close(fd)
	return f.take(fd)
}

func (f *File) watchAgain() error {
	for _, w := range f.Watch {
		e := unix.EpollEvent{Events: w.Events, Fd: int32(uint32(w.Data)), Pad: int32(w.Data >> 32)}
		if err := unix.EpollCtl(f.Number, unix.EPOLL_CTL_ADD, w.Number, &e); err != nil {
			return fmt.Errorf("have an epoll (descriptor %d) watch %d again: %w", f.Number, w.Number, err)
		}
	}
	return nil
}
