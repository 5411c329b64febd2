package privatize

import "fmt"

// placeTable finds room for the rank's record of external values: in the unused end of a writable page if there
// is one, so that it costs no memory, else in a page of its own behind the images.
func (p *Program) placeTable() {
	size := 8 * uint64(len(p.externals.values)+len(p.resolvers))
	if size == 0 {
		return
	}
	for i := range p.privates {
		r := &p.privates[i]
		at := (r.im.bias + r.seg.end() + 7) &^ 7
		if at+size <= r.at+r.size && p.template.window(at) != nil {
			p.tableAt = at
			return
		}
	}
	p.tableAt = p.span
	p.span = pageUp(p.span + size)
}

// slot is where the table of external values has entry i.
func (p *Program) slot(i int) uint64 { return p.tableAt + 8*uint64(i) }

// finishTemplate derives from the sites what Instance works with.
func (p *Program) finishTemplate() {
	t := p.template
	for i, v := range p.externals.values {
		t.put(p.slot(i), uint64(v))
	}
	for _, s := range t.sites {
		switch s.kind {
		case siteInternal:
			p.internal = append(p.internal, s.at)
		case siteExternal:
			p.externalSites = append(p.externalSites, s)
		case siteIfunc:
			p.ifuncSites = append(p.ifuncSites, s)
		}
	}
	p.divide()
}

// divide decides for each page of the template whether ranks get a copy of it or a mapping of the file.
func (p *Program) divide() {
	p.pages, p.onWrite = p.template.runs(), p.template.mappings()
}

// Instance makes the images of one rank at base, which must lie on readable, writable zero pages of at least
// Span bytes, private or shared, and be a multiple of Align. The first call in a process also runs the programs'
// IFUNC resolvers, on the calling thread.
func (p *Program) Instance(base uintptr) error {
	if err := p.checkBase(base); err != nil {
		return err
	}
	if err := p.mapFiles(base, false); err != nil {
		return err
	}
	p.isMapped[base] = true
	p.copyPages(base)
	if !p.resolved {
		p.runResolvers(base, true)
		p.runIndicators(base)
		p.keepSideEffects(base)
		p.keepResolved()
	}
	return nil
}

// copyPages makes the pages that a rank has for itself.
func (p *Program) copyPages(base uintptr) {
	for i := range p.pages {
		r := &p.pages[i]
		to := memory(base+uintptr(r.at), uint64(len(r.data)))
		populate(to)
		copy(to, r.data)
	}
	addBase(base, p.internal)
}

func (p *Program) checkBase(base uintptr) error {
	if uint64(base)%p.align != 0 {
		return fmt.Errorf("image area at %#x is not aligned to %d", base, p.align)
	}
	return nil
}

// Attach adopts the images at base that another process made from the same files: it maps the read-only segments
// and replaces the other process's values by this one's, in every word the program has not changed since.
func (p *Program) Attach(base uintptr) error {
	if err := p.checkBase(base); err != nil {
		return err
	}
	if err := p.adoptFiles(base); err != nil {
		return err
	}
	p.rebindExternals(base)
	if !p.resolved {
		p.runResolvers(base, false)
		p.keepResolved()
	}
	p.rebindResolved(base)
	return nil
}

// adoptFiles maps what this process has not kept there since the images were here before.
func (p *Program) adoptFiles(base uintptr) error {
	if p.isMapped[base] {
		return p.mapOnWrite(base, true)
	}
	if err := p.mapFiles(base, true); err != nil {
		return err
	}
	p.isMapped[base] = true
	return nil
}

// rebindExternals writes this process's values where the other's still are.
func (p *Program) rebindExternals(base uintptr) {
	old := p.changedExternals(base)
	if len(old) == 0 {
		return
	}
	for _, s := range p.externalSites {
		if was, changed := old[s.ref]; changed {
			replace(base+uintptr(s.at), was+s.addend, uint64(p.externals.values[s.ref])+s.addend)
		}
	}
}

// changedExternals updates the rank's table and returns the old value of each entry that differs here.
func (p *Program) changedExternals(base uintptr) map[uint32]uint64 {
	old := map[uint32]uint64{}
	for i, v := range p.externals.values {
		w := word(base + uintptr(p.slot(i)))
		if *w != uint64(v) {
			old[uint32(i)] = *w
			*w = uint64(v)
		}
	}
	return old
}

func replace(addr uintptr, was, now uint64) {
	if w := word(addr); *w == was {
		*w = now
	}
}
