package privatize

import (
	"debug/elf"
	"slices"
)

// resolver is an IFUNC resolver at an offset of the image area and, once it has run in this process, its answer: an
// offset of the image area, or an address outside (libc's time is the kernel's vdso function).
type resolver struct {
	im     *image
	at     uint64
	result uint64
	inside bool
}

// runResolvers calls all resolvers in the images at base, whose other words are final. It goes by image,
// libraries first, and writes their answers at once if write says so: a resolver of the program may then call
// functions of libc that are IFUNCs themselves.
func (p *Program) runResolvers(base uintptr, write bool) {
	for _, im := range p.inits {
		p.runImageResolvers(base, im)
		if write {
			p.writeResolved(base, im)
		}
	}
	p.resolved = true
}

// cpuIndicator is the constructor of libgcc that asks the processor what it can do, for __builtin_cpu_supports. It finds the
// same each time, and does nothing when that is known already; in a virtual machine each of its questions is a trap.
var cpuIndicator = newQuery("__cpu_indicator_init", "GCC_4.8.0")

// runIndicators calls that constructor in the first images, so that the others start with its answers.
func (p *Program) runIndicators(base uintptr) {
	for _, im := range p.images {
		if at, ok := im.indicator(); ok {
			callResolvers([]uint64{uint64(base) + at})
		}
	}
}

func (im *image) indicator() (at uint64, ok bool) {
	s, ok := im.find(cpuIndicator)
	if !ok || s.typ != elf.STT_FUNC || s.shndx == elf.SHN_UNDEF || !im.isCode(s.value) {
		return 0, false
	}
	return im.bias + s.value, true
}

func (p *Program) runImageResolvers(base uintptr, im *image) {
	var calls []uint64
	var order []*resolver
	for i := range p.resolvers {
		if r := &p.resolvers[i]; r.im == im {
			calls, order = append(calls, uint64(base)+r.at), append(order, r)
		}
	}
	if len(calls) == 0 {
		return
	}
	callResolvers(calls)
	for i, r := range order {
		r.result, r.inside = calls[i], calls[i] >= uint64(base) && calls[i] < uint64(base)+p.span
		if r.inside {
			r.result -= uint64(base)
		}
	}
}

// Chosen are the functions that resolvers have answered with, once there are images, as offsets of the image area.
func (p *Program) Chosen() (at []uint64) {
	for i := range p.resolvers {
		if r := &p.resolvers[i]; p.resolved && r.inside {
			at = append(at, r.result)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
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

// writeResolved puts the answers of one image's resolvers into all images at base.
func (p *Program) writeResolved(base uintptr, im *image) {
	for _, s := range p.ifuncSites {
		if r := &p.resolvers[s.ref]; r.im == im {
			*word(base + uintptr(s.at)) = r.value(base) + s.addend
		}
	}
	for i := range p.resolvers {
		if r := &p.resolvers[i]; r.im == im {
			*word(base + uintptr(p.resolverSlot(i))) = r.recorded()
		}
	}
}

func (p *Program) resolverSlot(i int) uint64 { return p.slot(len(p.externals.values) + i) }

// keepResolved puts the answers into the template, for the ranks that follow.
func (p *Program) keepResolved() {
	t := p.template
	for _, s := range p.ifuncSites {
		r := &p.resolvers[s.ref]
		t.put(s.at, r.result+s.addend)
		if r.inside {
			p.internal = append(p.internal, s.at)
		}
	}
	for i := range p.resolvers {
		t.put(p.resolverSlot(i), p.resolvers[i].recorded())
	}
	p.divide()
}

// rebindResolved replaces another process's answers in the images at base where they were outside.
func (p *Program) rebindResolved(base uintptr) {
	for _, s := range p.ifuncSites {
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
