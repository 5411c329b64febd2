package privatize

import (
	"debug/elf"
	"fmt"
)

// targetKind says what a symbol turned out to be.
type targetKind uint8

const (
	targetConst    targetKind = iota // absolute, or 0 for an undefined weak symbol
	targetInternal                   // value is an offset of the image area
	targetExternal                   // value is an address of this process
	targetIfunc                      // value is the offset of a resolver
	targetTLS                        // value is an offset in the block of im
)

// target is what a reference resolves to.
type target struct {
	kind  targetKind
	value uint64
	size  uint64
	im    *image
}

// externals numbers the values of this process that the images use. The numbers are the same in every
// process that loads the same program, the values need not be.
type externals struct {
	values []uintptr
	index  map[string]uint32
}

func (e *externals) number(name string, v uintptr) uint32 {
	if i, ok := e.index[name]; ok {
		return i
	}
	if e.index == nil {
		e.index = map[string]uint32{}
	}
	i := uint32(len(e.values))
	e.values, e.index[name] = append(e.values, v), i
	return i
}

// unresolvedError is a symbol nobody defines; relocate collects them.
type unresolvedError struct {
	im   *image
	name string
}

func (e *unresolvedError) Error() string { return "symbol " + e.name + " is not defined" }

// resolve finds what symbol i of im means. call tells JUMP_SLOT references apart.
func (p *Program) resolve(im *image, i uint64, call bool) (target, error) {
	key := i << 1
	if call {
		key |= 1
	}
	if t, ok := im.resolved[key]; ok {
		return t, nil
	}
	t, err := p.resolveNew(im, i, call)
	if err == nil {
		im.resolved[key] = t
	}
	return t, err
}

func (p *Program) resolveNew(im *image, i uint64, call bool) (target, error) {
	s, ok := im.dyn.symbolAt(i)
	if !ok {
		return target{}, malformed(im.path, "relocates with symbol %d, which it does not have", i)
	}
	if s.bindsLocally() {
		return im.own(s), nil
	}
	q, err := im.queryOf(i, s)
	if err != nil {
		return target{}, err
	}
	q.call = call
	if t, ok := p.lookupMPI(q, im); ok {
		return t, nil
	}
	if t, ok := p.lookup(q, im, false); ok {
		return t, nil
	}
	if s.bind == elf.STB_WEAK {
		return target{kind: targetConst}, nil
	}
	if call && p.lenient != 0 {
		return target{kind: targetExternal, value: uint64(p.externals.number("undefined functions", p.lenient))}, nil
	}
	return target{}, &unresolvedError{im, q.String()}
}

// isSection reports whether a symbol stands for a section: the linker gold has such symbols for an image's own thread-local block.
func (im *image) isSection(i uint64) bool {
	s, ok := im.dyn.symbolAt(i)
	return ok && s.typ == elf.STT_SECTION
}

// queryOf makes the question that symbol i of im asks.
func (im *image) queryOf(i uint64, s symbol) (*query, error) {
	name, ok := im.dyn.str(uint64(s.name))
	if !ok {
		return nil, malformed(im.path, "has symbol %d named outside its string table", i)
	}
	word, _ := im.dyn.versionOf(i)
	q := newQuery(name, im.dyn.versionName(word))
	q.hidden = word&versionHide != 0
	return q, nil
}

func (q *query) String() string {
	if q.version == "" {
		return q.name
	}
	return q.name + "@" + q.version
}

// lookup searches the scope of a reference from im: the runtime's bindings, the images from the program on, the
// host's loader, the runtime's fallback. copied skips the program, whose own entry is the copy.
func (p *Program) lookup(q *query, im *image, copied bool) (target, bool) {
	if im != nil && im.dyn.symbolic && !copied {
		if s, ok := im.find(q); ok {
			return im.own(s), true
		}
	}
	for i, def := range p.searched() {
		if copied && i == 0 {
			continue
		}
		s, ok := def.find(q)
		if !ok {
			continue
		}
		if v := p.opts.Bind[q.name]; v != 0 && def.isCLibrary() {
			break
		}
		return def.own(s), true
	}
	return p.lookupOutside(q)
}

// searched is the scope of references: the images of the program, or what a library opened at run time sees.
func (p *Program) searched() []*image {
	if p.scope != nil {
		return p.scope
	}
	return p.images
}

func (p *Program) lookupOutside(q *query) (target, bool) {
	if v := p.opts.Bind[q.name]; v != 0 {
		return target{kind: targetExternal, value: uint64(p.externals.number(q.name, v))}, true
	}
	if v, s, ok := p.host.hostValue(q); ok {
		return target{kind: targetExternal, value: uint64(p.externals.number(q.name, v)), size: s.size}, true
	}
	if p.converter != nil {
		return target{}, false // it has all that the program may ask for
	}
	return p.lookupFallback(q)
}

func (p *Program) lookupFallback(q *query) (target, bool) {
	if p.opts.Fallback == nil {
		return target{}, false
	}
	if v := p.opts.Fallback(q.name); v != 0 {
		return target{kind: targetExternal, value: uint64(p.externals.number(q.name, v))}, true
	}
	return target{}, false
}

// own makes a target of the image's own symbol.
func (im *image) own(s symbol) target {
	t := target{value: s.value, size: s.size, im: im}
	switch {
	case s.typ == elf.STT_TLS:
		t.kind = targetTLS
	case s.shndx == elf.SHN_ABS || (s.shndx == elf.SHN_UNDEF && s.value == 0):
		t.kind = targetConst
	case s.typ == elf.STT_GNU_IFUNC:
		t.kind, t.value = targetIfunc, im.bias+s.value
	default:
		t.kind, t.value = targetInternal, im.bias+s.value
	}
	return t
}

// isCLibrary reports whether the image is part of glibc, whose functions the runtime may replace.
func (im *image) isCLibrary() bool {
	switch im.dyn.soname {
	case libcSoname, threadsSoname, "libdl.so.2", "librt.so.1", "libutil.so.1":
		return true
	}
	return false
}

// unresolvedRefusal names the first symbol that nobody defines and counts the others.
func unresolvedRefusal(all []*unresolvedError) error {
	first := all[0]
	if isSanitizerSymbol(first.name) {
		return refuseSanitizer(first.im, first.name)
	}
	what := fmt.Sprintf("needs the symbol %s, which no library defines", first.name)
	if n := len(all) - 1; n > 0 {
		what += fmt.Sprintf(" (and %d more)", n)
	}
	if isFortranMPI(first.name) {
		return &Refusal{first.im.path, OtherMPI, what + ": the MPI 5 standard ABI has none for Fortran",
			"compile it again with ampif90, or give it the library that has the Fortran bindings"}
	}
	return &Refusal{first.im.path, Unresolved, what, "link the program with the library that has it"}
}
