package privatize

import (
	"bytes"
	"debug/elf"
	"fmt"
	"slices"
)

// Everything that the runtime uses of a C library beyond its interface is a row of the table insideParts, and is looked for here and nowhere else:
// in the tables of the file, in its relocated data, or by what it does (trial.go), never by the number of its version. What others need of it
// they get from the struct inside.

// inside is what was found in a C library. Addresses are offsets of the image area; 0 is for what it does not have.
type inside struct {
	earlyInit      uint64 // __libc_early_init(bool is_first)
	ctypeInit      uint64 // __ctype_init(void)
	fflush         uint64
	singleThreaded uint64 // char __libc_single_threaded, its own
	files          fileTable
	threads        vrange // the image of the library of threads, where that is not part of the C library
	canMap         bool   // mmap and munmap can be told to go on elsewhere
}

// fileTable is the table by which streams reach files: struct _IO_jump_t, whose words are functions.
type fileTable struct{ jumps, words, read, write, close uint64 }

// insidePart is one thing of a C library's inside.
type insidePart struct {
	name string
	how  string // it is found
	user string // what for
	lost string // what is lost where there is none; "": a program is refused
	raw  bool   // it can be looked for before relocation, which would fail without it
	find func(l *cLibrary) error
}

var insideParts = []insidePart{
	{name: "names of the loader", how: "all symbols that it wants of ld.so, among those of the one that this process has",
		user: "everything", raw: true, find: (*cLibrary).findLoaderNames},
	{name: "first function", how: "the symbol __libc_early_init; where ld.so does not know that name, constructors do its work",
		user: "a rank's start", find: (*cLibrary).findEarlyInit},
	{name: "start of character tables", how: "the symbol __ctype_init",
		user: "a rank's start, its threads", raw: true, find: func(l *cLibrary) error { return l.function("__ctype_init", &l.ctypeInit) }},
	{name: "fflush", how: "its symbol",
		user: "a rank's end", find: func(l *cLibrary) error { return l.function("fflush", &l.fflush) }},
	{name: "note of being alone", how: "the symbol __libc_single_threaded",
		user: "ranks without threads", lost: "they use atomic instructions", find: (*cLibrary).findSingleThreaded},
	{name: "table of file operations", how: "the symbol _IO_file_jumps, or what the stream stdout refers to; its entries by the functions in them",
		user: "streams", find: (*cLibrary).findFiles},
	{name: "library of threads", how: "a libpthread.so.0 that defines pthread_create",
		user: "a rank's start: what its constructors change of the thread and of ld.so is put back", lost: "nothing: threads are part of the C library", find: (*cLibrary).findThreads},
	{name: "room in mmap and munmap", how: "the sizes of their symbols",
		user: "files that the C library maps for a rank that moves", lost: "ranks with such files stay in their worker", find: (*cLibrary).findMapping},
}

// cLibrary is a C library that is looked into.
type cLibrary struct {
	inside
	p  *Program
	im *image
}

// lookInside fills in Program.inside, in two steps: before and after relocation. What a rank cannot do without is refused by name.
func (p *Program) lookInside(raw bool) error {
	l := &cLibrary{inside: p.inside, p: p, im: p.libc}
	for i := range insideParts {
		if insideParts[i].raw != raw {
			continue
		}
		if err := insideParts[i].find(l); err != nil && insideParts[i].lost == "" {
			return &Refusal{p.libc.path, OtherLibc, fmt.Sprintf("(%s) has no %s that can be found: %v", p.libc.release(), insideParts[i].name, err), wayOtherLibc}
		}
	}
	p.inside = l.inside
	return nil
}

const wayOtherLibc = "take +privatize fs or pip, which leave it to ld.so, or a newer ampirun"

// release is how a C library calls itself, for messages.
func (im *image) release() string {
	_, text, found := bytes.Cut(im.data, []byte("GNU C Library ("))
	if !found {
		return "a C library without a name"
	}
	text, _, _ = bytes.Cut(text[:min(len(text), 200)], []byte(".\n"))
	if i := bytes.LastIndexByte(text, ' '); i >= 0 {
		return "glibc " + string(text[i+1:])
	}
	return "glibc"
}

// symbol finds a definition by name.
func (l *cLibrary) symbol(name string) (symbol, error) {
	s, ok := l.im.find(newQuery(name, ""))
	if !ok {
		return s, fmt.Errorf("it has no symbol %s", name)
	}
	return s, nil
}

func (l *cLibrary) function(name string, out *uint64) error {
	s, err := l.symbol(name)
	if err == nil && !l.im.isCode(s.value) {
		err = fmt.Errorf("%s is not code", name)
	}
	if err == nil {
		*out = l.im.bias + s.value
	}
	return err
}

// findEarlyInit goes by the loader: it calls the function by its name.
func (l *cLibrary) findEarlyInit() error {
	const name = "__libc_early_init"
	err := l.function(name, &l.earlyInit)
	if err != nil && !bytes.Contains(l.p.host.im.data, []byte(name+"\x00")) {
		return nil
	}
	return err
}

func (l *cLibrary) findSingleThreaded() error {
	s, err := l.symbol("__libc_single_threaded")
	if err != nil {
		return err
	}
	if seg := l.im.segmentOf(s.value, 1); seg == nil || !seg.private() {
		return fmt.Errorf("__libc_single_threaded is not among the variables")
	}
	l.singleThreaded = l.im.bias + s.value
	return nil
}

// findThreads tells a library of threads from what newer releases have under its name, which has no code.
func (l *cLibrary) findThreads() error {
	im := l.p.byName(threadsSoname)
	if im == nil || !im.defines("pthread_create") {
		return fmt.Errorf("there is none")
	}
	l.threads = vrange{im.bias + im.low(), im.high() - im.low()}
	return nil
}

// maxJumps is more than struct _IO_jump_t has ever had: 21.
const maxJumps = 32

// findFiles finds the table by its symbol or, as it is one that programs never were to use, by the stream that everybody has: its last word
// refers to the table. Which entry does what follows from the functions in it.
func (l *cLibrary) findFiles() error {
	f := &l.files
	for name, out := range map[string]*uint64{"_IO_file_read": &f.read, "_IO_file_write": &f.write, "_IO_file_close": &f.close} {
		if err := l.function(name, out); err != nil {
			return err
		}
	}
	var tables []uint64
	if s, err := l.symbol("_IO_file_jumps"); err == nil {
		tables = append(tables, l.im.bias+s.value)
	}
	if s, err := l.symbol("_IO_2_1_stdout_"); err == nil && s.size >= 8 {
		if at, ok := l.p.codeInSlot(l.im.bias + s.value + s.size - 8); ok {
			tables = append(tables, at)
		}
	}
	if len(tables) == 0 {
		return fmt.Errorf("there is no symbol _IO_file_jumps, and stdout refers to no table")
	}
	for _, at := range tables {
		if n := l.wordsWith(at, f.read, f.write, f.close); n > 0 {
			f.jumps, f.words = at, n
			return nil
		}
	}
	return fmt.Errorf("_IO_file_read, _IO_file_write and _IO_file_close are not all in the table at %#x", tables[0]-l.im.bias)
}

// wordsWith is how many words from an offset on hold all of these functions, 0 if they do not.
func (l *cLibrary) wordsWith(at uint64, functions ...uint64) uint64 {
	for i := range uint64(maxJumps) {
		if f, ok := l.p.codeInSlot(at + 8*i); ok {
			functions = slices.DeleteFunc(functions, func(g uint64) bool { return f == g })
		}
		if len(functions) == 0 {
			return i + 1
		}
	}
	return 0
}

// findLoaderNames compares what the C library wants of ld.so with what there is: they are one program in two files.
func (l *cLibrary) findLoaderNames() error {
	d := &l.im.dyn
	for i := range d.lastNamed() {
		s, ok := d.symbolAt(i)
		if !ok || s.shndx != elf.SHN_UNDEF || s.bind == elf.STB_WEAK || s.name == 0 {
			continue
		}
		q, err := l.im.queryOf(i, s)
		if err != nil {
			return err
		}
		if _, ok := l.p.opts.Bind[q.name]; ok {
			continue
		}
		if _, _, ok := l.p.host.hostValue(q); ok || l.p.isDefined(q) {
			continue
		}
		return fmt.Errorf("it wants %s, which %s does not have", q, l.p.host.path)
	}
	return nil
}

func (p *Program) isDefined(q *query) bool {
	return slices.ContainsFunc(p.images, func(im *image) bool { _, ok := im.find(q); return ok })
}

// jumpSize is what vrank/libc/redirect.c writes over the first instructions of a function.
const jumpSize = 12

func (l *cLibrary) findMapping() error {
	for _, name := range []string{"mmap", "munmap"} {
		s, err := l.symbol(name)
		if err == nil && (s.size < jumpSize || !l.im.isCode(s.value) || !l.im.isCode(s.value+jumpSize)) {
			err = fmt.Errorf("%s has %d bytes", name, s.size)
		}
		if err != nil {
			return err
		}
	}
	l.canMap = true
	return nil
}
