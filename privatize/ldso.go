package privatize

import (
	"debug/elf"
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// ldso is a program that ld.so loads for every rank, from a copy of its file whose addresses are pre-set to the rank's
// image area: ld.so takes a segment's address as its wish. Only the program itself is copied. Its libraries are those of
// the namespace that the method opens the copy in.
type ldso struct {
	program   *Program
	copy      *prelinked
	open      opener
	how       Facts
	extent    uint64 // of what ld.so maps, from the base
	made      int
	opened    map[uintptr]opened // by base
	given     map[string]definition
	ends      []string // files of the libraries with destructors, in their order
	hasOpened bool     // the libraries
}

// opener opens one prelinked copy of a program.
type opener interface {
	// place is told which libraries there will be, and answers where copies of the program find them.
	place(images []*image, libs []Library) ([]Library, error)
	// libraries opens what the program needs, before its first copy. They get what is given.
	libraries(given map[string]definition) error
	// open has ld.so load copy number n of this worker at base; libraries that come with it get what is given.
	open(n int, base uintptr, s *prelinked, given map[string]definition) (opened, error)
	// end runs the destructors of libraries, in that order.
	end(libraries []string)
}

// opened is a copy that ld.so has loaded.
type opened struct {
	symbol func(name string) uintptr // in its libraries
	close  func() error              // takes it away
	values []uint64                  // what ld.so has put into the copy: ldso_attach.go
}

// loadByLdso reads the program and prepares its copies; bind are the symbols that it gets from the runtime, libBind those that
// its libraries get.
func loadByLdso(prog string, libs []Library, o Options, bind, libBind map[string]uintptr, how Facts, open opener) (Images, error) {
	p := &Program{opts: o, align: pageSize, resolverAt: map[uint64]uint32{}}
	h := &ldso{program: p, open: open, how: how, opened: map[uintptr]opened{}}
	if err := h.load(prog, libs, bind, libBind); err != nil {
		p.Close()
		return nil, err
	}
	return h, nil
}

func (h *ldso) load(prog string, libs []Library, bind, libBind map[string]uintptr) error {
	p := h.program
	if err := p.open(prog, libs); err != nil {
		return err
	}
	if err := p.checkSanitizers(); err != nil {
		return err
	}
	if err := p.findHost(); err != nil {
		return err
	}
	var err error
	all, files := p.images, p.files
	h.ends = destructors(p.inits)
	p.images, p.files, p.inits = all[:1], files[:1], all[:1]
	if err = p.layout(); err == nil {
		h.placeOptions()
		libs, err = h.open.place(all[1:], libs)
	}
	if err == nil {
		h.copy, err = newPrelinked(p, all[1:], libs, bind, h.how)
	}
	if err == nil {
		err = h.give(all[0], all[1:], libBind)
	}
	for i, im := range all[1:] {
		unmapFile(im.data)
		files[1+i].Close()
	}
	if err != nil {
		return err
	}
	if err := p.relocateOwn(); err != nil {
		return err
	}
	h.placeRecord()
	p.collectInits()
	return p.findMain()
}

// providerName is the soname of the definitions for libraries.
const providerName = "ampirun-definitions"

// give collects what libraries get from the runtime: what it stands in for, and what they call that nobody else has, such as MPI.
// What the program or a library has itself is left alone, apart from the libraries of C, C++ and Fortran.
func (h *ldso) give(prog *image, libs []*image, bind map[string]uintptr) error {
	h.given = map[string]definition{}
	for name, at := range bind {
		if !prog.defines(name) && !slices.ContainsFunc(libs, func(l *image) bool { return !l.isCLibrary() && !l.isLanguageRuntime() && l.defines(name) }) {
			h.given[name] = definition{at: at}
		}
	}
	for _, lib := range libs {
		for name, isNeeded := range lib.missing() {
			if slices.ContainsFunc(libs, func(l *image) bool { return l.defines(name) }) || h.given[name].at != 0 {
				continue
			}
			if h.how.Libraries && prog.defines(name) {
				continue
			}
			if at := h.program.opts.fallback(name); at != 0 {
				h.given[name] = definition{at: at}
			} else if isNeeded && prog.defines(name) {
				return &Refusal{lib.path, OtherLoader, fmt.Sprintf("uses %s of the program, which libraries do not see under +privatize %s", name, h.how.Name),
					"take +privatize pie or pip"}
			}
		}
	}
	return nil
}

// missing lists the names that an image refers to and does not define, and whether it does not do without.
func (im *image) missing() map[string]bool {
	names := map[string]bool{}
	for _, table := range [][]byte{im.dyn.rela, im.dyn.jmprel} {
		for ; len(table) >= relaSize; table = table[relaSize:] {
			sym, ok := im.dyn.symbolAt(readRela(table).sym)
			if !ok || sym.name == 0 || sym.shndx != elf.SHN_UNDEF {
				continue
			}
			if name, ok := im.dyn.str(uint64(sym.name)); ok {
				names[name] = names[name] || sym.bind != elf.STB_WEAK
			}
		}
	}
	return names
}

// relocateOwn makes a template with the relocations that need no other object: enough to find main.
func (p *Program) relocateOwn() error {
	r := &relocator{Program: p, t: p.newTemplate()}
	p.template = r.t
	im := p.images[0]
	if err := r.packed(im); err != nil {
		return err
	}
	for _, table := range [][]byte{im.dyn.rela, im.dyn.jmprel} {
		for ; len(table) >= relaSize; table = table[relaSize:] {
			rel := readRela(table)
			if elf.R_X86_64(rel.typ) != elf.R_X86_64_RELATIVE {
				continue
			}
			if err := r.apply(im, rel); err != nil {
				return err
			}
		}
	}
	r.t.sortSites()
	return nil
}

// destructors lists the libraries that have any, each before those that it needs. The C library flushes streams only.
func destructors(inits []*image) (paths []string) {
	for _, im := range slices.Backward(inits[:len(inits)-1]) {
		if !im.isCLibrary() && (im.dyn.finiArr.size > 0 || im.dyn.fini != 0) {
			paths = append(paths, im.path)
		}
	}
	return paths
}

// Finish runs the destructors of the libraries: Fortran's, for one, writes what is left in its units.
func (h *ldso) Finish() { h.open.end(h.ends) }

func (h *ldso) Program() *Program { return h.program }

func (h *ldso) TLSSize() uint64 { return h.program.TLSSize() }

// Place has ld.so load a copy at base and makes the variables in it the job's memory.
func (h *ldso) Place(base uintptr) (Placed, error) {
	o, err := h.loadAt(base)
	if err != nil {
		return Placed{}, err
	}
	if err := h.program.adopt(base); err != nil {
		return Placed{}, err
	}
	h.record(base, o.values)
	h.startOptions(base)
	placed, err := h.describe(base, o.symbol)
	if err != nil {
		return Placed{}, err
	}
	return placed, placed.Stdio.open()
}

// hugePage is what kernels add to the length of a mapping of that size or more when they look for a place for it: a place that
// is asked for has to have that room too.
const hugePage = 2 << 20

// loadAt has ld.so load a copy at base, where it finds a hole.
func (h *ldso) loadAt(base uintptr) (opened, error) {
	p := h.program
	if err := p.checkBase(base); err != nil {
		return opened{}, err
	}
	if err := h.openLibraries(); err != nil {
		return opened{}, err
	}
	hole := h.extent
	if hole >= hugePage && p.opts.Backing != nil {
		hole += hugePage
	}
	if _, _, e := syscall.Syscall(syscall.SYS_MUNMAP, base, uintptr(hole), 0); e != 0 {
		return opened{}, fmt.Errorf("make room at %#x: %w", base, e)
	}
	o, err := h.open.open(h.made, base, h.copy, h.given)
	if err != nil {
		return opened{}, err
	}
	h.made++
	if !isMapped(base + uintptr(p.images[0].placedLow())) {
		return opened{}, fmt.Errorf("ld.so did not put %s at the address that its copy asks for (%#x): take +privatize pie", p.Path(), base)
	}
	o.values = h.valuesAt(base)
	h.opened[base] = o
	return o, h.restore(base, h.extent, hole-h.extent)
}

// openLibraries does so before the first copy, and not when the program is read: functions that libraries register for their end are
// kept encrypted by the C library, with a word that the job's workers agree on in between.
func (h *ldso) openLibraries() error {
	if h.hasOpened {
		return nil
	}
	h.hasOpened = true
	return h.open.libraries(h.given)
}

// restore maps the job's memory again over n bytes from an offset in the image area.
func (h *ldso) restore(base uintptr, at, n uint64) error {
	if n == 0 {
		return nil
	}
	b := h.program.opts.Backing(base)
	err := mmapAt(base+uintptr(at), n, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_NORESERVE, b.FD, b.Offset+int64(at))
	if err != nil {
		return fmt.Errorf("map the slice at %#x: %w", base+uintptr(at), mapHint(err))
	}
	return nil
}

// placedLow is the offset of the image's first page.
func (im *image) placedLow() uint64 { return im.bias + im.low() }

// adopt moves the pages of writable segments that ld.so has made into the job's own memory, where other workers reach them.
func (p *Program) adopt(base uintptr) error {
	if p.opts.Backing == nil {
		return nil
	}
	b := p.opts.Backing(base)
	for i := range p.privates {
		if err := p.adoptRange(base, b, &p.privates[i]); err != nil {
			return err
		}
	}
	return nil
}

// adoptRange keeps the contents of the pages that have any.
func (p *Program) adoptRange(base uintptr, b Backing, r *privateRange) error {
	kept := map[uint64][]byte{}
	file := pageUp(r.seg.fileEnd()) - pageDown(r.seg.vaddr)
	for off := uint64(0); off < r.size; off += pageSize {
		page := base + uintptr(r.at+off)
		if off >= file && !isResident(page) {
			continue
		}
		if data := memory(page, pageSize); !allZero(data) {
			kept[off] = append([]byte(nil), data...)
		}
	}
	if err := p.mapRange(base, b, r); err != nil {
		return err
	}
	for off, data := range kept {
		copy(memory(base+uintptr(r.at+off), pageSize), data)
	}
	return nil
}

// mapRange maps the job's memory over a range of variables.
func (p *Program) mapRange(base uintptr, b Backing, r *privateRange) error {
	prot := syscall.PROT_READ | syscall.PROT_WRITE
	if r.exec {
		prot |= syscall.PROT_EXEC
	}
	start := base + uintptr(r.at)
	if err := mmapAt(start, r.size, prot, syscall.MAP_SHARED|syscall.MAP_NORESERVE, b.FD, b.Offset+int64(r.at)); err != nil {
		return fmt.Errorf("map the variables of %s at %#x: %w", p.Path(), start, mapHint(err))
	}
	return nil
}

// describe is what a rank runs whose program is at base.
func (h *ldso) describe(base uintptr, library func(string) uintptr) (Placed, error) {
	p := h.program
	symbol := func(name string) uintptr {
		if off, ok := p.Symbol(name); ok {
			return base + uintptr(off)
		}
		return library(name)
	}
	stdio, err := loadedStdio(library)
	e := &p.entry
	return Placed{
		Base: base, First: true, Symbol: symbol, Stdio: stdio,
		Entry: Entry{
			Main: base + uintptr(e.main), CanRedirect: true, CtypeInit: symbol("__ctype_init"), Fflush: symbol("fflush"),
			Preinits: functionsIn(base, e.preinits), Inits: functionsIn(base, e.inits), Finis: functionsIn(base, e.finis),
			Environ: library("environ"), Progname: library("program_invocation_name"), ProgShort: library("program_invocation_short_name"),
		},
	}, err
}

// functionsIn reads function arrays that ld.so has relocated.
func functionsIn(base uintptr, refs []initRef) (fns []uintptr) {
	for _, r := range refs {
		f := base + uintptr(r.at)
		if !r.direct {
			f = uintptr(*word(f))
		}
		if f != 0 {
			fns = append(fns, f)
		}
	}
	return fns
}

// openingFailed explains a failure of ld.so.
func openingFailed(prog, method string, err error) error {
	what := strings.TrimPrefix(err.Error(), prog+": ")
	return &Refusal{prog, MissingLibrary, "cannot be loaded by ld.so (" + what + ")", "take +privatize pie instead of " + method}
}
