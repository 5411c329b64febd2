package privatize

import "debug/elf"

// maxChain bounds the walk along one hash chain; real tables have chains of a few entries.
const maxChain = 1 << 12

// symbol is an Elf64_Sym.
type symbol struct {
	name  uint32
	typ   elf.SymType
	bind  elf.SymBind
	vis   elf.SymVis
	shndx elf.SectionIndex
	value uint64
	size  uint64
}

// symbolAt decodes entry i of the dynamic symbol table.
func (d *dynamic) symbolAt(i uint64) (symbol, bool) {
	if i >= uint64(len(d.symtab)/symSize) {
		return symbol{}, false
	}
	b := d.symtab[i*symSize:]
	return symbol{
		name: le.Uint32(b), typ: elf.ST_TYPE(b[4]), bind: elf.ST_BIND(b[4]), vis: elf.ST_VISIBILITY(b[5]),
		shndx: elf.SectionIndex(le.Uint16(b[6:])), value: le.Uint64(b[8:]), size: le.Uint64(b[16:]),
	}, true
}

// bindsLocally reports whether a reference through the symbol may only mean the object's own definition.
func (s *symbol) bindsLocally() bool {
	defined := s.shndx != elf.SHN_UNDEF
	return s.bind == elf.STB_LOCAL || s.vis == elf.STV_HIDDEN || s.vis == elf.STV_INTERNAL ||
		(s.vis == elf.STV_PROTECTED && defined)
}

// exports reports whether the symbol is a definition other objects can bind to. A plain reference may not
// bind to an undefined entry, except that such an entry with a value is a program's canonical address of
// a function, which everything but a call has to use.
func (s *symbol) exports(call bool) bool {
	if s.bind == elf.STB_LOCAL || s.vis == elf.STV_HIDDEN || s.vis == elf.STV_INTERNAL || s.typ > elf.STT_TLS && s.typ != elf.STT_GNU_IFUNC {
		return false
	}
	if s.typ == elf.STT_SECTION || s.typ == elf.STT_FILE {
		return false
	}
	if s.shndx == elf.SHN_UNDEF {
		return s.value != 0 && !call
	}
	return s.value != 0 || s.shndx == elf.SHN_ABS || s.typ == elf.STT_TLS
}

// query is one question to the symbol tables: a name, perhaps with a version, asked by a call or else.
type query struct {
	name    string
	version string
	hidden  bool // the reference insists on its version
	call    bool // JUMP_SLOT
	hash    uint32
}

func newQuery(name, version string) *query {
	return &query{name: name, version: version, hash: gnuHashOf(name)}
}

// find returns the definition of q in this object.
func (im *image) find(q *query) (symbol, bool) {
	if im.dyn.gnuHash.buckets != nil {
		return im.dyn.findGNU(q)
	}
	return im.dyn.findSysV(q)
}

// pick is the state of a search in one object: several versions of a name may be met.
type pick struct {
	q        *query
	d        *dynamic
	fallback symbol
	found    int
}

// try decides on entry i, whose hash fits. True means: this is the one.
func (p *pick) try(i uint64) (symbol, bool) {
	s, ok := p.d.symbolAt(i)
	if !ok || !s.exports(p.q.call) || !p.d.strIs(uint64(s.name), p.q.name) {
		return symbol{}, false
	}
	word, versioned := p.d.versionOf(i)
	if !versioned {
		return s, true
	}
	if p.q.version != "" {
		name := p.d.versionName(word)
		return s, name == p.q.version || (name == "" && !p.q.hidden && word&versionHide == 0)
	}
	if word&versionIndex < 3 {
		return s, true
	}
	if word&versionHide == 0 {
		p.fallback = s
		p.found++
	}
	return symbol{}, false
}

// rest is the answer when no entry was exact: an unversioned reference takes the only default version.
func (p *pick) rest() (symbol, bool) { return p.fallback, p.found == 1 }
