package privatize

import "slices"

// Sought is one question of dlsym: a name, its version or "", and where to look.
type Sought struct {
	Name, Version string
	Handle        *Extension // a library and what it needs, see Handle; nil: what Caller sees
	Next          bool       // only behind the calling object (RTLD_NEXT)
	Caller        uint64     // offset of the calling code in the rank's image area
	Global        []*Plugin  // what the rank has opened for all to see
}

// Found is a symbol of a rank: its address, or for a variable whose block is allocated by thread (Module is not 0) its offset there.
type Found struct {
	Address uintptr
	Module  int
}

// Handle stands for an image of the program (by its number in Objects) or a plugin, for Address.
func (p *Program) Handle(image int, g *Plugin) *Extension {
	e := &Extension{Root: image, p: p}
	if g != nil {
		e.Root, e.Group = -1, []*Plugin{g}
	}
	return e
}

// Address returns where a symbol is in the images at base, as dlsym of the rank should: the runtime's bindings count,
// IFUNC resolvers are called, thread-local variables are those of the thread that runs ranks.
func (p *Program) Address(base uintptr, s Sought) (Found, bool) {
	q := newQuery(s.Name, s.Version)
	images, outside := p.seen(&s)
	for _, im := range images {
		sym, ok := im.find(q)
		if !ok {
			continue
		}
		if v := p.opts.Bind[s.Name]; v != 0 && im.isCLibrary() {
			return Found{Address: v}, true
		}
		return p.addressOf(base, im.own(sym)), true
	}
	if !outside {
		return Found{}, false
	}
	return p.addressOutside(q)
}

// seen lists the images to look at; outside says whether the runtime and the loader count too.
func (p *Program) seen(s *Sought) (list []*image, outside bool) {
	if h := s.Handle; h != nil && h.Root != 0 {
		if h.Root > 0 {
			return groupOf(p, p.images[h.Root]), false
		}
		list = groupOf(p, h.Group[0].im)
		return list, slices.ContainsFunc(list, func(im *image) bool { return p.needsRuntime(im) })
	}
	list = slices.Clone(p.images)
	for _, g := range s.Global {
		list = append(list, g.im)
	}
	if s.Handle != nil {
		return list, true
	}
	from := p.imageAt(s.Caller)
	if g := p.pluginOf(from); g != nil {
		list = append(list, groupOf(p, from)...)
	}
	if i := slices.Index(list, from); s.Next && i >= 0 {
		list = list[i+1:]
	}
	return list, true
}

// needsRuntime tells whether the runtime stands in for a library that the image needs.
func (p *Program) needsRuntime(im *image) bool {
	return p.converter == nil && slices.ContainsFunc(im.dyn.needed, func(name string) bool { return p.isServed(im, name) })
}

func (p *Program) addressOutside(q *query) (Found, bool) {
	if v := p.opts.Bind[q.name]; v != 0 {
		return Found{Address: v}, true
	}
	if v, _, ok := p.host.hostValue(q); ok {
		return Found{Address: v}, true
	}
	if p.opts.Fallback == nil || p.converter != nil {
		return Found{}, false
	}
	v := p.opts.Fallback(q.name)
	return Found{Address: v}, v != 0
}

// addressOf turns a target inside the images into an address.
func (p *Program) addressOf(base uintptr, t target) Found {
	switch t.kind {
	case targetInternal:
		return Found{Address: base + uintptr(t.value)}
	case targetTLS:
		if t.im.tls.dynamic {
			return Found{uintptr(t.value), t.im.tls.module}
		}
		return Found{Address: p.opts.TLSTop - uintptr(t.im.tls.offset) + uintptr(t.value)}
	case targetIfunc:
		call := []uint64{uint64(base) + t.value}
		callResolvers(call)
		return Found{Address: uintptr(call[0])}
	}
	return Found{Address: uintptr(t.value)}
}
