package ampi

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"ampirun/ampi/mpi"
	"ampirun/shim"
)

// randomGroup makes a group of some of 12 ranks, in any order.
func randomGroup(r *rand.Rand) Group {
	var g Group
	for _, w := range r.Perm(12)[:r.Intn(13)] {
		g.Ranks = append(g.Ranks, int32(w))
	}
	return g
}

func TestGroupsAreOrderedSets(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for range 500 {
		g, h := randomGroup(r), randomGroup(r)
		union, both, less := slices.Clone(g.Ranks), []int32(nil), []int32(nil)
		for _, w := range g.Ranks {
			if slices.Contains(h.Ranks, w) {
				both = append(both, w)
			} else {
				less = append(less, w)
			}
		}
		for _, w := range h.Ranks {
			if !slices.Contains(g.Ranks, w) {
				union = append(union, w)
			}
		}
		equal(t, "union", g.union(h).Ranks, union)
		equal(t, "intersection", g.intersection(h).Ranks, both)
		equal(t, "difference", g.difference(h).Ranks, less)
		checkChoice(t, r, g)
		checkCompare(t, r, g)
	}
}

func checkChoice(t *testing.T, r *rand.Rand, g Group) {
	var ranks []int64
	for _, i := range r.Perm(len(g.Ranks))[:r.Intn(len(g.Ranks)+1)] {
		ranks = append(ranks, int64(i))
	}
	in, out := []int32(nil), []int32(nil)
	for _, i := range ranks {
		in = append(in, g.Ranks[i])
	}
	for i, w := range g.Ranks {
		if !slices.Contains(ranks, int64(i)) {
			out = append(out, w)
		}
	}
	if err := g.check(ranks, "ranks"); err != nil {
		t.Errorf("%d of %d: %v", ranks, len(g.Ranks), err)
	}
	equal(t, "include", g.include(ranks).Ranks, in)
	equal(t, "exclude", g.exclude(ranks).Ranks, out)
}

func checkCompare(t *testing.T, r *rand.Rand, g Group) {
	h := Group{Ranks: slices.Clone(g.Ranks)}
	r.Shuffle(len(h.Ranks), func(i, j int) { h.Ranks[i], h.Ranks[j] = h.Ranks[j], h.Ranks[i] })
	want := mpi.Similar
	if slices.Equal(g.Ranks, h.Ranks) {
		want = mpi.Ident
	}
	if got := g.compare(h); got != want {
		t.Errorf("%d and %d compare as %d, want %d", g, h, got, want)
	}
	if got := g.compare(Group{Ranks: append(h.Ranks, 99)}); got != mpi.Unequal {
		t.Errorf("%d and one more compare as %d", g, got)
	}
}

// ranksOf asks for the ranks of a group as C does.
func (c *client) ranksOf(h uint64) []int32 {
	c.t.Helper()
	n, session := c.ints(0), c.ints(0)
	c.do(fnGroupRanks, h, 0, n, session)
	out := c.room(4 * n.int(0))
	c.do(fnGroupRanks, h, out, n, session)
	return out.ints()
}

func TestGroupCalls(t *testing.T) {
	c := newClient(t) // rank 2 of 8
	world := c.handle(shim.FnCommGroup, mpi.CommWorld)
	equal(t, "world", c.ranksOf(world), []int32{0, 1, 2, 3, 4, 5, 6, 7})
	equal(t, "self", c.ranksOf(c.handle(shim.FnCommGroup, mpi.CommSelf)), []int32{2})
	odd := c.handle(shim.FnGroupRangeIncl, world, 1, c.ints(1, 7, 2))
	equal(t, "odd", c.ranksOf(odd), []int32{1, 3, 5, 7})
	equal(t, "backwards", c.ranksOf(c.handle(shim.FnGroupRangeIncl, world, 2, c.ints(7, 5, -2, 0, 1, 1))), []int32{7, 5, 0, 1})
	equal(t, "rest", c.ranksOf(c.handle(shim.FnGroupRangeExcl, world, 1, c.ints(6, 0, -3))), []int32{1, 2, 4, 5, 7})
	even := c.handle(shim.FnGroupDifference, world, odd)
	rank, to := c.ints(0), c.ints(9, 9, 9, 9)
	c.do(shim.FnGroupRank, even, rank)
	c.do(shim.FnGroupTranslateRanks, even, 4, c.ints(0, 3, mpi.ProcNull, 1), world, to)
	equal(t, "translated", append(to.ints(), rank.ints()...), []int32{0, 6, mpi.ProcNull, 2, 1})
	c.do(shim.FnGroupTranslateRanks, world, 2, c.ints(1, 2), even, to)
	c.do(shim.FnGroupRank, odd, rank)
	equal(t, "not there", append(to.ints()[:2], rank.ints()...), []int32{mpi.Undefined, 1, mpi.Undefined})
	if h := c.handle(shim.FnGroupIntersection, odd, even); h != mpi.GroupEmpty {
		t.Errorf("an empty group has handle %#x", h)
	}
	equal(t, "made by C", c.ranksOf(c.handle(fnGroupMake, 3, c.ints(4, 2, 0), 0)), []int32{4, 2, 0})
	p := c.words(odd)
	c.do(shim.FnGroupFree, p)
	c.refuse(mpi.ErrGroup, fmt.Sprintf("group (handle %#x) is not a group, or was freed", odd), shim.FnGroupSize, odd, rank)
	if p.word(0) != mpi.GroupNull {
		t.Errorf("MPI_Group_free leaves %#x", p.word(0))
	}
}

func TestGroupErrors(t *testing.T) {
	c := newClient(t)
	world, out := c.handle(shim.FnCommGroup, mpi.CommWorld), c.words(0)
	c.refuse(mpi.ErrRank, "ranks has rank 8 at [1], the group has 8", shim.FnGroupIncl, world, 2, c.ints(0, 8), out)
	c.refuse(mpi.ErrRank, "ranks has rank 3 twice", shim.FnGroupExcl, world, 2, c.ints(3, 3), out)
	c.refuse(mpi.ErrArg, "n is negative: -1", shim.FnGroupIncl, world, -1, 0, out)
	c.refuse(mpi.ErrArg, "ranges[0] never comes from 3 to 0 in steps of 1", shim.FnGroupRangeIncl, world, 1, c.ints(3, 0, 1), out)
	c.refuse(mpi.ErrArg, "ranges[0] never comes from 0 to 0 in steps of 0", shim.FnGroupRangeExcl, world, 1, c.ints(0, 0, 0), out)
	c.refuse(mpi.ErrRank, "ranges has rank 8 at [8], the group has 8", shim.FnGroupRangeIncl, world, 1, c.ints(0, 1<<30, 1), out)
	c.refuse(mpi.ErrGroup, "group2 is MPI_GROUP_NULL", shim.FnGroupUnion, world, mpi.GroupNull, out)
	c.refuse(mpi.ErrComm, "comm is MPI_COMM_NULL", shim.FnCommGroup, mpi.CommNull, out)
	c.refuse(mpi.ErrComm, "comm is not an intercommunicator", shim.FnCommRemoteGroup, mpi.CommWorld, out)
}
