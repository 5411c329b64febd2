package control

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// process is another process, whoever gets its pid after it.
type process struct {
	file    *os.File // a pidfd, or its folder in /proc
	isPidfd bool
}

// openProcess fails when there is none.
func openProcess(pid int) (*process, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err == nil {
		return &process{os.NewFile(uintptr(fd), "pidfd"), true}, nil
	}
	if !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM) { // Linux before 5.3, or a container's filter
		return nil, err
	}
	fd, err = unix.Open("/proc/"+strconv.Itoa(pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ENOENT):
		return nil, unix.ESRCH
	case err != nil:
		return nil, err
	}
	return &process{os.NewFile(uintptr(fd), "process"), false}, nil
}

// Close lets go of it.
func (p *process) Close() { p.file.Close() }

// awaitEnd waits until it has ended; its parent may not have asked for its status yet.
func (p *process) awaitEnd() error {
	for !p.isPidfd && p.lives() {
		time.Sleep(5 * time.Millisecond)
	}
	for p.isPidfd {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(p.file.Fd()), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
	return nil
}

// lives looks into its folder, which is empty when it is gone.
func (p *process) lives() bool {
	fd, err := unix.Openat(int(p.file.Fd()), "stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var text [512]byte
	n, err := unix.Read(fd, text[:])
	if err != nil {
		return false
	}
	name := bytes.LastIndexByte(text[:n], ')') // which may have anything in it
	return name+2 < n && text[name+2] != 'Z' && text[name+2] != 'X'
}

// ParentOf returns the parent's pid, 0 when the process has gone.
func ParentOf(pid int) int {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The second field is the command's name in parentheses and may hold anything.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
