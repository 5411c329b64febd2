package privatize

import "debug/elf"

// gnuHash is DT_GNU_HASH: a Bloom filter, buckets, and chains of hashes parallel to the symbols.
type gnuHash struct {
	first   uint32 // index of the first hashed symbol
	shift   uint32
	bloom   []byte
	buckets []byte
	chain   []byte
}

// sysvHash is DT_HASH, the older table, which some linkers write alone.
type sysvHash struct{ buckets, chain []byte }

func (im *image) readHashes(t *dynTags) error {
	if t.has(elf.DT_GNU_HASH) {
		if err := im.readGNUHash(t.val[elf.DT_GNU_HASH]); err != nil {
			return err
		}
	}
	if t.has(elf.DT_HASH) {
		return im.readSysVHash(t.val[elf.DT_HASH])
	}
	return nil
}

func (im *image) readGNUHash(vaddr uint64) error {
	b, ok := im.viewTail(vaddr)
	if !ok || len(b) < 16 {
		return malformed(im.path, "has its symbol hash table outside its data")
	}
	nbuckets, nbloom := uint64(le.Uint32(b)), uint64(le.Uint32(b[8:]))
	h := gnuHash{first: le.Uint32(b[4:]), shift: le.Uint32(b[12:]) & 63}
	b = b[16:]
	if need := 8*nbloom + 4*nbuckets; nbuckets == 0 || nbloom == 0 || nbloom&(nbloom-1) != 0 || need > uint64(len(b)) {
		return malformed(im.path, "has a symbol hash table of %d buckets that does not fit", nbuckets)
	}
	h.bloom, b = b[:8*nbloom], b[8*nbloom:]
	h.buckets, h.chain = b[:4*nbuckets], b[4*nbuckets:]
	im.dyn.gnuHash = h
	return nil
}

func (im *image) readSysVHash(vaddr uint64) error {
	b, ok := im.viewTail(vaddr)
	if !ok || len(b) < 8 {
		return malformed(im.path, "has its old symbol hash table outside its data")
	}
	nbuckets, nchain := uint64(le.Uint32(b)), uint64(le.Uint32(b[4:]))
	if b = b[8:]; nbuckets == 0 || 4*(nbuckets+nchain) > uint64(len(b)) {
		return malformed(im.path, "has an old symbol hash table of %d buckets that does not fit", nbuckets)
	}
	im.dyn.sysvHash = sysvHash{b[:4*nbuckets], b[4*nbuckets : 4*(nbuckets+nchain)]}
	return nil
}

func gnuHashOf(name string) uint32 {
	h := uint32(5381)
	for i := 0; i < len(name); i++ {
		h = h*33 + uint32(name[i])
	}
	return h
}

func sysvHashOf(name string) uint32 {
	var h uint32
	for i := 0; i < len(name); i++ {
		h = h<<4 + uint32(name[i])
		g := h & 0xf0000000
		h = (h ^ g>>24) &^ g
	}
	return h
}

// mayHave asks the Bloom filter, which answers most questions about absent names with one load.
func (h *gnuHash) mayHave(hash uint32) bool {
	words := uint32(len(h.bloom) / 8)
	w := le.Uint64(h.bloom[8*(hash/64&(words-1)):])
	return w>>(hash&63)&(w>>(hash>>h.shift&63))&1 != 0
}

func (d *dynamic) findGNU(q *query) (symbol, bool) {
	h := &d.gnuHash
	if !h.mayHave(q.hash) {
		return symbol{}, false
	}
	i := le.Uint32(h.buckets[4*(q.hash%uint32(len(h.buckets)/4)):])
	if i < h.first {
		return symbol{}, false
	}
	p := pick{q: q, d: d}
	for n, at := 0, uint64(i-h.first)*4; n < maxChain && at+4 <= uint64(len(h.chain)); n, at = n+1, at+4 {
		c := le.Uint32(h.chain[at:])
		if c|1 == q.hash|1 {
			if s, ok := p.try(uint64(h.first) + at/4); ok {
				return s, true
			}
		}
		if c&1 != 0 {
			break
		}
	}
	return p.rest()
}

func (d *dynamic) findSysV(q *query) (symbol, bool) {
	h := &d.sysvHash
	if h.buckets == nil {
		return symbol{}, false
	}
	p := pick{q: q, d: d}
	i := uint64(le.Uint32(h.buckets[4*(sysvHashOf(q.name)%uint32(len(h.buckets)/4)):]))
	for n := 0; n < maxChain && i != 0 && 4*i+4 <= uint64(len(h.chain)); n++ {
		if s, ok := p.try(i); ok {
			return s, true
		}
		i = uint64(le.Uint32(h.chain[4*i:]))
	}
	return p.rest()
}
