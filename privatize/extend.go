package privatize

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"ampirun/internal/abi"
)

// Opening is one call of dlopen.
type Opening struct {
	Name       string
	Caller     uint64 // offset of the calling code in the rank's image area
	Lazy       bool   // functions that nobody defines are bound to Undefined
	Deep       bool   // the library's own dependencies come before the global scope
	LoadedOnly bool   // RTLD_NOLOAD

	Loaded      []*Plugin // what the rank has opened so far
	Global      []*Plugin // those of them that everybody sees, in order
	LibraryPath string    // LD_LIBRARY_PATH, the same at each call
	Undefined   uintptr
	Place       func(Footprint) (Place, error) // called once for each plugin
}

// Extension is what an Opening found: ready to be given to the rank.
type Extension struct {
	Root  int       // the image of the program that was asked for, or -1
	Group []*Plugin // the plugin asked for and the plugins it needs, in order of search
	New   []*Plugin // those that the rank does not have yet, dependencies first
	units []*Program
	p     *Program
}

// Open finds and relocates a library and what it needs, for one rank. It changes nothing of the rank: Give does.
// The extension is nil for a library that LoadedOnly keeps from being loaded. An error says in one line why there is no such library, in ld.so's
// words where there are any.
func (p *Program) Open(o *Opening) (*Extension, error) {
	if p.finder == nil {
		p.finder = newFinder(o.LibraryPath)
	}
	e := &Extension{Root: -1, p: p}
	s := &opening{Opening: o, p: p}
	root, err := s.want(o.Name, s.callers())
	if err != nil {
		return nil, err
	}
	if root == nil {
		return nil, nil
	}
	e.Root = slices.Index(p.images, root)
	group := groupOf(p, root)
	for _, im := range group {
		if g := p.pluginOf(im); g != nil {
			e.Group = append(e.Group, g)
		}
	}
	return e, s.prepare(e, group)
}

// opening is the work of one call.
type opening struct {
	*Opening
	p     *Program
	fresh []*Plugin
}

// prepare places and relocates what is new.
func (s *opening) prepare(e *Extension, group []*image) error {
	for _, g := range s.fresh {
		if err := g.place(s.Place); err != nil {
			return err
		}
	}
	scope := s.scope(group)
	for _, g := range sortNew(s.fresh) {
		var undefined uintptr
		if s.Lazy {
			undefined = s.Undefined
		}
		u, err := g.unit(s.p, scope, undefined)
		if err != nil {
			return err
		}
		e.New, e.units = append(e.New, g), append(e.units, u)
	}
	return nil
}

// scope is what the new libraries see.
func (s *opening) scope(group []*image) []*image {
	global := append([]*image(nil), s.p.images...)
	for _, g := range s.Global {
		global = append(global, g.im)
	}
	lists := [][]*image{global, group}
	if s.Deep {
		lists = [][]*image{group, global}
	}
	var scope []*image
	for _, im := range slices.Concat(lists...) {
		if !slices.Contains(scope, im) {
			scope = append(scope, im)
		}
	}
	return scope
}

// sortNew puts each plugin behind those it needs.
func sortNew(all []*Plugin) []*Plugin {
	var sorted []*Plugin
	visited := map[*image]bool{}
	var visit func(g *Plugin)
	visit = func(g *Plugin) {
		if visited[g.im] {
			return
		}
		visited[g.im] = true
		for _, n := range g.needs {
			if i := slices.IndexFunc(all, func(h *Plugin) bool { return h.im == n }); i >= 0 {
				visit(all[i])
			}
		}
		sorted = append(sorted, g)
	}
	for _, g := range all {
		visit(g)
	}
	return sorted
}

// callers are the object that calls and those that have loaded it.
func (s *opening) callers() []*image {
	im := s.p.imageAt(s.Caller)
	if g := s.p.pluginOf(im); g != nil {
		return append([]*image{im}, g.by...)
	}
	if im == nil || im == s.p.images[0] {
		return s.p.images[:1]
	}
	return []*image{im, s.p.images[0]}
}

// want finds the image for a name, with all it needs; nil if the rank does not have it and shall not get it.
func (s *opening) want(name string, by []*image) (*image, error) {
	if im := s.loaded(name); im != nil {
		return im, nil
	}
	if a := abiOf(s.p.opts.abis(), by[0], name); a != nil && a != abi.Unknown {
		return s.p.standIn(name, a)
	}
	path, ok := s.p.finder.find(name, by)
	if !ok {
		return nil, fmt.Errorf("%s: cannot open shared object file: No such file or directory", name)
	}
	im, g, err := s.file(name, path, by)
	if err != nil || g == nil {
		return im, err
	}
	if slices.Contains(s.Loaded, g) || slices.Contains(s.fresh, g) {
		return g.im, nil
	}
	if s.LoadedOnly {
		return nil, nil
	}
	s.fresh = append(s.fresh, g)
	return g.im, s.needs(g)
}

// needs finds what a plugin depends on directly; each of them does so for itself.
func (s *opening) needs(g *Plugin) error {
	var needs []*image
	for _, name := range g.im.dyn.needed {
		if isLoader(name) || s.p.converter == nil && s.p.isServed(g.im, name) {
			continue
		}
		im, err := s.want(name, append([]*image{g.im}, g.by...))
		if err != nil {
			return err
		}
		needs = append(needs, im)
	}
	g.needs = needs
	return nil
}

// loaded finds a name among what the rank has.
func (s *opening) loaded(name string) *image {
	if name == "" {
		return s.p.images[0]
	}
	for _, im := range s.p.images[1:] {
		if im.name == name || im.dyn.soname == name {
			return im
		}
	}
	for _, g := range slices.Concat(s.Loaded, s.fresh) {
		if g.im.dyn.soname == name || g.im.path == name {
			return g.im
		}
	}
	return nil
}

// file opens a file that may be one of the program's images or a plugin already; g is nil for the former.
func (s *opening) file(name, path string, by []*image) (*image, *Plugin, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, nil, err
	}
	st, err := os.Stat(abs)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: cannot open shared object file: %s", name, osReason(err))
	}
	for i, f := range s.p.files {
		if have, err := f.Stat(); err == nil && os.SameFile(have, st) {
			return s.p.images[i], nil, nil
		}
	}
	for _, g := range s.p.plugins {
		if g.is(st) {
			return g.im, g, nil
		}
	}
	g, err := newPlugin(abs, abs, by)
	if err != nil {
		return nil, nil, err
	}
	if a := kindOf(s.p.opts.abis(), g.im); a != nil {
		g.close()
		im, err := s.p.standIn(name, a)
		return im, nil, err
	}
	s.p.plugins = append(s.p.plugins, g)
	return g.im, g, nil
}

func osReason(err error) string {
	if os.IsNotExist(err) {
		return "No such file or directory"
	}
	if os.IsPermission(err) {
		return "Permission denied"
	}
	return err.Error()
}

// Give puts the new libraries of the extension into the area at base of the rank that opened them.
func (e *Extension) Give(base uintptr) error {
	for i, g := range e.New {
		if err := g.give(e.p, e.units[i], base); err != nil {
			return err
		}
	}
	return nil
}

// Inits and Finis are the addresses of the constructors and destructors of New[i] for the rank at base, in the order of their calls.
func (e *Extension) Inits(i int, base uintptr) []uintptr {
	im, u := e.New[i].im, e.units[i]
	var refs []initRef
	if im.dyn.init != 0 {
		refs = append(refs, initRef{im.bias + im.dyn.init, true})
	}
	return addresses(base, u.functionsOf(append(refs, im.arrayRefs(im.dyn.initArr)...)))
}

// Finis is what Inits is for the end.
func (e *Extension) Finis(i int, base uintptr) []uintptr {
	im, u := e.New[i].im, e.units[i]
	refs := im.arrayRefs(im.dyn.finiArr)
	slices.Reverse(refs)
	if im.dyn.fini != 0 {
		refs = append(refs, initRef{im.bias + im.dyn.fini, true})
	}
	return addresses(base, u.functionsOf(refs))
}

// Scope tells what New[i] sees, for a Carried.
func (e *Extension) Scope(i int) string { return e.units[i].scopeKey }

// Object describes a plugin that has its place as Objects does the program's images.
func (g *Plugin) Object() Object { return g.im.object() }

// TLSSize returns size and alignment of the plugin's thread-local block, in bytes.
func (g *Plugin) TLSSize() (size, align uint64) {
	if g.im.tls == nil {
		return 0, 1
	}
	return g.im.tls.memsz, g.im.tls.align
}

func (p *Program) pluginOf(im *image) *Plugin {
	for _, g := range p.plugins {
		if g.im == im {
			return g
		}
	}
	return nil
}

// PluginAt finds the plugin whose place begins at an offset of the image area, as Object has it.
func (p *Program) PluginAt(offset uint64) *Plugin {
	for _, g := range p.plugins {
		if g.placed && g.im.bias+g.im.low() == offset {
			return g
		}
	}
	return nil
}

// known lists all images that this process has, those of the program first.
func (p *Program) known() []*image {
	all := slices.Clone(p.images)
	for _, g := range p.plugins {
		if g.placed {
			all = append(all, g.im)
		}
	}
	return all
}

func (p *Program) imageAt(off uint64) *image {
	for _, im := range p.known() {
		if v := off - im.bias; v >= im.low() && v < im.high() {
			return im
		}
	}
	return nil
}

// groupOf lists an image and what it needs, breadth first: the order in which its symbols are searched.
func groupOf(p *Program, root *image) []*image {
	group := []*image{root}
	for i := 0; i < len(group); i++ {
		for _, im := range needsOf(p, group[i]) {
			if !slices.Contains(group, im) {
				group = append(group, im)
			}
		}
	}
	return group
}

func needsOf(p *Program, im *image) []*image {
	if g := p.pluginOf(im); g != nil {
		return g.needs
	}
	var needs []*image
	for _, name := range im.dyn.needed {
		if dep := p.byName(name); dep != nil {
			needs = append(needs, dep)
		}
	}
	return needs
}
