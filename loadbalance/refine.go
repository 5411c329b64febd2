package loadbalance

import (
	"cmp"
	"context"
	"slices"
)

const zhengThesis = "G. Zheng, Achieving High Performance on Extremely Large Parallel Machines: Performance Prediction and Load Balancing, PhD thesis, UIUC 2005"

var refine = strategy{
	info: Info{
		Name: "Refine", Aliases: []string{"RefineLB"},
		Summary:    "takes ranks off overloaded PEs until none is above the tolerance or no single move helps; moves few",
		Complexity: "O(n + m log P), m the ranks on overloaded PEs",
		Reference:  zhengThesis,
	},
	balance: func(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
		p := m.present()
		if err := p.refine(ctx, m.Level()*o.tolerance()); err != nil {
			return nil, err
		}
		return p.moves(), nil
	},
}

// refine relieves the PE that takes longest, again and again, until it takes no longer than limit or no move of one rank
// helps. A rank moves at most once. The makespan never grows, and ends within Measurements.Bound.
func (p *placement) refine(ctx context.Context, limit float64) error {
	d := newSourcePEs(p)
	heavy, f := newHeapOfAll(p.time, -1), newPEIndex(p)
	for step := 0; len(heavy.pes) > 0 && p.time[heavy.top()] > limit; step++ {
		if step%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		from := heavy.top()
		r, to := p.relief(d.of(from), from, f, limit)
		if r == nowhere {
			heavy.remove(from)
			continue
		}
		p.move(r, to)
		for _, pe := range []int32{from, to} {
			f.changed(pe)
			heavy.fix(pe)
		}
	}
	return nil
}

// relief takes a rank from a PE's source for a move that helps: the largest that ends by limit where it goes, else the one
// that comes nearest to making both PEs equal, else the smallest, if that ends there before the PE itself does now.
func (p *placement) relief(d *source, from int32, f *peIndex, limit float64) (r, to int32) {
	light := f.lightest()
	speed, gap := p.m.PEs[light].Speed, p.time[from]-p.time[light]
	half := gap / (1/p.m.PEs[from].Speed + 1/speed)
	for _, place := range []int32{d.upTo(max((limit-p.time[light])*speed, half)), d.smallest()} {
		if place == 0 {
			continue
		}
		r = d.rank(place)
		if to, end := f.soonest(p.m.Ranks[r].Load); to != from && end < p.time[from] {
			d.remove(place)
			return r, to
		}
	}
	return nowhere, nowhere
}

// sources hands out the source of each PE; ranks are sorted only where a PE is asked for.
type sources struct {
	p            *placement
	start, ranks []int32
	made         map[int32]*source
}

func newSourcePEs(p *placement) *sources {
	start, ranks := p.byPE()
	return &sources{p: p, start: start, ranks: ranks, made: map[int32]*source{}}
}

// of is the source of a PE: the movable ranks that were there at first.
func (d *sources) of(pe int32) *source {
	if have, ok := d.made[pe]; ok {
		return have
	}
	d.made[pe] = newSourcePE(d.p.m, d.ranks[d.start[pe]:d.start[pe+1]])
	return d.made[pe]
}

// source is the ranks a PE can give away, by rising load. Places count from 1, and 0 is none. Ranks that were given away
// are skipped through a union-find forest, so that a question costs little more than a binary search.
type source struct {
	m     *Measurements
	ranks []int32
	down  []int32 // down[i] is i while the rank at place i is there, else a lower place to look at
	first int32   // no rank is left before this place
}

func newSourcePE(m *Measurements, ranks []int32) *source {
	slices.SortFunc(ranks, func(a, b int32) int {
		return cmp.Or(cmp.Compare(m.Ranks[a].Load, m.Ranks[b].Load), cmp.Compare(b, a))
	})
	d := &source{m: m, ranks: ranks, down: make([]int32, len(ranks)+1), first: 1}
	for i := range d.down {
		d.down[i] = int32(i)
	}
	return d
}

func (d *source) rank(place int32) int32 { return d.ranks[place-1] }

// upTo is the place of the largest rank with at most that load.
func (d *source) upTo(load float64) int32 {
	place, _ := slices.BinarySearchFunc(d.ranks, load, func(r int32, load float64) int {
		if d.m.Ranks[r].Load <= load {
			return -1
		}
		return 1
	})
	return d.notAbove(int32(place))
}

// notAbove is the highest place up to i that still has its rank.
func (d *source) notAbove(i int32) int32 {
	root := i
	for d.down[root] != root {
		root = d.down[root]
	}
	for d.down[i] != root {
		d.down[i], i = root, d.down[i]
	}
	return root
}

// smallest is the place of the rank with the least load.
func (d *source) smallest() int32 {
	for int(d.first) < len(d.down) && d.down[d.first] != d.first {
		d.first++
	}
	if int(d.first) == len(d.down) {
		return 0
	}
	return d.first
}

func (d *source) remove(place int32) { d.down[place] = place - 1 }
