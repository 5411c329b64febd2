package privatize

import "debug/elf"

// NameAt finds the exported symbol that an address of the rank at base belongs to, as dladdr does: the addresses of its name, in the
// rank's image of the string table, and of the symbol.
func (p *Program) NameAt(base, addr uintptr) (name, symbol uintptr, ok bool) {
	off := uint64(addr - base)
	im := p.imageAt(off)
	if im == nil {
		return 0, 0, false
	}
	v := off - im.bias
	var best symbolEntry
	for i := range im.dyn.symbolCount() {
		s, _ := im.dyn.symbolAt(i)
		if s.shndx == elf.SHN_UNDEF || s.value == 0 || s.typ == elf.STT_TLS || s.value > v || v-s.value >= max(s.size, 1) {
			continue
		}
		if !best.found || s.value > best.value {
			best = symbolEntry{s, true}
		}
	}
	at := base + uintptr(im.bias)
	return at + uintptr(im.dyn.strings) + uintptr(best.name), at + uintptr(best.value), best.found
}

type symbolEntry struct {
	symbol
	found bool
}

// symbolCount is the number of dynamic symbols, which only the hash tables tell.
func (d *dynamic) symbolCount() uint64 {
	if n := uint64(len(d.sysvHash.chain) / 4); n > 0 {
		return n
	}
	h := &d.gnuHash
	last := uint64(0)
	for b := h.buckets; len(b) >= 4; b = b[4:] {
		last = max(last, uint64(le.Uint32(b)))
	}
	if last < uint64(h.first) {
		return uint64(h.first)
	}
	for at := (last - uint64(h.first)) * 4; at+4 <= uint64(len(h.chain)); at += 4 {
		if last++; le.Uint32(h.chain[at:])&1 != 0 {
			break
		}
	}
	return last
}
