// Package privatize turns one position-independent program and all its shared libraries, the C library
// included, into any number of private images: every virtual rank gets its own globals, its own libc, its own
// thread-local variables, in its own slice of address space.
//
// It is an ELF loader of our own (method "pie"). Only the dynamic loader itself stays the host's: libc
// takes some twenty symbols from it. The images are relocated once, for base 0, into a template; a rank's images are
// the template's pages with the rank's base added at the words that hold addresses. Code is mapped from the
// files, so all ranks share it.
//
// Life of a Program: Resolve finds the libraries, Load checks and relocates, Instance makes the images of a rank, Attach
// adopts images that another process made, Detach lets them go. A Program may be used by one goroutine at a time.
package privatize

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"ampirun/internal/abi"
)

// Options say what surrounds the images.
type Options struct {
	// Bind gives symbols that the runtime takes from the C library and the dynamic loader: malloc, exit,
	// __tls_get_addr and so on. They come before a definition in the C library, and after one in the program or its
	// other libraries, so that a program with an allocator of its own keeps it.
	Bind map[string]uintptr
	// Fallback gives symbols that no image defines, such as MPI_* in the standard ABI; 0 means unknown. It may be nil.
	Fallback abi.Binding
	// ABIs are the kinds of MPI that programs may be built for; nil for abi.Known.
	ABIs abi.Table
	// TLSTop is the thread pointer of the thread that runs ranks, TLSReserve the bytes usable below it.
	TLSTop     uintptr
	TLSReserve uint64

	// BindShared stands in for Bind in methods whose ranks share the libraries of the process, BindNamespace in those whose
	// ranks have libraries in a namespace of their own.
	BindShared, BindNamespace map[string]uintptr
	// SharedLibraries and NamespaceLibraries are what these libraries get. They run on the thread that runs ranks also when no rank runs.
	SharedLibraries, NamespaceLibraries map[string]uintptr
	// Backing is what lies under an image area, for methods that have ld.so map something over it.
	Backing func(base uintptr) Backing
	// Agreed are addresses at which all workers of the job load the libraries that ranks share. It is memory of the region that nobody uses.
	Agreed Area
	// Opened is told of each library that ranks share once it is loaded, the C library first. It may be nil.
	Opened func(SharedLibrary)
	// Directory is a directory of the job for copies of the program; "" for methods that need none.
	Directory string
	// Copies says where files are read that are not what they were at their paths. Ranks know the paths.
	Copies map[string]string
}

// fallback is a symbol that no image defines, or 0.
func (o *Options) fallback(name string) uintptr {
	if o.Fallback == nil {
		return 0
	}
	return o.Fallback(name)
}

// file is where a file is read.
func (o *Options) file(path string) string {
	if c, ok := o.Copies[path]; ok {
		return c
	}
	return path
}

// Program is a program with its libraries, laid out and relocated, ready to be instantiated.
type Program struct {
	opts       Options
	images     []*image
	scope      []*image // where references are looked up; nil: in images
	scopeKey   string
	copyData   bool    // large data is copied as small data is: a rank's libraries are not committed when it leaves
	lenient    uintptr // what functions that nobody defines are bound to; 0: that is an error
	plugins    []*Plugin
	finder     *finder
	files      []*os.File
	host       *hostLoader
	libc       *image
	abi        *abi.ABI // the kind of MPI that the program was built for
	converter  *image   // what stands in for its MPI library, or nil
	inits      []*image // in order of dependency
	maps       []fileMap
	privates   []privateRange
	imagesEnd  uint64 // what follows, up to span, are pages for the loader's own records; 0 before relocation
	span       uint64
	align      uint64
	tlsSize    uint64
	tlsModules int
	externals  externals
	resolvers  []resolver
	resolverAt map[uint64]uint32
	resolved   bool // the resolvers have run in this process
	template   *template
	internal   []uint64         // offsets of the words to add the base to
	pages      []chunk          // what a rank's images start with
	onWrite    []fileMap        // mapped for writing: see onwrite.go
	isMapped   map[uintptr]bool // by base: this process has the files' read-only parts there

	// The sites that depend on the process, for Attach.
	externalSites, ifuncSites []site

	optionsAt uint64 // where a rank's optind and kin are, if its program reaches them: option_variables.go
	tableAt   uint64 // where a rank's external values are recorded
	inside    inside // of the C library
	entry     entryOffsets
	offsets   map[string]uint64 // of symbols that ranks have been given; 0: there is none
}

// Load reads the program and the libraries that Resolve found, checks them, lays them out and relocates them.
// A program that cannot run is a *Refusal. Call it in the worker that will run the ranks: values of the
// process's own dynamic loader go into the images.
func Load(prog string, libs []Library, o Options) (*Program, error) {
	p := newProgram(o)
	if err := p.load(prog, libs); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func newProgram(o Options) *Program {
	return &Program{opts: o, align: pageSize, resolverAt: map[uint64]uint32{}, offsets: map[string]uint64{}, isMapped: map[uintptr]bool{}}
}

func (p *Program) load(prog string, libs []Library) error {
	steps := []func() error{
		func() error { return p.open(prog, libs) },
		p.checkSanitizers,
		p.findHost,
		p.layout,
		func() error { return p.lookInside(true) },
		p.relocate,
		func() error { return p.lookInside(false) },
		p.findMain,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	p.findEntry()
	return nil
}

// open parses the program and its libraries in their order of search.
func (p *Program) open(prog string, libs []Library) error {
	if err := p.openImage(Library{Name: filepath.Base(prog), Path: prog}, checkProgram); err != nil {
		return err
	}
	for _, l := range libs {
		if isLoader(l.Name) {
			continue
		}
		if err := p.openImage(l, checkLibrary); err != nil {
			return err
		}
	}
	if err := p.openThreads(); err != nil {
		return err
	}
	p.orderInits()
	return p.chooseABI()
}

// openThreads adds libpthread.so.0 where that is a library of its own, before glibc 2.34, and the program does not link to it. The runtime's
// part of its functions would else be found without the rest: libraries that ask whether there are threads would take half of them.
func (p *Program) openThreads() error {
	if p.libc == nil || p.libc.defines("pthread_create") || p.byName(threadsSoname) != nil {
		return nil
	}
	path := filepath.Join(filepath.Dir(p.libc.path), threadsSoname)
	if _, err := os.Stat(path); err != nil { // a C library that was copied alone
		path = filepath.Join(filepath.Dir(hostLibc()), threadsSoname)
	}
	return p.openImage(Library{threadsSoname, path}, checkLibrary)
}

func (p *Program) openImage(l Library, check func(*image) error) error {
	f, data, err := mapFile(p.opts.file(l.Path))
	if err != nil {
		return err
	}
	if p.has(f) {
		unmapFile(data)
		return f.Close()
	}
	im, err := parse(l.Path, data)
	if err == nil {
		err = check(im)
	}
	if err != nil {
		unmapFile(data)
		f.Close()
		return err
	}
	im.name, im.copy = l.Name, p.opts.Copies[l.Path]
	p.images, p.files = append(p.images, im), append(p.files, f)
	if p.libc == nil && im.dyn.soname == libcSoname {
		p.libc = im
	}
	return nil
}

// mapFile opens a file and maps it read-only; the descriptor is closed on exec.
func mapFile(path string) (*os.File, []byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	st, err := f.Stat()
	if err == nil && !st.Mode().IsRegular() {
		err = &Refusal{path, NotELF, "is not a regular file", "give ampirun a compiled program"}
	}
	if err == nil && st.Size() == 0 {
		err = &Refusal{path, NotELF, "is empty", "give ampirun a compiled program"}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(st.Size()), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("map %s: %w", path, err)
	}
	return f, data, nil
}

// unmapFile undoes mapFile's mapping, which cannot fail for a mapping that exists.
func unmapFile(data []byte) {
	if err := syscall.Munmap(data); err != nil {
		panic("BUG: unmap a file: " + err.Error())
	}
}

// has reports whether the file is among the images already, under whatever name.
func (p *Program) has(f *os.File) bool {
	st, err := f.Stat()
	if err != nil {
		return false
	}
	return slices.ContainsFunc(p.files, func(g *os.File) bool {
		gst, err := g.Stat()
		return err == nil && os.SameFile(st, gst)
	})
}

// Close gives back files and memory. Images made by Instance keep running: their mappings do not depend
// on the descriptors.
func (p *Program) Close() error {
	p.template.close()
	for i, im := range p.images {
		unmapFile(im.data)
		p.files[i].Close()
	}
	for _, g := range p.plugins {
		g.close()
	}
	p.images, p.files, p.plugins = nil, nil, nil
	return nil
}

// Path returns the program's file as it was given to Load.
func (p *Program) Path() string { return p.images[0].path }

// Span returns the bytes of the image area, a multiple of the page size.
func (p *Program) Span() uint64 { return p.span }

// Align returns what the base of an image area must be a multiple of: the page size or more.
func (p *Program) Align() uint64 { return p.align }

// ExecStack reports whether an image asks for an executable stack, as nested functions of gcc and internal
// procedures of gfortran passed as arguments do.
func (p *Program) ExecStack() bool {
	return slices.ContainsFunc(p.images, func(im *image) bool { return im.execStack })
}
