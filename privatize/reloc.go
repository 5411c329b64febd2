package privatize

import (
	"debug/elf"
	"errors"
	"fmt"
)

// relocation is an Elf64_Rela.
type relocation struct {
	vaddr  uint64
	typ    uint32
	sym    uint64
	addend uint64
}

// readRela leaves out the addend of the two types whose value is the symbol's alone: linkers that mark stubs (-z mark-plt, as glibc 2.39 and
// newer are built) keep the stub's address there.
func readRela(b []byte) relocation {
	info := le.Uint64(b[8:])
	rel := relocation{le.Uint64(b), uint32(info), info >> 32, le.Uint64(b[16:])}
	if typ := elf.R_X86_64(rel.typ); typ == elf.R_X86_64_JMP_SLOT || typ == elf.R_X86_64_GLOB_DAT {
		rel.addend = 0
	}
	return rel
}

// copyJob is a COPY relocation, done when all others are: it moves a library's variable, already relocated, into
// the program.
type copyJob struct {
	im *image
	r  relocation
}

// relocator carries what one pass over all images collects.
type relocator struct {
	*Program
	t          *template
	copies     []copyJob
	copied     []site // what the copies brought along; joins the others last, which have to stay sorted till then
	unresolved []*unresolvedError
}

// relocate builds the template.
func (p *Program) relocate() error {
	r := &relocator{Program: p, t: p.newTemplate()}
	p.template = r.t
	for _, im := range p.images {
		if err := r.image(im); err != nil {
			return err
		}
	}
	if len(r.unresolved) > 0 {
		return unresolvedRefusal(r.unresolved)
	}
	r.t.sortSites()
	for _, c := range r.copies {
		if err := r.copyVariable(c.im, c.r); err != nil {
			return err
		}
	}
	r.t.sites = append(r.t.sites, r.copied...)
	r.t.sortSites()
	p.imagesEnd = p.span
	p.placeTable()
	p.placeRecord()
	p.finishTemplate()
	return nil
}

func (r *relocator) image(im *image) error {
	if err := r.packed(im); err != nil {
		return err
	}
	for _, table := range [][]byte{im.dyn.rela, im.dyn.jmprel} {
		for ; len(table) >= relaSize; table = table[relaSize:] {
			if err := r.one(im, readRela(table)); err != nil {
				return err
			}
		}
	}
	return nil
}

// one applies a relocation; a symbol without a definition is noted and the pass goes on, so that all are counted.
func (r *relocator) one(im *image, rel relocation) error {
	err := r.apply(im, rel)
	var missing *unresolvedError
	if errors.As(err, &missing) {
		r.unresolved = append(r.unresolved, missing)
		return nil
	}
	return err
}

// packed applies DT_RELR.
func (r *relocator) packed(im *image) error {
	return eachPacked(im.dyn.relr, func(vaddr uint64) error { return r.packedWord(im, vaddr) })
}

// eachPacked visits the words of a DT_RELR table: an even entry is the address of one, an odd one a bitmap for the 63
// after.
func eachPacked(table []byte, visit func(vaddr uint64) error) error {
	var at uint64
	for b := table; len(b) >= 8; b = b[8:] {
		e := le.Uint64(b)
		if e&1 == 0 {
			if err := visit(e); err != nil {
				return err
			}
			at = e + 8
			continue
		}
		for i, bits := uint64(0), e>>1; bits != 0; i, bits = i+1, bits>>1 {
			if bits&1 == 0 {
				continue
			}
			if err := visit(at + 8*i); err != nil {
				return err
			}
		}
		at += 63 * 8
	}
	return nil
}

func (r *relocator) packedWord(im *image, vaddr uint64) error {
	if err := im.checkWord(vaddr); err != nil {
		return err
	}
	at := im.bias + vaddr
	return r.set(im, site{at: at, kind: siteInternal}, im.bias+r.t.get(at))
}

// checkWord wants 8 bytes in a segment that ranks have for themselves.
func (im *image) checkWord(vaddr uint64) error {
	s := im.segmentOf(vaddr, 8)
	if s == nil {
		return malformed(im.path, "relocates %#x, outside its segments", vaddr)
	}
	if !s.private() {
		return &Refusal{im.path, TextRelocation, fmt.Sprintf("has a text relocation (at %#x)", vaddr), wayPIC}
	}
	return nil
}

// set writes a word of the template.
func (r *relocator) set(im *image, s site, v uint64) error {
	if !r.t.set(s, v) {
		return malformed(im.path, "relocates more than %d pages of zeros", maxExtraPages)
	}
	return nil
}

// word writes the address of a target plus an addend, whatever kind the target is.
func (r *relocator) word(im *image, at uint64, t target, addend uint64) error {
	switch t.kind {
	case targetInternal:
		return r.set(im, site{at: at, kind: siteInternal}, t.value+addend)
	case targetExternal:
		v := uint64(r.externals.values[t.value]) + addend
		return r.set(im, site{at, addend, uint32(t.value), siteExternal}, v)
	case targetIfunc:
		if !t.im.isCode(t.value - t.im.bias) {
			return malformed(t.im.path, "has an IFUNC resolver at %#x, outside its code", t.value-t.im.bias)
		}
		return r.set(im, site{at, addend, r.resolver(t), siteIfunc}, 0)
	case targetTLS:
		return malformed(im.path, "takes the plain address of a thread-local variable")
	}
	return r.set(im, site{at: at}, t.value+addend)
}

// resolver numbers an IFUNC resolver by its offset.
func (p *Program) resolver(t target) uint32 {
	if i, ok := p.resolverAt[t.value]; ok {
		return i
	}
	i := uint32(len(p.resolvers))
	p.resolvers, p.resolverAt[t.value] = append(p.resolvers, resolver{im: t.im, at: t.value}), i
	return i
}

// copyVariable does a COPY relocation: the bytes of the library's variable and the sites among them.
func (r *relocator) copyVariable(im *image, rel relocation) error {
	s, ok := im.dyn.symbolAt(rel.sym)
	if !ok {
		return malformed(im.path, "copies symbol %d, which it does not have", rel.sym)
	}
	q, err := im.queryOf(rel.sym, s)
	if err != nil {
		return err
	}
	if seg := im.segmentOf(rel.vaddr, s.size); seg == nil || !seg.private() {
		return malformed(im.path, "copies %s outside its data", q.name)
	}
	t, ok := r.lookup(q, im, true)
	if !ok {
		if s.bind == elf.STB_WEAK {
			return nil
		}
		return unresolvedRefusal([]*unresolvedError{{im, q.String()}})
	}
	return r.copyFrom(im, im.bias+rel.vaddr, q, s.size, t)
}

func (r *relocator) copyFrom(im *image, at uint64, q *query, size uint64, t target) error {
	if t.size > 0 {
		size = min(size, t.size)
	}
	if size > maxExtraPages*pageSize {
		return malformed(im.path, "copies %d bytes of %s", size, q.name)
	}
	buf := make([]byte, size)
	switch t.kind {
	case targetExternal:
		if t.size == 0 {
			return &Refusal{im.path, Unresolved, "uses " + q.name + " as a variable, which the runtime provides as a function",
				"declare it as the header does"}
		}
		copy(buf, memory(r.externals.values[t.value], size))
	case targetInternal:
		if !r.readArea(t.im, t.value, buf) {
			return malformed(t.im.path, "has %s outside its data", q.name)
		}
	default:
		return malformed(im.path, "copies %s, which is not a variable", q.name)
	}
	if !r.t.write(at, buf) {
		return malformed(im.path, "copies more than %d pages of variables", maxExtraPages)
	}
	if t.kind == targetInternal {
		r.copySites(t.value, at, size)
	}
	return nil
}

func (r *relocator) copySites(from, to, size uint64) {
	for _, s := range r.t.sitesIn(from, size) {
		s.at += to - from
		r.copied = append(r.copied, s)
	}
}

// readArea reads relocated bytes of an image, be they private or from a read-only segment.
func (r *relocator) readArea(im *image, at uint64, buf []byte) bool {
	seg := im.segmentOf(at-im.bias, uint64(len(buf)))
	if seg == nil {
		return false
	}
	if seg.private() {
		r.t.read(at, buf)
		return true
	}
	b, ok := im.view(at-im.bias, uint64(len(buf)))
	copy(buf, b)
	return ok
}
