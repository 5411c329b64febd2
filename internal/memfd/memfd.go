// Package memfd makes files that are memory: they have no name, and are gone with the last process that has them open or mapped.
package memfd

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Create makes an empty file, which is closed on exec. flags are those of memfd_create besides. Nobody can run it as a program, which is all
// that kernels with vm.memfd_noexec=2 allow; code in it can be mapped all the same.
func Create(name string, flags int) (*os.File, error) {
	flags |= unix.MFD_CLOEXEC
	fd, err := unix.MemfdCreate(name, flags|unix.MFD_NOEXEC_SEAL)
	if errors.Is(err, unix.EINVAL) { // Linux before 6.3 does not know that flag
		fd, err = unix.MemfdCreate(name, flags)
	}
	switch {
	case err == nil:
		return os.NewFile(uintptr(fd), name), nil
	case errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return nil, fmt.Errorf("the kernel, a container's filter or a security module denies memory without a file (memfd_create: %w)", err)
	}
	return nil, fmt.Errorf("memfd_create: %w", err)
}
