package vrank

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// setTicks has a timerfd say that it went off so often.
func (t *TimerFile) setTicks(fd int) error {
	const setTicks = 0x40085400 // TFD_IOC_SET_TICKS
	if t.Ticks == 0 {
		return nil
	}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), setTicks, uintptr(unsafe.Pointer(&t.Ticks)))
	if errno != 0 {
		return errno
	}
	return nil
}

// isWatched tells whether what an epoll watches under a number is what has the number now. A kernel that does not tell says no.
func isWatched(epoll, number int) bool {
	const kcmpWatched = 7 // KCMP_EPOLL_TFD
	slot := [3]uint32{uint32(epoll), uint32(number), 0}
	pid := uintptr(os.Getpid())
	r, _, errno := unix.Syscall6(unix.SYS_KCMP, pid, pid, kcmpWatched, uintptr(number), uintptr(unsafe.Pointer(&slot)), 0)
	return errno == 0 && r == 0
}
