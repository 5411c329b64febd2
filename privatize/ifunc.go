package privatize

// resolver is an IFUNC resolver at an offset of the image area and, once it has run in this process, its answer: an
// offset of the image area, or an address outside (libc's time is the kernel's vdso function).
type resolver struct {
	at     uint64
	result uint64
	inside bool
}

// runResolvers calls all resolvers in the images at base, whose other words are final.
func (p *Program) runResolvers(base uintptr) {
	p.resolved = true
	if len(p.resolvers) == 0 {
		return
	}
	calls := make([]uint64, len(p.resolvers))
	for i := range p.resolvers {
		calls[i] = uint64(base) + p.resolvers[i].at
	}
	callResolvers(calls)
	for i, v := range calls {
		r := &p.resolvers[i]
		r.result, r.inside = v, v >= uint64(base) && v < uint64(base)+p.span
		if r.inside {
			r.result -= uint64(base)
		}
	}
}

// value is the resolver's answer for the rank at base.
func (r *resolver) value(base uintptr) uint64 {
	if r.inside {
		return uint64(base) + r.result
	}
	return r.result
}

// recorded is what the rank's table of external values says about the resolver: 0 for an answer inside.
func (r *resolver) recorded() uint64 {
	if r.inside {
		return 0
	}
	return r.result
}

// writeResolved puts the answers into the images at base.
func (p *Program) writeResolved(base uintptr) {
	for _, s := range p.template.sites {
		if s.kind == siteIfunc {
			*word(base + uintptr(s.at)) = p.resolvers[s.ref].value(base) + s.addend
		}
	}
	for i := range p.resolvers {
		*word(base + uintptr(p.resolverSlot(i))) = p.resolvers[i].recorded()
	}
}

func (p *Program) resolverSlot(i int) uint64 { return p.slot(len(p.externals.values) + i) }

// keepResolved puts the answers into the template, for the ranks that follow.
func (p *Program) keepResolved() {
	t := p.template
	for _, s := range t.sites {
		if s.kind != siteIfunc {
			continue
		}
		r := &p.resolvers[s.ref]
		t.put(s.at, r.result+s.addend)
		if r.inside {
			p.internal = append(p.internal, s.at)
		}
	}
	for i := range p.resolvers {
		t.put(p.resolverSlot(i), p.resolvers[i].recorded())
	}
	p.pages = t.runs()
}

// rebindResolved replaces another process's answers in the images at base where they were outside.
func (p *Program) rebindResolved(base uintptr) {
	for _, s := range p.template.sites {
		if s.kind != siteIfunc {
			continue
		}
		was := *word(base + uintptr(p.resolverSlot(int(s.ref))))
		if r := &p.resolvers[s.ref]; was != 0 && was != r.recorded() {
			replace(base+uintptr(s.at), was+s.addend, r.value(base)+s.addend)
		}
	}
	for i := range p.resolvers {
		if w := word(base + uintptr(p.resolverSlot(i))); *w != 0 {
			*w = p.resolvers[i].recorded()
		}
	}
}
