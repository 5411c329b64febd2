package privatize

import (
	"debug/elf"
	"path/filepath"
	"slices"
)

// Entry holds the addresses a rank starts with. The order on the rank's stack: EarlyInit(0), CtypeInit(), Preinits and Inits
// with (argc, argv, envp), Main, the exit handlers, Finis, Fflush(0).
type Entry struct {
	Main        uintptr
	EarlyInit   uintptr // __libc_early_init(bool); 0 before glibc 2.32, whose libraries do all in their Inits
	CtypeInit   uintptr // __ctype_init(void)
	Fflush      uintptr // fflush of the rank's own libc
	CanRedirect bool    // the C library's mmap and munmap can be told to go on elsewhere
	Preinits    []uintptr
	Inits       []uintptr // libraries before what needs them
	Finis       []uintptr // the other way round

	// The image of libpthread.so.0 where that is a library of its own, before glibc 2.34: its Inits believe to be in the process's only one.
	Threads, ThreadsEnd uintptr

	// Addresses of libc variables to set before Inits: environ, the program's name in full and without folders.
	Environ        uintptr
	SingleThreaded uintptr // __libc_single_threaded inside of the C library, where the program's may be a copy; or 0
	Progname       uintptr // program_invocation_name
	ProgShort      uintptr // program_invocation_short_name
}

// entryOffsets is an Entry relative to the base. Function arrays are kept as the places of their words, because
// their contents are relocated like any other.
type entryOffsets struct {
	main                         uint64
	environ, progname, progShort uint64
	preinits, inits, finis       []initRef

	// What these refer to, once the resolvers have run: the same in all ranks.
	known                                 bool
	preinitsThere, initsThere, finisThere []startFunction
}

// startFunction is an offset of the image area, or an address outside.
type startFunction struct {
	at     uint64
	inside bool
}

// initRef is a function of DT_INIT or DT_FINI (direct), or a word of an array.
type initRef struct {
	at     uint64
	direct bool
}

// orderInits sorts the images so that each comes after those it needs. Among the orders possible it takes ld.so's,
// which programs have come to rely on: depth first, beginning with the image loaded last.
func (p *Program) orderInits() {
	visited := map[*image]bool{}
	p.inits = p.inits[:0]
	var visit func(im *image)
	visit = func(im *image) {
		if visited[im] {
			return
		}
		visited[im] = true
		for _, n := range im.dyn.needed {
			if dep := p.byName(n); dep != nil {
				visit(dep)
			}
		}
		p.inits = append(p.inits, im)
	}
	visited[p.images[0]] = true
	for i := len(p.images) - 1; i > 0; i-- {
		visit(p.images[i])
	}
	p.inits = append(p.inits, p.images[0])
}

// byName finds the image that satisfies a DT_NEEDED entry.
func (p *Program) byName(name string) *image {
	for _, im := range p.images {
		if im.name == name || im.dyn.soname == name {
			return im
		}
	}
	for _, im := range p.images[1:] {
		if filepath.Base(im.path) == filepath.Base(name) {
			return im
		}
	}
	return nil
}

// findEntry looks up what a rank's start needs besides main.
func (p *Program) findEntry() {
	e := &p.entry
	for _, w := range []struct {
		out  *uint64
		name string
	}{
		{&e.environ, "environ"}, {&e.progname, "program_invocation_name"}, {&e.progShort, "program_invocation_short_name"},
	} {
		if off, ok := p.Symbol(w.name); ok {
			*w.out = off
		}
	}
	p.collectInits()
}

func (p *Program) collectInits() {
	e := &p.entry
	e.preinits = p.images[0].arrayRefs(p.images[0].dyn.preinit)
	for _, im := range p.inits {
		if im.dyn.init != 0 {
			e.inits = append(e.inits, initRef{im.bias + im.dyn.init, true})
		}
		e.inits = append(e.inits, im.arrayRefs(im.dyn.initArr)...)
	}
	for i := len(p.inits) - 1; i >= 0; i-- {
		im := p.inits[i]
		refs := im.arrayRefs(im.dyn.finiArr)
		for j := len(refs) - 1; j >= 0; j-- {
			e.finis = append(e.finis, refs[j])
		}
		if im.dyn.fini != 0 {
			e.finis = append(e.finis, initRef{im.bias + im.dyn.fini, true})
		}
	}
}

func (im *image) arrayRefs(r vrange) []initRef {
	var refs []initRef
	for off := uint64(0); off < r.size; off += 8 {
		refs = append(refs, initRef{im.bias + r.vaddr + off, false})
	}
	return refs
}

// Entry returns the start addresses of the rank whose images are at base. Instance must have been called.
func (p *Program) Entry(base uintptr) Entry {
	e := &p.entry
	if !e.known {
		e.preinitsThere, e.initsThere, e.finisThere = p.functionsOf(e.preinits), p.functionsOf(e.inits), p.functionsOf(e.finis)
		e.known = p.resolved
	}
	abs := func(off uint64) uintptr {
		if off == 0 {
			return 0
		}
		return base + uintptr(off)
	}
	return Entry{
		Main: abs(e.main), EarlyInit: abs(p.inside.earlyInit), CtypeInit: abs(p.inside.ctypeInit), Fflush: abs(p.inside.fflush),
		Preinits: addresses(base, e.preinitsThere), Inits: addresses(base, e.initsThere), Finis: addresses(base, e.finisThere),
		Environ: abs(e.environ), Progname: abs(e.progname), ProgShort: abs(e.progShort), SingleThreaded: abs(p.inside.singleThreaded), CanRedirect: p.inside.canMap,
		Threads: abs(p.inside.threads.vaddr), ThreadsEnd: abs(p.inside.threads.vaddr + p.inside.threads.size),
	}
}

// functionsOf finds what references refer to, leaving out empty array entries.
func (p *Program) functionsOf(refs []initRef) []startFunction {
	fns := make([]startFunction, 0, len(refs))
	for _, r := range refs {
		if f := p.functionOf(r); f.inside || f.at != 0 {
			fns = append(fns, f)
		}
	}
	return fns
}

func (p *Program) functionOf(r initRef) startFunction {
	if r.direct {
		return startFunction{r.at, true}
	}
	s, ok := p.template.siteAt(r.at)
	inside := ok && (s.kind == siteInternal || s.kind == siteIfunc && p.resolvers[s.ref].inside)
	return startFunction{p.template.get(r.at), inside}
}

// addresses are those of the functions in the rank at base.
func addresses(base uintptr, fns []startFunction) []uintptr {
	list := make([]uintptr, len(fns))
	for i, f := range fns {
		list[i] = uintptr(f.at)
		if f.inside {
			list[i] += base
		}
	}
	return list
}

// Symbol returns the offset from base of a symbol that an image defines, searched as the program itself would
// search. Thread-local and IFUNC symbols are not found: see Address.
func (p *Program) Symbol(name string) (off uint64, ok bool) {
	q := newQuery(name, "")
	for _, im := range p.images {
		if s, ok := im.find(q); ok {
			t := im.own(s)
			return t.value, t.kind == targetInternal
		}
	}
	return 0, false
}

// BringsAllocator reports whether malloc is the program's own, or one of its libraries', instead of the C library's.
func (p *Program) BringsAllocator() bool {
	q := newQuery("malloc", "")
	for _, im := range p.images {
		if _, ok := im.find(q); ok {
			return !im.isCLibrary()
		}
	}
	return false
}

// Defines reports whether an image has a symbol of that name, for others to use or (unless it is stripped) for itself.
func (p *Program) Defines(name string) bool {
	q := newQuery(name, "")
	return slices.ContainsFunc(p.images, func(im *image) bool {
		if _, ok := im.find(q); ok {
			return true
		}
		_, ok := im.staticSymbol(name)
		return ok
	})
}

// findMain finds the program's main: from the code at its entry point, which works for stripped programs too,
// else by name.
func (p *Program) findMain() error {
	if at, ok := p.mainFromStart(); ok && at != 0 {
		p.entry.main = at
		return nil
	}
	prog := p.images[0]
	if s, ok := prog.find(newQuery("main", "")); ok && s.typ == elf.STT_FUNC {
		p.entry.main = prog.bias + s.value
		return nil
	}
	if v, ok := prog.staticSymbol("main"); ok {
		p.entry.main = prog.bias + v
		return nil
	}
	return &Refusal{prog.path, NoMain, "has no main that can be found", "build it without a start routine of its own, or do not strip it"}
}
