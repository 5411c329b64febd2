package ampi

import (
	"slices"

	"ampirun/ampi/mpi"
)

// Group is an ordered set of ranks of MPI_COMM_WORLD. It never changes; its ranks may be shared with other groups.
type Group struct {
	Ranks   []int32
	Session uint32 // handle of the session that it comes from, or 0; groups made of it come from there too
}

// places finds the rank in the group of each world rank.
type places map[int32]int32

func (g Group) places() places {
	p := make(places, len(g.Ranks))
	for i, w := range g.Ranks {
		p[w] = int32(i)
	}
	return p
}

// find is the rank in the group of a world rank, MPI_UNDEFINED when it is not in it.
func (p places) find(world int32) int32 {
	if i, ok := p[world]; ok {
		return i
	}
	return mpi.Undefined
}

func (g Group) filter(keep func(i int, world int32) bool) Group {
	out := Group{Session: g.Session}
	for i, w := range g.Ranks {
		if keep(i, w) {
			out.Ranks = append(out.Ranks, w)
		}
	}
	return out
}

// union is all of g, then those of h that are not in g.
func (g Group) union(h Group) Group {
	return Group{append(slices.Clone(g.Ranks), h.difference(g).Ranks...), max(g.Session, h.Session)}
}

// intersection is those of g that are also in h, in the order of g.
func (g Group) intersection(h Group) Group {
	in := h.places()
	return g.filter(func(_ int, w int32) bool { return in.find(w) != mpi.Undefined })
}

// difference is those of g that are not in h, in the order of g.
func (g Group) difference(h Group) Group {
	in := h.places()
	return g.filter(func(_ int, w int32) bool { return in.find(w) == mpi.Undefined })
}

// compare is MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
func (g Group) compare(h Group) int {
	switch {
	case slices.Equal(g.Ranks, h.Ranks):
		return mpi.Ident
	case len(g.Ranks) == len(h.Ranks) && len(g.difference(h).Ranks) == 0:
		return mpi.Similar
	}
	return mpi.Unequal
}

// check makes sure that ranks are ranks of the group, each once.
func (g Group) check(ranks []int64, name string) error {
	seen := make([]bool, len(g.Ranks))
	for i, r := range ranks {
		if r < 0 || r >= int64(len(g.Ranks)) {
			return mpi.Errorf(mpi.ErrRank, "%s has rank %d at [%d], the group has %d", name, r, i, len(g.Ranks))
		}
		if seen[r] {
			return mpi.Errorf(mpi.ErrRank, "%s has rank %d twice", name, r)
		}
		seen[r] = true
	}
	return nil
}

// include is the given ranks of g, in the order in which they are given.
func (g Group) include(ranks []int64) Group {
	out := Group{make([]int32, len(ranks)), g.Session}
	for i, r := range ranks {
		out.Ranks[i] = g.Ranks[r]
	}
	return out
}

// exclude is g without the given ranks.
func (g Group) exclude(ranks []int64) Group {
	gone := make([]bool, len(g.Ranks))
	for _, r := range ranks {
		gone[r] = true
	}
	return g.filter(func(i int, _ int32) bool { return !gone[i] })
}

// expand lists the ranks of (first, last, stride) triplets. It stops early when there are more than a group of `size` ranks
// can have, so that check refuses them.
func expand(triplets []int64, size int) ([]int64, error) {
	var ranks []int64
	for i := 0; i < len(triplets); i += 3 {
		first, last, stride := triplets[i], triplets[i+1], triplets[i+2]
		if stride == 0 || (stride > 0) != (last >= first) && first != last {
			return nil, mpi.Errorf(mpi.ErrArg, "ranges[%d] never comes from %d to %d in steps of %d", i/3, first, last, stride)
		}
		for r := first; (stride > 0 && r <= last) || (stride < 0 && r >= last); r += stride {
			if ranks = append(ranks, r); len(ranks) > size {
				return ranks, nil
			}
		}
	}
	return ranks, nil
}
