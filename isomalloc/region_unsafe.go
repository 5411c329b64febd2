package isomalloc

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Map maps the region at its base. Mapping it a second time does nothing.
func (r *Region) Map() error {
	if r.mapped {
		return nil
	}
	whole := Range{r.Base(), r.Base() + uintptr(r.cfg.Size())}
	const flags = unix.MAP_SHARED | unix.MAP_NORESERVE | unix.MAP_FIXED_NOREPLACE
	at, err := unix.MmapPtr(r.FD(), 0, pointer(whole.Lo), whole.size(), unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		return fmt.Errorf("map region %s (%s): %w%s", whole, formatBytes(whole.Len()), err, limitHint(err))
	}
	r.mapped = true
	if uintptr(at) == whole.Lo {
		return r.leaveOutOfCores(whole)
	}
	// Kernels before 4.17 take the address as a mere wish.
	err = unix.MunmapPtr(at, whole.size())
	r.mapped = false
	return errors.Join(fmt.Errorf("map region %s: the kernel put it at %#x: the range is not free", whole, uintptr(at)), err)
}

// leaveOutOfCores keeps the kernel from writing the region into core files: it would fault every page in.
func (r *Region) leaveOutOfCores(whole Range) error {
	_, _, errno := unix.Syscall(unix.SYS_MADVISE, whole.Lo, whole.size(), unix.MADV_DONTDUMP)
	if errno != 0 {
		return errors.Join(fmt.Errorf("leave region %s out of core files: %w", whole, errno), r.unmap())
	}
	return nil
}

func (r *Region) unmap() error {
	if !r.mapped {
		return nil
	}
	r.mapped = false
	whole := Range{r.Base(), r.Base() + uintptr(r.cfg.Size())}
	if err := unix.MunmapPtr(pointer(whole.Lo), whole.size()); err != nil {
		return fmt.Errorf("unmap region %s: %w", whole, err)
	}
	return nil
}

// Guard makes every access to [lo, hi) in this process a fault. Other processes
// that map the region have to do the same for themselves. The range is taken out
// of the address space, because a hole costs no mapping, of which the kernel
// allows a process some 65,000; nothing comes to lie there unless it is told to.
func (r *Region) Guard(lo, hi uintptr) error {
	if err := r.mappedInside("guard", lo, hi); err != nil || lo == hi {
		return err
	}
	if err := unix.MunmapPtr(pointer(lo), uintptr(hi-lo)); err != nil {
		return fmt.Errorf("guard %s: %w", Range{lo, hi}, err)
	}
	return nil
}

func (r *Region) mappedInside(what string, lo, hi uintptr) error {
	if !r.mapped {
		return fmt.Errorf("%s %s: the region is not mapped", what, Range{lo, hi})
	}
	return r.inside(what, lo, hi)
}

func (r Range) size() uintptr { return r.Hi - r.Lo }

// pointer makes a pointer of an address outside of Go's heap.
func pointer(addr uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&addr))
}

func bytesAt(lo, hi uintptr) []byte {
	return unsafe.Slice((*byte)(pointer(lo)), hi-lo)
}
