package privatize

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
)

// prelinked is a program's file made ready for ld.so, for base 0: a copy for a rank is these bytes with the base added at
// some words. What the runtime provides is written in as numbers, initialisation is left to the rank, thread-local
// variables lie in the reserve.
type prelinked struct {
	p     *Program
	im    *image
	libs  []*image
	bind  map[string]uintptr
	how   Facts
	bytes []byte
	bases []uint64 // offsets of the words to add the base to

	foreign []uint64       // offsets in the image area of the words that ld.so fills with values of this process
	unseen  []string       // variables of libraries that the program has copies of, and that these would not see
	copies  []copiedVar    // those that the copy of the program shows to the libraries of its namespace
	strings []byte         // what stands in for the table of strings
	paths   map[string]int // where the path of a needed library is in it

	stringsAt uint64 // offset of the word that says where that is
	isLibrary bool   // ld.so initialises it, and it has its thread-local variables from there: prelinked_library.go
}

// tagIgnored is a tag of the range for operating systems that ld.so has no use for.
const tagIgnored = 0x6000000f

func newPrelinked(p *Program, libs []*image, provided []Library, bind map[string]uintptr, how Facts) (*prelinked, error) {
	im := p.images[0]
	s := &prelinked{p: p, im: im, libs: libs, bind: bind, how: how}
	return s, s.prepare(provided)
}

// prepare rewrites the file; provided are the libraries that it finds.
func (s *prelinked) prepare(provided []Library) error {
	var size uint64
	for _, l := range s.im.loads {
		size = max(size, l.off+l.filesz)
	}
	s.bytes, s.paths = slices.Clone(s.im.data[:size]), map[string]int{}
	steps := []func() error{s.headers, func() error { return s.dynamic(provided) }, s.versions, s.symbols, s.packed, s.relocations, s.checkCopies}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	if s.stringsAt != 0 { // anywhere in memory: the copy lies where it wants to, so that ld.so adds zero
		le.PutUint64(s.bytes[s.stringsAt:], uint64(hostBytes(s.strings)))
	}
	return nil
}

// at returns the file for a rank whose image area is at base.
func (s *prelinked) at(base uintptr) []byte {
	b := slices.Clone(s.bytes)
	for _, off := range s.bases {
		le.PutUint64(b[off:], le.Uint64(b[off:])+uint64(base))
	}
	return b
}

// moves makes the word at a file offset an address that depends on the base.
func (s *prelinked) moves(off uint64, address uint64) {
	le.PutUint64(s.bytes[off:], s.im.bias+address)
	s.bases = append(s.bases, off)
}

// headers moves the segments. Section headers are left out: they lie behind what is loaded.
func (s *prelinked) headers() error {
	s.moves(24, s.im.entry)
	clear(s.bytes[40:48])
	clear(s.bytes[58:64])
	at, n := le.Uint64(s.bytes[32:]), uint64(le.Uint16(s.bytes[56:]))
	if at+n*phdrSize > uint64(len(s.bytes)) {
		return malformed(s.im.path, "has its program headers outside its segments")
	}
	for ; n > 0; n, at = n-1, at+phdrSize {
		h := s.bytes[at:]
		typ := elf.ProgType(le.Uint32(h))
		switch {
		case !s.isLibrary && (typ == elf.PT_TLS || typ == elf.PT_GNU_RELRO): // the reserve is ours; the pages become the job's memory
			le.PutUint32(h, uint32(elf.PT_NULL))
		case typ == elf.PT_GNU_STACK: // ranks' stacks are ours too
			le.PutUint32(h[4:], uint32(elf.PF_R|elf.PF_W))
		default:
			address := le.Uint64(h[16:])
			s.moves(at+16, address)
			s.moves(at+24, address)
		}
	}
	return nil
}

// addressTags are the entries of the dynamic section that hold addresses and that ld.so uses.
var addressTags = []elf.DynTag{
	elf.DT_PLTGOT, elf.DT_HASH, elf.DT_SYMTAB, elf.DT_RELA, elf.DT_JMPREL, elf.DT_GNU_HASH, elf.DT_VERSYM,
	elf.DT_VERDEF, elf.DT_VERNEED, dtRELR,
}

// startTags hold addresses too, of what a rank does itself for its program.
var startTags = []elf.DynTag{
	elf.DT_INIT, elf.DT_FINI, elf.DT_INIT_ARRAY, elf.DT_FINI_ARRAY, elf.DT_PREINIT_ARRAY, elf.DT_TLSDESC_PLT, elf.DT_TLSDESC_GOT, dtX86PLT,
}

// droppedTags are the rest of that, and what makes ld.so refuse a program.
var droppedTags = []elf.DynTag{elf.DT_INIT_ARRAYSZ, elf.DT_FINI_ARRAYSZ, elf.DT_PREINIT_ARRAYSZ, elf.DT_DEBUG, dtX86PLTSize, dtX86PLTEntry}

// The stubs that a linker has marked (-z mark-plt), for an ld.so that is told to rewrite them.
const dtX86PLT, dtX86PLTSize, dtX86PLTEntry elf.DynTag = 0x70000000, 0x70000001, 0x70000003

func (s *prelinked) dynamic(provided []Library) error {
	start, ok := s.offset(s.im.dynSeg.vaddr)
	if !ok {
		return s.im.noDynamic()
	}
	s.strings = slices.Clone(s.im.dyn.strtab)
	for at := start; at+16 <= start+s.im.dynSeg.size; at += 16 {
		tag, value := elf.DynTag(le.Uint64(s.bytes[at:])), le.Uint64(s.bytes[at+8:])
		switch {
		case tag == elf.DT_NULL:
			return nil
		case slices.Contains(addressTags, tag), s.isLibrary && slices.Contains(startTags, tag):
			s.moves(at+8, value)
		case tag == elf.DT_NEEDED && s.needs(at, value, provided):
		case !s.isLibrary && (slices.Contains(startTags, tag) || slices.Contains(droppedTags, tag)), tag == elf.DT_NEEDED:
			le.PutUint64(s.bytes[at:], tagIgnored)
		case tag == elf.DT_STRTAB:
			s.stringsAt = at + 8
			s.foreign = append(s.foreign, s.im.bias+s.im.dynSeg.vaddr+s.stringsAt-start)
		case tag == elf.DT_FLAGS_1:
			le.PutUint64(s.bytes[at+8:], value&^uint64(elf.DF_1_PIE))
		case tag == elf.DT_FLAGS && !s.isLibrary:
			le.PutUint64(s.bytes[at+8:], value&^uint64(elf.DF_STATIC_TLS))
		}
	}
	return nil
}

// needs has ld.so load a needed library from where the job's manager has found it: the copy lies elsewhere than the program, so that
// $ORIGIN is not what it was. It tells whether there is one to load.
func (s *prelinked) needs(at, name uint64, found []Library) bool {
	text, _ := s.im.dyn.str(name)
	i := slices.IndexFunc(found, func(l Library) bool { return l.Name == text })
	if i >= 0 && !isLoader(text) {
		le.PutUint64(s.bytes[at+8:], uint64(len(s.strings)))
		s.paths[text] = len(s.strings)
		s.strings = append(append(s.strings, found[i].Path...), 0)
	}
	return i >= 0 || isLoader(text)
}

// versions has ld.so look for needed versions in the libraries by the names that they are loaded by. What is needed of libraries
// that the runtime stands in for is said to be dispensable, of whatever library.
func (s *prelinked) versions() error {
	for _, vaddr := range s.im.dyn.verneeds {
		at, ok := s.offset(vaddr)
		if !ok {
			return malformed(s.im.path, "has its needed versions outside its data")
		}
		name, _ := s.im.dyn.str(uint64(le.Uint32(s.bytes[at+4:])))
		if path, ok := s.paths[name]; ok {
			le.PutUint32(s.bytes[at+4:], uint32(path))
		} else if !isLoader(name) {
			le.PutUint32(s.bytes[at+4:], uint32(s.paths[libcSoname]))
			s.weaken(at)
		}
	}
	return nil
}

// weaken marks all versions of an entry as those that may be missing.
func (s *prelinked) weaken(at uint64) {
	const weak = 2 // VER_FLG_WEAK
	aux := at + uint64(le.Uint32(s.bytes[at+8:]))
	for n := le.Uint16(s.bytes[at+2:]); n > 0 && aux+16 <= uint64(len(s.bytes)); n-- {
		le.PutUint16(s.bytes[aux+4:], le.Uint16(s.bytes[aux+4:])|weak)
		aux += uint64(le.Uint32(s.bytes[aux+12:]))
	}
}

// offset is where the file has the bytes of an address.
func (s *prelinked) offset(vaddr uint64) (uint64, bool) {
	for _, l := range s.im.loads {
		if vaddr >= l.vaddr && vaddr-l.vaddr < l.filesz {
			return l.off + vaddr - l.vaddr, true
		}
	}
	return 0, false
}

// symbols moves the program's definitions, as far as the tables that refer to symbols go.
func (s *prelinked) symbols() error {
	d := &s.im.dyn
	if len(d.symtab) == 0 {
		return nil
	}
	start := uint64(sliceOffset(s.im.data, d.symtab))
	for i := range d.lastNamed() {
		sym, ok := d.symbolAt(i)
		if !ok {
			return malformed(s.im.path, "has symbol %d outside its symbol table", i)
		}
		if sym.value == 0 || sym.shndx == elf.SHN_ABS || sym.typ == elf.STT_TLS {
			continue
		}
		s.moves(start+i*symSize+8, sym.value)
	}
	return nil
}

// lastNamed is one more than the highest symbol that a hash table or a relocation names.
func (d *dynamic) lastNamed() uint64 {
	n := d.symbolCount()
	for _, table := range [][]byte{d.rela, d.jmprel} {
		for ; len(table) >= relaSize; table = table[relaSize:] {
			n = max(n, readRela(table).sym+1)
		}
	}
	return n
}

// packed moves DT_RELR: its even entries are addresses, and every word that it names holds one.
func (s *prelinked) packed() error {
	d := &s.im.dyn
	if len(d.relr) == 0 {
		return nil
	}
	start := uint64(sliceOffset(s.im.data, d.relr))
	for off := uint64(0); off+8 <= uint64(len(d.relr)); off += 8 {
		if e := le.Uint64(d.relr[off:]); e&1 == 0 {
			s.moves(start+off, e)
		}
	}
	return eachPacked(d.relr, func(vaddr uint64) error {
		at, ok := s.offset(vaddr)
		if !ok {
			return malformed(s.im.path, "relocates %#x, outside its data", vaddr)
		}
		s.moves(at, le.Uint64(s.bytes[at:]))
		return nil
	})
}

// relocations moves the places of relocations, and rewrites those whose result is known here.
func (s *prelinked) relocations() error {
	for _, table := range [][]byte{s.im.dyn.rela, s.im.dyn.jmprel} {
		if len(table) == 0 {
			continue
		}
		start := uint64(sliceOffset(s.im.data, table))
		for off := uint64(0); off+relaSize <= uint64(len(table)); off += relaSize {
			rel := readRela(table[off:])
			s.moves(start+off, rel.vaddr)
			if err := s.relocation(start+off, rel); err != nil {
				return err
			}
		}
	}
	return nil
}

// becomes makes a relocation write v. The copy lies where it wants to, so that ld.so adds zero.
func (s *prelinked) becomes(at, v uint64) error {
	le.PutUint64(s.bytes[at+8:], uint64(elf.R_X86_64_RELATIVE))
	le.PutUint64(s.bytes[at+16:], v)
	return nil
}

func (s *prelinked) relocation(at uint64, rel relocation) error {
	typ := elf.R_X86_64(rel.typ)
	switch typ {
	case elf.R_X86_64_RELATIVE, elf.R_X86_64_IRELATIVE:
		s.moves(at+16, rel.addend)
		return nil
	}
	if s.isLibrary { // the rest is ld.so's
		return nil
	}
	switch typ {
	case elf.R_X86_64_DTPMOD64, elf.R_X86_64_DTPOFF64, elf.R_X86_64_TPOFF64, elf.R_X86_64_TLSDESC:
		return s.threadLocal(at, typ, rel)
	}
	sym, ok := s.im.dyn.symbolAt(rel.sym)
	if !ok {
		return malformed(s.im.path, "relocates with symbol %d, which it does not have", rel.sym)
	}
	name, _ := s.im.dyn.str(uint64(sym.name))
	if typ == elf.R_X86_64_COPY {
		return s.copied(at, rel.sym, name)
	}
	if sym.shndx != elf.SHN_UNDEF || rel.sym == 0 || s.option(at, name, rel.addend) {
		return nil
	}
	v, err := s.provided(name)
	if err != nil {
		return err
	}
	if v == 0 {
		s.foreign = append(s.foreign, s.im.bias+rel.vaddr)
		return nil
	}
	return s.becomes(at, uint64(v)+rel.addend)
}

// isLanguageRuntime tells the libraries of C++ and Fortran, of which the runtime takes over what is kept for each thread or process.
func (im *image) isLanguageRuntime() bool {
	return slices.ContainsFunc([]string{"libstdc++.so", "libc++", "libgfortran.so"}, func(name string) bool { return strings.HasPrefix(im.dyn.soname, name) })
}

// provided is the address of what the runtime stands in for, 0 for what ld.so has to find.
func (s *prelinked) provided(name string) (uintptr, error) {
	v := s.bind[name]
	if v == 0 {
		v = s.p.opts.fallback(name)
	}
	if v == 0 {
		return 0, nil
	}
	for _, lib := range s.libs {
		if _, ok := lib.find(newQuery(name, "")); !ok || lib.isCLibrary() || lib.isLanguageRuntime() && s.bind[name] != 0 {
			continue
		}
		if strings.HasPrefix(name, "MPI_") || strings.HasPrefix(name, "PMPI_") {
			return 0, &Refusal{s.im.path, OtherLoader, fmt.Sprintf("takes %s from its library %s, which +privatize %s has no place for", name, lib.path, s.how.Name),
				"take +privatize pie"}
		}
		return 0, nil
	}
	return v, nil
}

// threadLocal writes what is known of the program's own thread-local variables. Those of libraries are ld.so's.
func (s *prelinked) threadLocal(at uint64, typ elf.R_X86_64, rel relocation) error {
	v := rel.addend
	if rel.sym != 0 {
		sym, ok := s.im.dyn.symbolAt(rel.sym)
		if !ok {
			return malformed(s.im.path, "relocates with symbol %d, which it does not have", rel.sym)
		}
		if sym.shndx == elf.SHN_UNDEF {
			if typ == elf.R_X86_64_TPOFF64 {
				s.foreign = append(s.foreign, s.im.bias+rel.vaddr)
				return nil
			}
			return s.refuseTLS("has thread-local variables of a library")
		}
		v += sym.value
	}
	if s.im.tls == nil {
		return malformed(s.im.path, "has a thread-local relocation and no thread-local variables")
	}
	switch typ {
	case elf.R_X86_64_DTPMOD64:
		v = uint64(s.im.tls.module)
	case elf.R_X86_64_TPOFF64:
		v -= s.im.tls.offset
	case elf.R_X86_64_TLSDESC:
		return s.refuseTLS("has descriptors of thread-local variables (-mtls-dialect=gnu2)")
	}
	return s.becomes(at, v)
}

func (s *prelinked) refuseTLS(what string) error {
	return &Refusal{s.im.path, UnknownReloc, what + ", which +privatize " + s.how.Name + " cannot give to each rank", "take +privatize pie"}
}
