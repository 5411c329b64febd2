package loadbalance

import "context"

var refineSwap = strategy{
	info: Info{
		Name: "RefineSwap", Aliases: []string{"RefineSwapLB"},
		Summary:    "as Refine; where no single move helps, swaps a heavy rank of an overloaded PE for a lighter one of a light PE",
		Complexity: "O(n + m log P), then O(m) for each swap, m the ranks on overloaded PEs",
		Reference:  zhengThesis,
	},
	balance: func(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
		p, limit := m.present(), m.Level()*o.tolerance()
		if err := p.refine(ctx, limit); err != nil {
			return nil, err
		}
		if err := p.swapDown(ctx, limit); err != nil {
			return nil, err
		}
		return p.moves(), nil
	},
}

// swapPartners is how many of the lightest PEs an overloaded one tries to swap with.
const swapPartners = 8

// swapWorth is the part of what a PE is above the limit that a swap must take off to be made.
const swapWorth = 0.01

// swapDown swaps ranks of the PE that takes longest for lighter ones of light PEs, while that makes it end sooner.
func (p *placement) swapDown(ctx context.Context, limit float64) error {
	s := newSwapper(p)
	heavy, f := newHeapOfAll(p.time, -1), newPEIndex(p)
	for len(heavy.pes) > 0 && p.time[heavy.top()] > limit {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		from := heavy.top()
		to, ok := s.swapAny(from, f.lightestFew(swapPartners), limit)
		if !ok {
			heavy.remove(from)
			continue
		}
		for _, pe := range []int32{from, to} {
			f.changed(pe)
			heavy.fix(pe)
		}
	}
	return nil
}

// swapper keeps the movable ranks of PEs in order of load while they change places.
type swapper struct {
	p            *placement
	start, ranks []int32
	sorted       map[int32][]int32
}

func newSwapper(p *placement) *swapper {
	start, ranks := p.byPE()
	return &swapper{p: p, start: start, ranks: ranks, sorted: map[int32][]int32{}}
}

// of is the movable ranks of a PE, heaviest first. A swap leaves as many on each PE, so all live in one array.
func (s *swapper) of(pe int32) []int32 {
	if have, ok := s.sorted[pe]; ok {
		return have
	}
	ranks := s.ranks[s.start[pe]:s.start[pe+1]]
	s.p.m.heaviestFirst(ranks)
	s.sorted[pe] = ranks
	return ranks
}

// swapAny makes the first swap with one of the partners that helps.
func (s *swapper) swapAny(from int32, partners []int32, limit float64) (to int32, ok bool) {
	for _, to := range partners {
		if to == from {
			continue
		}
		if i, j, ok := s.best(from, to, limit); ok {
			s.swap(from, to, i, j)
			return to, true
		}
	}
	return nowhere, false
}

// best finds the swap after which the longer of two PEs is shortest, by one pass over both lists: the difference that
// would make the PEs equal is known, and grows with i and shrinks with j.
func (s *swapper) best(from, to int32, limit float64) (bestI, bestJ int, ok bool) {
	mine, theirs := s.of(from), s.of(to)
	now := max(s.p.time[from], s.p.time[to])
	least := now - max((now-limit)*swapWorth, now*1e-9) // rounding must not feign an improvement
	for i, j := 0, 0; i < len(mine) && j < len(theirs); {
		a, b := s.after(from, to, mine[i], theirs[j])
		if end := max(a, b); end < least {
			least, bestI, bestJ, ok = end, i, j, true
		}
		if a < b { // too much went over: give a lighter one
			i++
		} else {
			j++
		}
	}
	return bestI, bestJ, ok
}

// after is the times of two PEs if they swapped ranks r and q.
func (s *swapper) after(from, to, r, q int32) (a, b float64) {
	p := s.p
	return p.time[from] - p.cost(r, from) + p.cost(q, from), p.time[to] - p.cost(q, to) + p.cost(r, to)
}

func (s *swapper) swap(from, to int32, i, j int) {
	mine, theirs := s.of(from), s.of(to)
	s.p.move(mine[i], to)
	s.p.move(theirs[j], from)
	mine[i], theirs[j] = theirs[j], mine[i]
	s.p.m.heaviestFirst(mine)
	s.p.m.heaviestFirst(theirs)
}
