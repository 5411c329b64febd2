package vrank

import (
	"fmt"
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

// isSameOpenFile tells whether a descriptor of a process and one of this process share their offset and whatever else an open file has.
func isSameOpenFile(pid, theirs, own int) (bool, error) {
	const file = 0 // KCMP_FILE
	return kcmp(pid, file, theirs, uintptr(own))
}

// isWatched tells whether what an epoll watches under a number is what has the number now.
func isWatched(epoll, number int) (bool, error) {
	const watched = 7 // KCMP_EPOLL_TFD
	slot := [3]uint32{uint32(epoll), uint32(number), 0}
	return kcmp(os.Getpid(), watched, number, uintptr(unsafe.Pointer(&slot)))
}

// kcmp compares what a process has with what this one has. The error is that nobody may know; descriptors that are not there are not the same.
func kcmp(pid, kind, theirs int, own uintptr) (bool, error) {
	r, _, errno := unix.Syscall6(unix.SYS_KCMP, uintptr(pid), uintptr(os.Getpid()), uintptr(kind), uintptr(theirs), own, 0)
	if errno == unix.ENOSYS || errno == unix.EPERM {
		return false, fmt.Errorf("which of its descriptors are one open file cannot be told: the kernel or a container's filter denies kcmp (%w)", errno)
	}
	return errno == 0 && r == 0, nil
}
