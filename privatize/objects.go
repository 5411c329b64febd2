package privatize

import (
	"cmp"
	"slices"
)

// Object describes one image for those who walk loaded objects: the unwinder, dl_iterate_phdr, dladdr. Offsets
// count from the base of the image area.
type Object struct {
	Name, Path string
	Copy       string // where the file is read instead, or ""
	Bias       uint64 // dlpi_addr is base + Bias: what is added to the file's addresses (may wrap around)
	Offset     uint64 // first page
	Size       uint64 // to the end of the last page
	Phdrs      uint64 // offset of the program headers, 0 when they are not in memory
	PhdrCount  int
	EhFrameHdr uint64 // offset of .eh_frame_hdr, 0 when there is none
	Dynamic    uint64
	TLSModule  int // 0 when there are no thread-local variables
	TLSOffset  uint64

	// Initial values of the thread-local variables; what follows them up to the block's end is zero.
	TLSImage, TLSFileSize uint64
}

// Objects lists the images in their order of search, the program first.
func (p *Program) Objects() []Object {
	list := make([]Object, 0, len(p.images))
	for _, im := range p.images {
		list = append(list, im.object())
	}
	return list
}

func (im *image) object() Object {
	o := Object{
		Name: im.name, Path: im.path, Copy: im.copy, Bias: im.bias,
		Offset: im.bias + im.low(), Size: im.high() - im.low(),
		Phdrs: im.placed(im.phdrs), PhdrCount: int(im.phdrs.size / phdrSize),
		EhFrameHdr: im.placed(im.ehFrameHdr), Dynamic: im.placed(im.dynSeg),
	}
	if im.tls != nil {
		o.TLSModule, o.TLSOffset = im.tls.module, im.tls.offset
		o.TLSImage, o.TLSFileSize = im.bias+im.tls.vaddr, im.tls.filesz
	}
	return o
}

// placed is the offset of a range, 0 for an absent one.
func (im *image) placed(r vrange) uint64 {
	if r.size == 0 {
		return 0
	}
	return im.bias + r.vaddr
}

// Range is a part of the image area.
type Range struct {
	Offset, Size uint64
	Shared       bool // a read-only file mapping, which each process has for itself
	OnWrite      bool // mapped from a file for writing: what is written is this process's until CommitPrivate
}

// Ranges lists the parts of the image area that are in use. Those that are neither Shared nor OnWrite are the rank's own pages,
// which other processes of the node can reach through the region.
func (p *Program) Ranges() []Range {
	var list []Range
	for i := range p.maps {
		list = append(list, Range{Offset: p.maps[i].at, Size: p.maps[i].size, Shared: true})
	}
	for i := range p.privates {
		list = append(list, p.divided(&p.privates[i])...)
	}
	if p.imagesEnd != 0 && p.span > p.imagesEnd {
		list = append(list, Range{Offset: p.imagesEnd, Size: p.span - p.imagesEnd})
	}
	return list
}

// Holes lists the whole pages between the parts in use, ascending: between segments, and between images.
func (p *Program) Holes() (holes []Range) {
	list := p.Ranges()
	slices.SortFunc(list, func(a, b Range) int { return cmp.Compare(a.Offset, b.Offset) })
	at := uint64(0)
	for _, r := range list {
		if lo := pageDown(r.Offset); lo > at {
			holes = append(holes, Range{Offset: at, Size: lo - at})
		}
		at = max(at, pageUp(r.Offset+r.Size))
	}
	return holes
}

// divided lists the parts of a writable range.
func (p *Program) divided(r *privateRange) (list []Range) {
	at, end := r.at, r.at+r.size
	for i := range p.onWrite {
		m := &p.onWrite[i]
		if m.at < at || m.at >= end {
			continue
		}
		if m.at > at {
			list = append(list, Range{Offset: at, Size: m.at - at})
		}
		list = append(list, Range{Offset: m.at, Size: m.size, OnWrite: true})
		at = m.at + m.size
	}
	if at < end {
		list = append(list, Range{Offset: at, Size: end - at})
	}
	return list
}

// Writable reports whether the n bytes at off are in the rank's own pages, which other processes of the node can
// reach through the region, and not in a file mapping.
func (p *Program) Writable(off, n uint64) bool {
	if n > p.span || off > p.span-n {
		return false
	}
	for _, m := range slices.Concat(p.maps, p.onWrite) {
		if off < m.at+m.size && m.at < off+n {
			return false
		}
	}
	return true
}
