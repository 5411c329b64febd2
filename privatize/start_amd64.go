package privatize

import "debug/elf"

// maxStart is how much code at the entry point is searched; the start routine of every libc crt is shorter.
const maxStart = 128

// mainFromStart reads main's address out of _start, which loads it into rdi right before it calls
// __libc_start_main: either lea main(%rip),%rdi or mov main@GOTPCREL(%rip),%rdi.
func (p *Program) mainFromStart() (uint64, bool) {
	im := p.images[0]
	code, ok := im.viewTail(im.entry)
	if !ok {
		return 0, false
	}
	code = code[:min(len(code), maxStart)]
	for i := 0; i+7 <= len(code); i++ {
		if code[i] != 0x48 || code[i+2] != 0x3d || (code[i+1] != 0x8d && code[i+1] != 0x8b) {
			continue
		}
		next := im.entry + uint64(i) + 7
		if !p.callsStartMain(code[i+7:], next) {
			continue
		}
		at := next + relative(code[i+3:])
		if code[i+1] == 0x8d {
			return im.bias + at, im.isCode(at)
		}
		return p.codeInSlot(im.bias + at)
	}
	return 0, false
}

// relative reads the signed 32-bit displacement of an instruction.
func relative(b []byte) uint64 { return uint64(int64(int32(le.Uint32(b)))) }

// callsStartMain reports whether the code at vaddr is a call through the slot of __libc_start_main.
func (p *Program) callsStartMain(code []byte, vaddr uint64) bool {
	if len(code) < 6 || code[0] != 0xff || code[1] != 0x15 {
		return false
	}
	im := p.images[0]
	slot := vaddr + 6 + relative(code[2:])
	for _, table := range [][]byte{im.dyn.rela, im.dyn.jmprel} {
		for ; len(table) >= relaSize; table = table[relaSize:] {
			r := readRela(table)
			if r.vaddr != slot {
				continue
			}
			s, ok := im.dyn.symbolAt(r.sym)
			return ok && im.dyn.strIs(uint64(s.name), "__libc_start_main")
		}
	}
	return false
}

func (im *image) isCode(vaddr uint64) bool {
	s := im.segmentOf(vaddr, 1)
	return s != nil && s.flags&elf.PF_X != 0
}

// codeInSlot reads a relocated word that holds the address of a function.
func (p *Program) codeInSlot(at uint64) (uint64, bool) {
	s, ok := p.template.siteAt(at)
	if !ok || s.kind != siteInternal {
		return 0, false
	}
	return p.template.get(at), true
}
