package checkpoint

import "sync"

// place is where a page is stored: the number of a pack in a pool, and the page's number in that pack. Zero pages have none.
type place uint64

const (
	slotBits  = 40
	zeroPlace = ^place(0)
)

func placeOf(pack int, slot uint64) place { return place(pack)<<slotBits | place(slot) }
func (p place) pack() int                 { return int(p >> slotBits) }
func (p place) slot() uint64              { return uint64(p) & (1<<slotBits - 1) }

func (t *table) size() (n int) {
	for _, m := range t {
		n += len(m)
	}
	return n
}

const shards = 64 // of maps, so that goroutines seldom wait for each other

// table finds pages by their hashes.
type table [shards]map[Hash]place

func (t *table) find(h Hash) (place, bool) {
	p, ok := t[h[0]%shards][h]
	return p, ok
}

func (t *table) set(h Hash, p place) {
	m := &t[h[0]%shards]
	if *m == nil {
		*m = map[Hash]place{}
	}
	(*m)[h] = p
}

// kept is a pack that the newest generation holds.
type kept struct {
	Pack
	generation uint64 // in whose folder it is
	usable     bool   // pages in it need not be written again; see compact.go
}

// pool is the packs of the newest generation with the pages that are in them. Places in the table whose pack is nil are void.
type pool struct {
	table table
	packs []*kept
	void  int // about how many places in the table are
}

// find gives the place of a page in a pack that may be used.
func (p *pool) find(h Hash) (place, bool) {
	at, ok := p.table.find(h)
	return at, ok && p.has(at)
}

// has tells whether a place is in a pack that may be used.
func (p *pool) has(at place) bool {
	if at == zeroPlace {
		return false
	}
	k := p.packs[at.pack()]
	return k != nil && k.usable
}

// poolOf reads the packs of a generation.
func poolOf(g *Generation) (*pool, error) {
	p := &pool{}
	for i := range g.Packs {
		ref := &g.Packs[i]
		r, f, err := openPack(g.folder, g.manifest, ref)
		if err != nil {
			return nil, err
		}
		f.Close()
		for slot, h := range r.pages {
			p.table.set(h, placeOf(len(p.packs), uint64(slot)))
		}
		p.packs = append(p.packs, &kept{Pack: *ref, generation: g.Number})
	}
	return p, nil
}

// renew leaves out what is void, once that is more than half. It gives the new numbers of the packs, by the old ones; nil: they are what they were.
func (p *pool) renew() (numbers []int) {
	if p.void*2 <= p.table.size() {
		return nil
	}
	fresh := &pool{}
	numbers = make([]int, len(p.packs))
	for i, k := range p.packs {
		if k != nil {
			numbers[i] = len(fresh.packs)
			fresh.packs = append(fresh.packs, k)
		}
	}
	for _, m := range p.table {
		for h, at := range m {
			if p.packs[at.pack()] != nil {
				fresh.table.set(h, placeOf(numbers[at.pack()], at.slot()))
			}
		}
	}
	*p = *fresh
	return numbers
}

// news is the pages that a Save writes; its goroutines share it.
type news struct {
	table
	locks [shards]sync.Mutex
}

// add gives a page the place, unless it has one already.
func (n *news) add(h Hash, at place) (there place, known bool) {
	l := &n.locks[h[0]%shards]
	l.Lock()
	defer l.Unlock()
	if there, known = n.find(h); known {
		return there, true
	}
	n.set(h, at)
	return at, false
}
