package privatize

import (
	"fmt"
	"syscall"
)

const mapFixed = 0x10

// mmapAt maps at exactly addr, over whatever is there.
func mmapAt(addr uintptr, size uint64, prot, flags, fd int, off int64) error {
	_, _, e := syscall.Syscall6(syscall.SYS_MMAP, addr, uintptr(size), uintptr(prot), uintptr(flags|mapFixed), uintptr(fd), uintptr(off))
	if e != 0 {
		return e
	}
	return nil
}

// mapShared maps the read-only segments over the image area at base and makes the pages of writable code
// executable.
func (p *Program) mapShared(base uintptr) error {
	for i := range p.maps {
		m := &p.maps[i]
		err := mmapAt(base+uintptr(m.at), m.size, m.prot, syscall.MAP_PRIVATE, p.fd(m.im), m.fileOff)
		if err != nil {
			return fmt.Errorf("map %s at %#x: %w", m.im.path, base+uintptr(m.at), mapHint(err))
		}
	}
	for i := range p.privates {
		r := &p.privates[i]
		if !r.exec {
			continue
		}
		_, _, e := syscall.Syscall(syscall.SYS_MPROTECT, base+uintptr(r.at), uintptr(r.size), syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC)
		if e != 0 {
			return fmt.Errorf("make %s executable at %#x: %w", r.im.path, base+uintptr(r.at), e)
		}
	}
	return nil
}

// mapHint explains the one failure of mmap that users meet: the kernel counts mappings.
func mapHint(err error) error {
	if err == syscall.ENOMEM {
		return fmt.Errorf("%w (too many mappings? see sysctl vm.max_map_count)", err)
	}
	return err
}

func (p *Program) fd(im *image) int {
	for i := range p.images {
		if p.images[i] == im {
			return int(p.files[i].Fd())
		}
	}
	panic("BUG: image " + im.path + " is not of this program")
}

// Backing is what lies under the image area at base when no read-only segments are mapped over it.
type Backing struct {
	FD     int   // of the shared memory, or -1 for private anonymous memory
	Offset int64 // of base in it
}

// Detach takes the read-only segments at base out of this process and puts the backing's own pages there. The
// rank's images themselves stay: another process may hold them.
func (p *Program) Detach(base uintptr, b Backing) error {
	for i := range p.maps {
		m := &p.maps[i]
		flags, off := syscall.MAP_SHARED|syscall.MAP_NORESERVE, b.Offset+int64(m.at)
		if b.FD < 0 {
			flags, off = syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE, 0
		}
		if err := mmapAt(base+uintptr(m.at), m.size, syscall.PROT_READ|syscall.PROT_WRITE, flags, b.FD, off); err != nil {
			return fmt.Errorf("unmap %s at %#x: %w", m.im.path, base+uintptr(m.at), err)
		}
	}
	return nil
}
