package privatize

// Rebinding is what Attach does to images whose files this process has mapped already, as plain data: so that it can be done in a place that
// cannot call Go.
type Rebinding struct {
	Table   uint64        // where the record of external values is, from the base on; one word for each entry
	Entries []RebindEntry // in the order of the record
	Sites   []RebindSite  // by entry
}

// RebindEntry is a value of the process. Where the record of a rank says something else, its sites are replaced.
type RebindEntry struct {
	Value    uint64 // of this process
	Recorded uint64 // what the record is to say
	Inside   bool   // Value is an offset in the images
	Answer   bool   // of an IFUNC resolver: a record of 0 means that there is nothing to replace
	Sites    int    // how many sites are its
}

// RebindSite is a word of the images.
type RebindSite struct{ At, Addend uint64 }

// Rebinding describes what Attach does; nil as long as the process has no images of the program yet.
func (p *Program) Rebinding() *Rebinding {
	if !p.resolved {
		return nil
	}
	b := &Rebinding{Table: p.tableAt}
	for i, v := range p.externals.values {
		b.add(RebindEntry{Value: uint64(v), Recorded: uint64(v)}, p.externalSites, i)
	}
	for i := range p.resolvers {
		r := &p.resolvers[i]
		b.add(RebindEntry{Value: r.result, Recorded: r.recorded(), Inside: r.inside, Answer: true}, p.ifuncSites, i)
	}
	return b
}

func (b *Rebinding) add(e RebindEntry, sites []site, ref int) {
	before := len(b.Sites)
	for _, s := range sites {
		if int(s.ref) == ref {
			b.Sites = append(b.Sites, RebindSite{s.at, s.addend})
		}
	}
	e.Sites = len(b.Sites) - before
	b.Entries = append(b.Entries, e)
}
