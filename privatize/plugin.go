package privatize

import (
	"crypto/sha256"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
)

// Plugin is a library that ranks open at run time. Its place, an offset from the base of a rank's image area, is the same in all ranks of
// the job, so that relocations are worked out once for all ranks that see the same other libraries; each rank that opens
// it gets its own writable segments there.
type Plugin struct {
	im     *image
	file   *os.File
	by     []*image // who asked for it first, and so on up to the program
	needs  []*image // its direct dependencies, in order; known once it has been opened
	placed bool
	units  map[string]*Program // relocated, by what is in scope
}

// Footprint is what of a library decides about its place. Sizes are in bytes; IdentityOf tells files apart.
type Footprint struct {
	Path              string
	Identity          []byte
	Size, Align       uint64
	HasTLS, StaticTLS bool // static: code relies on a fixed distance from the thread pointer
	TLSSize, TLSAlign uint64
	TLSSkew           uint64 // of the block's begin from its alignment
}

// Place is where the job puts a library. TLSOffset is the distance from the thread pointer down to its block, 0 for blocks that are allocated
// by thread; Module is its number for __tls_get_addr.
type Place struct {
	Offset    uint64
	Module    int
	TLSOffset uint64
}

// tableRoom is what lies behind each plugin for the record of external values.
const tableRoom = 4 * pageSize

// newPlugin reads the library at path, from the file that has it.
func newPlugin(path, file string, by []*image) (*Plugin, error) {
	f, data, err := mapFile(file)
	if err != nil {
		return nil, err
	}
	im, err := parse(path, data)
	if err == nil {
		err = checkPlugin(im)
	}
	if err != nil {
		unmapFile(data)
		f.Close()
		return nil, err
	}
	im.align = min(im.align, max(im.sectionAlign(), pageSize))
	if im.name = im.dyn.soname; im.name == "" {
		im.name = filepath.Base(path)
	}
	return &Plugin{im: im, file: f, by: by, units: map[string]*Program{}}, nil
}

func checkPlugin(im *image) error {
	if im.dyn.pie {
		return &Refusal{im.path, NotProgram, "is a program, not a shared library", "rebuild it with -shared"}
	}
	if im.execStack {
		return &Refusal{im.path, UnknownReloc, "wants an executable stack, which cannot be given at run time", "link it with the program"}
	}
	for _, s := range sanitizerSymbols {
		if im.defines(s) {
			return refuseSanitizer(im, s)
		}
	}
	return checkLibrary(im)
}

func (g *Plugin) close() {
	for _, u := range g.units {
		u.template.close()
	}
	unmapFile(g.im.data)
	g.file.Close()
}

// is reports whether the file is this plugin's.
func (g *Plugin) is(st os.FileInfo) bool {
	have, err := g.file.Stat()
	return err == nil && os.SameFile(have, st)
}

// Path is the plugin's file.
func (g *Plugin) Path() string { return g.im.path }

// Identity tells versions of a file apart.
func (g *Plugin) Identity() []byte { return g.im.identity() }

// identity is the linker's build ID, or for files without one a hash of all their bytes.
func (im *image) identity() []byte {
	if id := buildID(im.data); id != nil {
		return id
	}
	sum := sha256.Sum256(im.data)
	return sum[:]
}

func (g *Plugin) facts() Footprint {
	im := g.im
	f := Footprint{Path: im.path, Identity: im.identity(), Size: im.high() - im.low() + tableRoom, Align: im.align}
	if t := im.tls; t != nil {
		f.HasTLS, f.StaticTLS, f.TLSSize, f.TLSAlign = true, im.wantsStaticTLS(), t.memsz, t.align
		f.TLSSkew = -t.vaddr & (t.align - 1)
	}
	return f
}

// place takes over where the job puts the plugin.
func (g *Plugin) place(ask func(Footprint) (Place, error)) error {
	if g.placed {
		return nil
	}
	if t := g.im.tls; t != nil && t.align > maxTLSAlign {
		return (&Program{}).refuseTLSAlign(g.im)
	}
	at, err := ask(g.facts())
	if err != nil {
		return err
	}
	g.im.bias = at.Offset - g.im.low()
	if t := g.im.tls; t != nil {
		t.module, t.offset, t.dynamic = at.Module, at.TLSOffset, at.TLSOffset == 0
	}
	g.placed = true
	return nil
}

// wantsStaticTLS looks for relocations that need an own variable at a fixed distance from the thread pointer.
func (im *image) wantsStaticTLS() bool {
	for _, table := range [][]byte{im.dyn.rela, im.dyn.jmprel} {
		for ; len(table) >= relaSize; table = table[relaSize:] {
			r := readRela(table)
			if typ := elf.R_X86_64(r.typ); typ != elf.R_X86_64_TPOFF64 && typ != elf.R_X86_64_TLSDESC {
				continue
			}
			if s, ok := im.dyn.symbolAt(r.sym); r.sym == 0 || ok && s.shndx != elf.SHN_UNDEF {
				return true
			}
		}
	}
	return false
}

func refuseStaticTLS(im, of *image) error {
	what := fmt.Sprintf("uses thread-local variables of %s at a fixed place (initial-exec), for which no room is reserved", of.name)
	return &Refusal{im.path, TLSTooLarge, what, "link it with the program, or build it with -ftls-model=global-dynamic"}
}

// unit relocates the plugin for what is in scope, once for each scope.
func (g *Plugin) unit(p *Program, scope []*image, undefined uintptr) (*Program, error) {
	key := scopeKey(scope, undefined)
	if u := g.units[key]; u != nil {
		return u, nil
	}
	u := &Program{opts: p.opts, host: p.host, libc: p.libc, images: []*image{g.im}, files: []*os.File{g.file},
		abi: p.abi, converter: p.converter, scope: scope, scopeKey: key, lenient: undefined, copyData: true, align: g.im.align, resolverAt: map[uint64]uint32{}}
	g.im.resolved = map[uint64]target{}
	u.placeSegments(g.im)
	u.span = g.im.bias + g.im.high()
	if err := u.relocate(); err != nil {
		return nil, err
	}
	if u.span > g.im.bias+g.im.high()+tableRoom {
		return nil, malformed(g.im.path, "uses more than %d functions of the runtime", tableRoom/8)
	}
	g.units[key] = u
	return u, nil
}

// give makes the plugin's images in the area at base: fresh pages, like those that Instance wants.
func (g *Plugin) give(p, u *Program, base uintptr) error {
	if (uint64(base)+g.im.bias)%g.im.align != 0 {
		return &Refusal{g.im.path, Malformed, fmt.Sprintf("is aligned to %d bytes, more than slices are", g.im.align), "align its variables less"}
	}
	if err := u.mapFiles(base, false); err != nil {
		return err
	}
	u.copyPages(base)
	u.resolveHere(p, base)
	return nil
}

// resolveHere writes the answers of the resolvers that the plugin's words depend on.
func (u *Program) resolveHere(p *Program, base uintptr) {
	u.askResolvers(p, base)
	for i := range u.resolvers {
		*word(base + uintptr(u.resolverSlot(i))) = u.resolvers[i].recorded()
	}
	for _, s := range u.ifuncSites {
		*word(base + uintptr(s.at)) = u.resolvers[s.ref].value(base) + s.addend
	}
}

// askResolvers asks the plugin's own resolvers, and those of the program's images that have not been asked, for this rank.
func (u *Program) askResolvers(p *Program, base uintptr) {
	for i := range u.resolvers {
		r := &u.resolvers[i]
		v := uint64(base) + r.at
		if j, ok := p.resolverAt[r.at]; ok && p.resolved {
			v = p.resolvers[j].value(base)
		} else {
			call := []uint64{v}
			callResolvers(call)
			v = call[0]
		}
		if r.result, r.inside = v, u.isInside(v-uint64(base)); r.inside {
			r.result -= uint64(base)
		}
	}
}

func (u *Program) isInside(off uint64) bool {
	for _, im := range u.scope {
		if off >= im.bias+im.low() && off < im.bias+im.high() {
			return true
		}
	}
	return false
}
