package ampi

import "ampirun/ampi/mpi"

// The calls of MPI 5.0 section 7.3.

// allRanks is 0 .. n-1. The result must not be changed.
func (s *Server) allRanks(n int) []int32 {
	for i := len(s.identity); i < n; i++ {
		s.identity = append(s.identity, int32(i))
	}
	return s.identity[:n:n]
}

// group reads a group argument.
func (c *call) group(i int, name string) Group { return c.groupAt(c.Args[i], name) }

func (c *call) groupAt(h uint64, name string) Group {
	switch {
	case h == mpi.GroupEmpty:
	case h == mpi.GroupNull:
		c.fault(mpi.ErrGroup, "%s is MPI_GROUP_NULL", name)
	case h>>handleShift == kindGroup:
		if g, ok := c.state.Groups.Get(uint32(h & handleIndex)); ok {
			return g
		}
		fallthrough
	default:
		c.fault(mpi.ErrGroup, "%s (handle %#x) is not a group, or was freed", name, h)
	}
	return Group{}
}

// putGroup gives the program a handle to a group, unless something was wrong.
func (c *call) putGroup(i int, g Group) error {
	to := out[uint64](c, i, "newgroup")
	if c.err != nil {
		return c.err
	}
	*to = mpi.GroupEmpty
	if len(g.Ranks) > 0 {
		*to = kindGroup<<handleShift | uint64(c.state.Groups.Add(g))
	}
	return nil
}

func groupSize(c *call) error {
	c.putInt(1, "size", len(c.group(0, "group").Ranks))
	return c.err
}

func groupRank(c *call) error {
	c.putInt(1, "rank", int(c.group(0, "group").places().find(int32(c.Rank))))
	return c.err
}

func groupTranslate(c *call) error {
	g, h, n := c.group(0, "group1"), c.group(3, "group2"), c.length(1, "n", mpi.ErrArg)
	ranks := c.ints(2, n, "ranks1")
	if !c.there(4, n, "ranks2") {
		return c.err
	}
	to, places := view[int32](c.Args[4], n), h.places()
	for i, r := range ranks {
		switch {
		case r == mpi.ProcNull:
			to[i] = mpi.ProcNull
		case r < 0 || r >= int64(len(g.Ranks)):
			return mpi.Errorf(mpi.ErrRank, "ranks1 has rank %d at [%d], the group has %d", r, i, len(g.Ranks))
		default:
			to[i] = places.find(g.Ranks[r])
		}
	}
	return nil
}

func groupCompare(c *call) error {
	c.putInt(2, "result", c.group(0, "group1").compare(c.group(1, "group2")))
	return c.err
}

// combined serves the calls that make one group of two.
func combined(op func(g, h Group) Group) func(*call) error {
	return func(c *call) error {
		return c.putGroup(2, op(c.group(0, "group1"), c.group(1, "group2")))
	}
}

// chosen serves the calls that take a list of ranks.
func chosen(op func(Group, []int64) Group) func(*call) error {
	return func(c *call) error {
		g := c.group(0, "group")
		ranks := c.ints(2, c.length(1, "n", mpi.ErrArg), "ranks")
		return c.choose(g, ranks, "ranks", op)
	}
}

// ranged serves the calls that take a list of (first, last, stride) triplets.
func ranged(op func(Group, []int64) Group) func(*call) error {
	return func(c *call) error {
		g := c.group(0, "group")
		ranks, err := expand(c.ints(2, 3*c.length(1, "n", mpi.ErrArg), "ranges"), len(g.Ranks))
		if c.err == nil {
			c.err = err
		}
		return c.choose(g, ranks, "ranges", op)
	}
}

func (c *call) choose(g Group, ranks []int64, name string, op func(Group, []int64) Group) error {
	if c.err != nil {
		return c.err
	}
	if err := g.check(ranks, name); err != nil {
		return err
	}
	return c.putGroup(3, op(g, ranks))
}

func groupFree(c *call) error {
	p := out[uint64](c, 0, "group")
	c.groupAt(*p, "group")
	if c.err == nil && *p != mpi.GroupEmpty {
		c.state.Groups.Remove(uint32(*p & handleIndex))
	}
	if c.err == nil {
		*p = mpi.GroupNull
	}
	return c.err
}

func commGroup(c *call) error { return c.groupOf(false) }

func commRemoteGroup(c *call) error { return c.groupOf(true) }

func (c *call) groupOf(remote bool) error {
	g, err := c.members(c.Args[0], remote)
	if err != nil {
		return err
	}
	return c.putGroup(1, g)
}

// groupRanks serves C: (group handle, int32 *out or NULL, int *n, uint32 *session).
func groupRanks(c *call) error {
	g := c.group(0, "group")
	if c.err == nil && c.Args[1] != 0 {
		copy(view[int32](c.Args[1], int64(len(g.Ranks))), g.Ranks)
	}
	c.putInt(2, "n", len(g.Ranks))
	c.putInt(3, "session", int(g.Session))
	return c.err
}

// groupMake serves C: (int n, const int32 *world ranks, session handle, *group).
func groupMake(c *call) error {
	g := Group{Session: uint32(c.Args[2])}
	for _, w := range c.ints(1, c.num(0), "ranks") {
		g.Ranks = append(g.Ranks, int32(w))
	}
	return c.putGroup(3, g)
}
