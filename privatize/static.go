package privatize

import "debug/elf"

// staticSymbol looks a function up in the symbol table that strip removes. Section headers are not needed to run
// a program, so anything odd about them only means that nothing is found.
func (im *image) staticSymbol(name string) (uint64, bool) {
	symtab, strtab, ok := im.staticTables()
	if !ok {
		return 0, false
	}
	d := dynamic{symtab: symtab, strtab: strtab}
	for i := uint64(0); i < uint64(len(symtab)/symSize); i++ {
		s, _ := d.symbolAt(i)
		if s.typ == elf.STT_FUNC && s.bind != elf.STB_LOCAL && s.shndx != elf.SHN_UNDEF && d.strIs(uint64(s.name), name) {
			return s.value, im.isCode(s.value)
		}
	}
	return 0, false
}

// sectionAlign is what the file's contents need to be aligned to: its segments may ask for more, since older linkers thought of pages of 2 MiB, and
// code asks for speed alone. A file without sections is taken at its word.
func (im *image) sectionAlign() uint64 {
	headers, ok := im.sectionHeaders()
	if !ok || len(headers) == 0 {
		return im.align
	}
	align := uint64(1)
	for b := headers; len(b) > 0; b = b[shdrSize:] {
		if elf.SectionFlag(le.Uint64(b[8:]))&(elf.SHF_ALLOC|elf.SHF_EXECINSTR) == elf.SHF_ALLOC {
			align = max(align, le.Uint64(b[48:]))
		}
		if align&(align-1) != 0 {
			return im.align
		}
	}
	return align
}

const shdrSize = 64

func (im *image) sectionHeaders() ([]byte, bool) {
	off, size, n := le.Uint64(im.data[40:]), le.Uint16(im.data[58:]), uint64(le.Uint16(im.data[60:]))
	headers, ok := im.fileBytes(off, n*shdrSize)
	return headers, ok && size == shdrSize
}

// staticTables returns the bytes of SHT_SYMTAB and of its strings.
func (im *image) staticTables() (symtab, strtab []byte, ok bool) {
	headers, ok := im.sectionHeaders()
	if !ok {
		return nil, nil, false
	}
	n := uint64(len(headers) / shdrSize)
	for b := headers; len(b) > 0; b = b[shdrSize:] {
		link := uint64(le.Uint32(b[40:]))
		if elf.SectionType(le.Uint32(b[4:])) != elf.SHT_SYMTAB || link >= n {
			continue
		}
		str := headers[link*shdrSize:]
		symtab, ok1 := im.fileBytes(le.Uint64(b[24:]), le.Uint64(b[32:]))
		strtab, ok2 := im.fileBytes(le.Uint64(str[24:]), le.Uint64(str[32:]))
		return symtab, strtab, ok1 && ok2
	}
	return nil, nil, false
}
