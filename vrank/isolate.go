package vrank

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// CannotIsolate tells why ranks cannot be kept from each other's memory on this machine, or nil.
func CannotIsolate() error {
	key, _, e := unix.Syscall(unix.SYS_PKEY_ALLOC, 0, 0, 0)
	if e != 0 {
		return fmt.Errorf("needs protection keys (pku among the flags of /proc/cpuinfo), which the processor, the kernel or a container's filter denies: %w", e)
	}
	unix.Syscall(unix.SYS_PKEY_FREE, key, 0, 0)
	return nil
}
