package loadbalance

import "context"

var greedyRefine = strategy{
	info: Info{
		Name: "GreedyRefine", Aliases: []string{"GreedyRefineLB"},
		Summary:    "as Greedy, but a rank stays where it is unless that would make the result worse than Greedy's by the tolerance",
		Complexity: "O(n log n + n log P)",
		Reference:  "GreedyRefineLB of Charm++; the bound of what it starts from: Graham 1969, as Greedy",
	},
	balance: func(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
		ranks := m.movable()
		m.heaviestFirst(ranks)
		greedy := m.onlyPinned()
		if err := greedy.pack(ctx, ranks, newPEIndex(greedy)); err != nil {
			return nil, err
		}
		limit := max(greedy.makespan(), m.Level()*o.tolerance())
		p, err := m.stayOrPack(ctx, ranks, limit)
		if err != nil {
			return nil, err
		}
		if p.makespan() > limit { // staying cost too much: what Greedy reaches is the promise
			if err := p.refine(ctx, limit); err != nil {
				return nil, err
			}
		}
		if p.makespan() > limit && greedy.makespan() < p.makespan() {
			p = greedy
		}
		return p.movesIfBetter(), nil
	},
}

// stayOrPack places ranks, heaviest first: each stays while its PE ends by the limit with it, or goes where it ends soonest.
func (m *Measurements) stayOrPack(ctx context.Context, ranks []int32, limit float64) (*placement, error) {
	p := m.onlyPinned()
	f := newPEIndex(p)
	for i, r := range ranks {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		pe := m.Ranks[r].PE
		if p.time[pe]+p.cost(r, pe) > limit {
			pe, _ = f.soonest(m.Ranks[r].Load)
		}
		p.put(r, pe)
		f.changed(pe)
	}
	return p, nil
}
