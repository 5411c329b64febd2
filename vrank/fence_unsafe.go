package vrank

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"ampirun/isomalloc"
)

// fence is a descriptor of the kernel's (userfaultfd) by which any worker that has it keeps the threads of one worker from memory whose
// pages are on their way: a thread that touches a page which is missing there sleeps until the fence is lowered, and then goes on. That
// takes nothing from the thread: it need not look, and no one need tell it.
type fence int

// Requests of ioctl, from linux/userfaultfd.h, and its structures.
const (
	uffdAPI        = 0xc018aa3f
	uffdRegister   = 0xc020aa00
	uffdUnregister = 0x8010aa01

	uffdVersion        = 0xaa
	uffdMissing        = 1      // UFFDIO_REGISTER_MODE_MISSING
	uffdMissingShmem   = 1 << 5 // UFFD_FEATURE_MISSING_SHMEM
	uffdUserModeOnly   = 1      // what processes without privileges may have
	hugePages          = "/sys/kernel/mm/transparent_hugepage"
	hugePagesOfAllSize = hugePages + "/hugepages-*/shmem_enabled"
)

type uffdioAPI struct{ api, features, ioctls uint64 }

type uffdioRegister struct{ start, len, mode, ioctls uint64 }

// newFence makes the fence of this process.
func newFence() (fence, error) {
	fd, _, e := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|unix.O_NONBLOCK|uffdUserModeOnly, 0, 0)
	if e == unix.EINVAL { // Linux before 5.11, where processes without privileges may have it without that flag
		fd, _, e = unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC|unix.O_NONBLOCK, 0, 0)
	}
	if e != 0 {
		return -1, e
	}
	f := fence(fd)
	if err := f.ioctl(uffdAPI, unsafe.Pointer(&uffdioAPI{api: uffdVersion, features: uffdMissingShmem})); err != nil {
		unix.Close(int(f))
		return -1, err
	}
	return f, nil
}

func (f fence) ioctl(request uintptr, arg unsafe.Pointer) error {
	if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(f), request, uintptr(arg)); e != 0 {
		return e
	}
	return nil
}

// raise closes a range of the region's own memory.
func (f fence) raise(r isomalloc.Range) error {
	return f.ioctl(uffdRegister, unsafe.Pointer(&uffdioRegister{start: uint64(r.Lo), len: r.Len(), mode: uffdMissing}))
}

// lower opens it again, and wakes those who wait.
func (f fence) lower(r isomalloc.Range) error {
	return f.ioctl(uffdUnregister, unsafe.Pointer(&uffdioRegister{start: uint64(r.Lo), len: r.Len()}))
}

// CannotCopy tells why ranks cannot be moved by copy on this machine, or nil.
func CannotCopy() error {
	f, err := newFence()
	if err != nil {
		return fmt.Errorf("needs userfaultfd, which the kernel or a container's filter denies (%w): use +migrate share", err)
	}
	unix.Close(int(f))
	return unaskedHugePages()
}

// unaskedHugePages finds out whether the kernel makes huge pages of shared memory by itself. Part of one cannot be taken out.
func unaskedHugePages() error {
	files, err := filepath.Glob(hugePagesOfAllSize)
	if err != nil {
		return err
	}
	for _, file := range append(files, hugePages+"/shmem_enabled") {
		text, err := os.ReadFile(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		for _, set := range []string{"[always]", "[within_size]", "[force]"} {
			if strings.Contains(string(text), set) {
				return fmt.Errorf("cannot take pages out of huge ones, and %s is %s: set it to advise or never, or use +migrate share", file, strings.Trim(set, "[]"))
			}
		}
	}
	return nil
}
