package privatize

import (
	"fmt"
	"slices"
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

// mapFiles maps what comes from the files over the image area at base: read-only segments, and pages that the kernel copies
// on writing unless adopted images are committed there. It makes the pages of writable code executable.
func (p *Program) mapFiles(base uintptr, adopted bool) error {
	for i := range p.maps {
		if err := p.mapFileAt(base, &p.maps[i]); err != nil {
			return err
		}
	}
	if err := p.mapOnWrite(base, adopted); err != nil {
		return err
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

// mappings is how many more mappings an image area has than plain memory: the files' parts, and what is behind each that no
// other part follows at once.
func (p *Program) mappings() int {
	parts := slices.Concat(p.maps, p.onWrite)
	n := len(parts)
	for i := range parts {
		end := parts[i].at + parts[i].size
		if !slices.ContainsFunc(parts, func(m fileMap) bool { return m.at == end }) {
			n++
		}
	}
	return n
}

func (p *Program) mapFileAt(base uintptr, m *fileMap) error {
	at := base + uintptr(m.at)
	if err := mmapAt(at, m.size, m.prot, syscall.MAP_PRIVATE|syscall.MAP_NORESERVE, p.fd(m.im), m.fileOff); err != nil {
		return fmt.Errorf("map %s at %#x: %w", m.im.path, at, mapHint(err))
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

// Detach takes what is mapped from files at base out of this process and puts the backing's own pages there. The
// rank's images themselves stay: another process may hold them. CommitPrivate must have been called if the rank is to go on.
func (p *Program) Detach(base uintptr, b Backing) error {
	delete(p.isMapped, base)
	for _, m := range slices.Concat(p.maps, p.onWrite) {
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
