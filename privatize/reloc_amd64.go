package privatize

import (
	"debug/elf"
	"fmt"
)

const hostMachine = elf.EM_X86_64

// apply does one relocation, except COPY, which it puts off. S, A, B of the psABI are the target's value, the
// addend, and the image's bias.
func (r *relocator) apply(im *image, rel relocation) error {
	typ := elf.R_X86_64(rel.typ)
	if typ == elf.R_X86_64_NONE {
		return nil
	}
	if typ == elf.R_X86_64_COPY {
		r.copies = append(r.copies, copyJob{im, rel})
		return nil
	}
	if err := im.checkWord(rel.vaddr); err != nil {
		return err
	}
	at := im.bias + rel.vaddr
	switch typ {
	case elf.R_X86_64_RELATIVE:
		return r.set(im, site{at: at, kind: siteInternal}, im.bias+rel.addend)
	case elf.R_X86_64_IRELATIVE:
		return r.word(im, at, target{kind: targetIfunc, value: im.bias + rel.addend, im: im}, 0)
	case elf.R_X86_64_64, elf.R_X86_64_GLOB_DAT, elf.R_X86_64_JMP_SLOT:
		t, err := r.resolve(im, rel.sym, typ == elf.R_X86_64_JMP_SLOT)
		if err != nil {
			return err
		}
		return r.word(im, at, t, rel.addend)
	case elf.R_X86_64_DTPMOD64, elf.R_X86_64_DTPOFF64, elf.R_X86_64_TPOFF64, elf.R_X86_64_TLSDESC:
		return r.threadLocal(im, typ, rel)
	case elf.R_X86_64_SIZE64:
		t, err := r.resolve(im, rel.sym, false)
		if err != nil {
			return err
		}
		return r.set(im, site{at: at}, t.size+rel.addend)
	}
	return &Refusal{im.path, UnknownReloc, fmt.Sprintf("has a relocation of type %s at %#x, which only ld.so knows", typ, rel.vaddr),
		"rebuild it with -fPIC, or run it with +privatize fs"}
}

// threadLocal does the relocations of thread-local variables: module number, offset in the module's block, offset
// from the thread pointer, and the descriptor made of code and that offset.
func (r *relocator) threadLocal(im *image, typ elf.R_X86_64, rel relocation) error {
	t := target{kind: targetTLS, im: im}
	if rel.sym != 0 && !im.isSection(rel.sym) {
		var err error
		if t, err = r.resolve(im, rel.sym, false); err != nil {
			return err
		}
	}
	at := im.bias + rel.vaddr
	if t.kind == targetConst && t.value == 0 && typ != elf.R_X86_64_TLSDESC { // an undefined weak variable
		return r.set(im, site{at: at}, 0)
	}
	if t.kind != targetTLS || t.im.tls == nil {
		return malformed(im.path, "has a thread-local relocation at %#x of what is not thread-local", rel.vaddr)
	}
	v := t.value + rel.addend
	if t.im.tls.dynamic && (typ == elf.R_X86_64_TPOFF64 || typ == elf.R_X86_64_TLSDESC) {
		return refuseStaticTLS(im, t.im)
	}
	switch typ {
	case elf.R_X86_64_DTPMOD64:
		v = uint64(t.im.tls.module)
	case elf.R_X86_64_TPOFF64:
		v -= t.im.tls.offset
	case elf.R_X86_64_TLSDESC:
		return r.descriptor(im, rel.vaddr, v-t.im.tls.offset)
	}
	return r.set(im, site{at: at}, v)
}

// descriptor writes the two words of a TLS descriptor.
func (r *relocator) descriptor(im *image, vaddr, offset uint64) error {
	if err := im.checkWord(vaddr + 8); err != nil {
		return err
	}
	code := target{kind: targetExternal, value: uint64(r.externals.number("TLS descriptor", tlsdescAddress()))}
	if err := r.word(im, im.bias+vaddr, code, 0); err != nil {
		return err
	}
	return r.set(im, site{at: im.bias + vaddr + 8}, offset)
}
