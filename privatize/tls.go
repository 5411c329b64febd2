package privatize

import "fmt"

// layoutTLS puts the thread-local blocks of all images below the thread pointer, as the ABI's variant II
// wants it: the program's block, whose code knows its distance at link time, directly below.
func (p *Program) layoutTLS() error {
	var used, align uint64 = 0, 64
	module := 0
	for _, im := range p.images {
		t := im.tls
		if t == nil {
			continue
		}
		if t.align > maxTLSAlign || uint64(p.opts.TLSTop)%t.align != 0 {
			return p.refuseTLSAlign(im)
		}
		module++
		align = max(align, t.align)
		first := -t.vaddr & (t.align - 1)
		used = (used+t.memsz-first+t.align-1)&^(t.align-1) + first
		t.module, t.offset = module, used
		if used > maxSpan {
			return malformed(im.path, "has %d bytes of thread-local variables", t.memsz)
		}
	}
	p.tlsSize, p.tlsModules = (used+align-1)&^(align-1), module
	return p.checkReserve()
}

func (p *Program) refuseTLSAlign(im *image) error {
	return &Refusal{im.path, TLSTooLarge, fmt.Sprintf("has thread-local variables aligned to %d bytes", im.tls.align),
		"align them to 64 bytes at most"}
}

func (p *Program) checkReserve() error {
	if p.tlsSize <= p.opts.TLSReserve {
		return nil
	}
	return &Refusal{p.Path(), TLSTooLarge,
		fmt.Sprintf("thread-local variables need %d bytes, limit %d", p.tlsSize, p.opts.TLSReserve),
		"make large thread-local arrays pointers to allocated memory"}
}

// TLSSize returns the bytes below the thread pointer that all images of a rank use, a multiple of 64.
func (p *Program) TLSSize() uint64 { return p.tlsSize }

// tlsSurplus is room for thread-local variables of libraries opened at run time whose code wants them at a fixed place; it is
// in every rank's snapshot, but switches copy it only once it is in use.
const tlsSurplus = 1536

// tlsRoom is TLSSize and the surplus.
func (p *Program) tlsRoom() uint64 { return min(p.tlsSize+tlsSurplus, p.opts.TLSReserve) }

// TLSModules returns how many images have thread-local variables; module numbers are 1 to that.
func (p *Program) TLSModules() int { return p.tlsModules }

// TLSOffset returns the distance from the thread pointer down to the block of a module, as
// __tls_get_addr needs it; 0 for a module that does not exist.
func (p *Program) TLSOffset(module int) uint64 {
	for _, im := range p.images {
		if im.tls != nil && im.tls.module == module {
			return im.tls.offset
		}
	}
	return 0
}

// TLSImage returns what [TP-TLSSize, TP) holds when a thread of the rank at base starts. It is read from the
// rank's own, relocated images, whose initial values may point into the rank.
func (p *Program) TLSImage(base uintptr) []byte {
	block := make([]byte, p.tlsSize)
	p.FillTLS(base, block)
	return block
}

// FillTLS writes TLSImage(base) to block, whose length must be TLSSize.
func (p *Program) FillTLS(base uintptr, block []byte) {
	clear(block)
	for _, im := range p.images {
		if t := im.tls; t != nil && t.filesz > 0 {
			copy(block[p.tlsSize-t.offset:], memory(base+uintptr(im.bias+t.vaddr), t.filesz))
		}
	}
}
