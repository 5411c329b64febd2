package privatize

// Address returns where a symbol is in the images at base, as dlsym of the rank should: the runtime's bindings count,
// IFUNC resolvers are called, thread-local variables are those of the thread that runs ranks. version may be empty. The
// search starts behind image number after of Objects (RTLD_NEXT), or with the program for -1 (RTLD_DEFAULT).
func (p *Program) Address(base uintptr, name, version string, after int) (uintptr, bool) {
	q := newQuery(name, version)
	for _, im := range p.images[min(max(after+1, 0), len(p.images)):] {
		s, ok := im.find(q)
		if !ok {
			continue
		}
		if v := p.opts.Bind[name]; v != 0 && im.isCLibrary() {
			return v, true
		}
		return p.addressOf(base, im.own(s)), true
	}
	if v := p.opts.Bind[name]; v != 0 {
		return v, true
	}
	if v, _, ok := p.host.hostValue(q); ok {
		return v, true
	}
	if p.opts.Fallback == nil {
		return 0, false
	}
	v := p.opts.Fallback(name)
	return v, v != 0
}

// addressOf turns a target inside the images into an address.
func (p *Program) addressOf(base uintptr, t target) uintptr {
	switch t.kind {
	case targetInternal:
		return base + uintptr(t.value)
	case targetTLS:
		return p.opts.TLSTop - uintptr(t.im.tls.offset) + uintptr(t.value)
	case targetIfunc:
		call := []uint64{uint64(base) + t.value}
		callResolvers(call)
		return uintptr(call[0])
	}
	return uintptr(t.value)
}
