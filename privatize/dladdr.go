package privatize

import (
	"bytes"
	"debug/elf"
)

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

// Identity tells the file of an image from others, by its place in Objects.
func (p *Program) Identity(image int) []byte { return p.images[image].identity() }

// LocalNameAt finds the symbol that an address of the rank at base belongs to, those that are not exported included, in the file's full table
// where it has one; with the distance from it.
func (p *Program) LocalNameAt(base, addr uintptr) (name string, distance uint64, ok bool) {
	off := uint64(addr - base)
	im := p.imageAt(off)
	if im == nil {
		return "", 0, false
	}
	f, err := elf.NewFile(bytes.NewReader(im.data))
	if err != nil {
		return "", 0, false
	}
	all, err := f.Symbols()
	if err != nil {
		if all, err = f.DynamicSymbols(); err != nil {
			return "", 0, false
		}
	}
	v := off - im.bias
	for _, s := range all {
		if t := elf.ST_TYPE(s.Info); s.Section == elf.SHN_UNDEF || t != elf.STT_FUNC && t != elf.STT_OBJECT && t != elf.STT_GNU_IFUNC {
			continue
		}
		if s.Value <= v && v-s.Value < max(s.Size, 1) {
			return s.Name, v - s.Value, true
		}
	}
	return "", 0, false
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
