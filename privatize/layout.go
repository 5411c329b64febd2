package privatize

import (
	"debug/elf"
	"syscall"
)

// maxSpan bounds the image area. A program with larger static arrays needs them allocated instead.
const maxSpan = 1 << 40

// fileMap is one read-only mapping: size bytes of the image's file at fileOff, placed at offset at of the
// image area.
type fileMap struct {
	im       *image
	at, size uint64
	fileOff  int64
	prot     int
}

// privateRange is a page range of the image area that each rank has for itself.
type privateRange struct {
	im       *image
	seg      *segment
	at, size uint64
	exec     bool
}

// layout gives every image its place in the image area: one behind the other, the program first.
func (p *Program) layout() error {
	var at uint64
	for _, im := range p.images {
		p.align = max(p.align, im.align)
		at = (at + im.align - 1) &^ (im.align - 1)
		im.bias = at + im.low()%im.align - im.low()
		at = im.bias + im.high()
		p.placeSegments(im)
		if at > maxSpan {
			return malformed(im.path, "needs %d bytes of address space", at)
		}
	}
	p.span = at
	return p.layoutTLS()
}

func (p *Program) placeSegments(im *image) {
	for i := range im.loads {
		s := &im.loads[i]
		if s.private() {
			at := im.bias + pageDown(s.vaddr)
			p.privates = append(p.privates, privateRange{im, s, at, im.bias + pageUp(s.end()) - at, s.flags&elf.PF_X != 0})
			continue
		}
		p.addMap(im, s)
	}
}

// addMap maps a read-only segment, together with the ones before it when the file has them at the same
// distance: the usual R, R+X, R triple then costs one mmap and one kernel object per rank instead of three.
func (p *Program) addMap(im *image, s *segment) {
	m := fileMap{
		im: im, at: im.bias + pageDown(s.vaddr), size: pageUp(s.fileEnd()) - pageDown(s.vaddr),
		fileOff: int64(pageDown(s.off)), prot: syscall.PROT_READ,
	}
	if s.flags&elf.PF_X != 0 {
		m.prot |= syscall.PROT_EXEC
	}
	if n := len(p.maps); n > 0 && p.maps[n-1].joins(&m) && p.noPrivateAfter(p.maps[n-1].at) {
		last := &p.maps[n-1]
		last.size, last.prot = m.at+m.size-last.at, last.prot|m.prot
		return
	}
	p.maps = append(p.maps, m)
}

// joins reports whether next continues m in the same file at the same distance, without a page between them that is of no segment.
func (m *fileMap) joins(next *fileMap) bool {
	return m.im == next.im && next.at <= m.at+m.size && int64(next.at-m.at) == next.fileOff-m.fileOff
}

func (p *Program) noPrivateAfter(at uint64) bool {
	n := len(p.privates)
	return n == 0 || p.privates[n-1].at < at
}
