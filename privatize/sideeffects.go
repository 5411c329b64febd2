package privatize

import (
	"slices"
)

// Resolvers do more than answer: libc's first one finds the sizes of the caches and stores what memcpy goes by. They run
// once, so what they have stored in the first instance is taken over into the template.

// keepSideEffects finds the words that resolvers have changed in the images at base. It looks at images with resolvers
// or that constructor only, and at pages that exist only.
func (p *Program) keepSideEffects(base uintptr) {
	known := map[uint64]bool{}
	for _, s := range p.ifuncSites {
		known[s.at] = true
	}
	for i := range p.resolvers {
		known[p.resolverSlot(i)] = true
	}
	internal := map[uint64]bool{}
	for _, at := range p.internal {
		internal[at] = true
	}
	for i := range p.privates {
		r := &p.privates[i]
		if _, ok := r.im.indicator(); !ok && !slices.ContainsFunc(p.resolvers, func(v resolver) bool { return v.im == r.im }) {
			continue
		}
		for _, part := range p.divided(r) {
			for _, at := range existingPages(base, part) {
				p.keepPage(base, at, known, internal)
			}
		}
	}
}

// existingPages lists the pages of a part that may differ from the template: those that exist, or have been copied on writing.
func existingPages(base uintptr, part Range) (pages []uint64) {
	exists := func(at uint64) bool { return isResident(base + uintptr(at)) }
	if part.OnWrite {
		written := writtenPages(base, part.Offset, part.Size)
		exists = func(at uint64) bool { return written[(at-part.Offset)/pageSize] }
	}
	for at := part.Offset; at < part.Offset+part.Size; at += pageSize {
		if exists(at) {
			pages = append(pages, at)
		}
	}
	return pages
}

func (p *Program) keepPage(base uintptr, page uint64, known, internal map[uint64]bool) {
	for at := page; at < page+pageSize; at += 8 {
		if known[at] {
			continue
		}
		was, is := p.template.get(at), *word(base + uintptr(at))
		if internal[at] {
			was += uint64(base)
		}
		if is != was {
			p.keepWord(base, at, is, internal[at])
		}
	}
}

func (p *Program) keepWord(base uintptr, at, v uint64, internal bool) {
	inside := v >= uint64(base) && v < uint64(base)+p.span
	switch {
	case inside && !internal:
		p.internal = append(p.internal, at)
	case !inside && internal:
		p.internal = slices.DeleteFunc(p.internal, func(a uint64) bool { return a == at })
	}
	if inside {
		v -= uint64(base)
	}
	p.template.put(at, v)
}
