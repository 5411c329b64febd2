package privatize

import (
	"debug/elf"
	"slices"
)

// Slot is a word through which an image calls a function of another one, or of itself where that can be interposed.
type Slot struct {
	Name   string // of the function
	Image  string // path of the image that calls
	Offset uint64 // of the word, from the base of a rank's image area
}

// Slots lists where the images keep the addresses of the functions with these names, at most one word for each image and name.
func (p *Program) Slots(names []string) (slots []Slot) {
	for _, im := range p.images {
		slots = append(slots, im.slots(names)...)
	}
	return slots
}

func (im *image) slots(names []string) (slots []Slot) {
	byIndex := map[uint64]bool{} // of symbols that were looked at
	for _, table := range [][]byte{im.dyn.jmprel, im.dyn.rela} {
		for ; len(table) >= relaSize; table = table[relaSize:] {
			rel := readRela(table)
			if !rel.holdsFunction() || byIndex[rel.sym] {
				continue
			}
			byIndex[rel.sym] = true
			if name, ok := im.symbolName(rel.sym); ok && slices.Contains(names, name) {
				slots = append(slots, Slot{name, im.path, im.bias + rel.vaddr})
			}
		}
	}
	return slots
}

// holdsFunction reports whether the relocated word is the plain address of a symbol.
func (r relocation) holdsFunction() bool {
	switch elf.R_X86_64(r.typ) {
	case elf.R_X86_64_JMP_SLOT, elf.R_X86_64_GLOB_DAT:
		return true
	case elf.R_X86_64_64:
		return r.addend == 0 && r.sym != 0
	}
	return false
}

func (im *image) symbolName(i uint64) (string, bool) {
	s, ok := im.dyn.symbolAt(i)
	if !ok {
		return "", false
	}
	return im.dyn.str(uint64(s.name))
}
