package privatize

import "debug/elf"

// ReferencesTo finds out which of some addresses the file's code calls, jumps to or takes, and which its data hold, leaving out code in
// [from, to). It looks for displacements that lead there, whatever the bytes around them mean: with four bytes that have to fit, what is
// found by accident is rare.
func (f *File) ReferencesTo(targets map[uint64]bool, from, to uint64) map[uint64]bool {
	found := map[uint64]bool{}
	for i := range f.im.loads {
		if s := &f.im.loads[i]; s.flags&elf.PF_X != 0 {
			scanCode(f.im.data[s.off:s.off+s.filesz], s.vaddr, targets, found, from, to)
		}
	}
	f.relocations(func(r relocation) {
		if elf.R_X86_64(r.typ) == elf.R_X86_64_RELATIVE && targets[r.addend] {
			found[r.addend] = true
		}
	})
	f.packed(func(v uint64) {
		if targets[v] {
			found[v] = true
		}
	})
	return found
}

// packed visits the values of the words that DT_RELR names.
func (f *File) packed(visit func(v uint64)) {
	_ = eachPacked(f.im.dyn.relr, func(vaddr uint64) error { // a damaged table ends the visit
		if b, ok := f.im.view(vaddr, 8); ok {
			visit(le.Uint64(b))
		}
		return nil
	})
}

func scanCode(code []byte, vaddr uint64, targets, found map[uint64]bool, from, to uint64) {
	for i := 1; i+4 <= len(code); i++ {
		if !takesDisplacement(code, i) {
			continue
		}
		at := vaddr + uint64(i)
		if v := at + 4 + relative(code[i:]); targets[v] && (at < from || at >= to) {
			found[v] = true
		}
	}
}

// takesDisplacement tells whether the four bytes at i may be those of call, jmp, a conditional jump, or lea and mov relative to %rip.
func takesDisplacement(code []byte, i int) bool {
	op := code[i-1]
	return op == 0xe8 || op == 0xe9 || op&0xc7 == 0x05 || op&0xf0 == 0x80 && i > 1 && code[i-2] == 0x0f
}
