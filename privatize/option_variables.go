package privatize

import "debug/elf"

// What getopt talks by is one variable for all ranks that share a C library. A program has a copy of it, or reaches it through a word that
// ld.so fills. In place of the latter every rank has a variable of its own behind its images.

// optionVariables are those, and where they lie in what follows the images.
var optionVariables = map[string]uint64{"optarg": 0, "optind": 8, "opterr": 12, "optopt": 16}

// placeOptions makes room for them where the program reaches any so.
func (h *ldso) placeOptions() {
	p := h.program
	if h.extent = p.span; !h.how.LibC && p.images[0].reachesOptions() {
		p.optionsAt = p.span
		p.span += pageSize
	}
}

// reachesOptions tells whether a relocation that is no copy names one of them.
func (im *image) reachesOptions() bool {
	for _, table := range [][]byte{im.dyn.rela, im.dyn.jmprel} {
		for ; len(table) >= relaSize; table = table[relaSize:] {
			rel := readRela(table)
			sym, ok := im.dyn.symbolAt(rel.sym)
			if !ok || sym.shndx != elf.SHN_UNDEF || elf.R_X86_64(rel.typ) == elf.R_X86_64_COPY {
				continue
			}
			name, _ := im.dyn.str(uint64(sym.name))
			if _, ok := optionVariables[name]; ok {
				return true
			}
		}
	}
	return false
}

// option makes a relocation give the rank's own variable, if it names one.
func (s *prelinked) option(at uint64, name string, addend uint64) bool {
	offset, ok := optionVariables[name]
	if !ok || s.p.optionsAt == 0 {
		return false
	}
	le.PutUint64(s.bytes[at+8:], uint64(elf.R_X86_64_RELATIVE))
	le.PutUint64(s.bytes[at+16:], s.p.optionsAt+offset+addend)
	s.bases = append(s.bases, at+16)
	return true
}

// startOptions gives those of a new rank the values that they have in a process.
func (h *ldso) startOptions(base uintptr) {
	if at := h.program.optionsAt; at != 0 {
		le.PutUint32(memory(base+uintptr(at+optionVariables["optind"]), 4), 1)
		le.PutUint32(memory(base+uintptr(at+optionVariables["opterr"]), 4), 1)
		le.PutUint32(memory(base+uintptr(at+optionVariables["optopt"]), 4), '?')
	}
}

// OptionVariable is the offset in a rank's image area of its own optarg, optind, opterr or optopt, where it does not share the C library's; 0
// where its program knows none.
func (p *Program) OptionVariable(name string) uint64 {
	if off, ok := p.Symbol(name); ok {
		return off
	}
	if p.optionsAt != 0 {
		return p.optionsAt + optionVariables[name]
	}
	return 0
}
