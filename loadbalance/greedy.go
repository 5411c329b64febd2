package loadbalance

import "context"

var greedy = strategy{
	info: Info{
		Name: "Greedy", Aliases: []string{"GreedyLB", "LPT"},
		Summary:    "heaviest rank first, each onto the PE that would finish it soonest; moves nearly everything",
		Complexity: "O(n log n + n log P)",
		Reference:  "R. L. Graham, Bounds on Multiprocessing Timing Anomalies, SIAM J. Appl. Math. 17(2), 1969",
	},
	balance: func(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
		p := m.onlyPinned()
		ranks := m.movable()
		m.heaviestFirst(ranks)
		if err := p.pack(ctx, ranks, newPEIndex(p)); err != nil {
			return nil, err
		}
		return p.movesIfBetter(), nil
	},
}

// pack puts ranks, in their order, where each ends soonest.
func (p *placement) pack(ctx context.Context, ranks []int32, f *peIndex) error {
	for i, r := range ranks {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		pe, _ := f.soonest(p.m.Ranks[r].Load)
		p.put(r, pe)
		f.changed(pe)
	}
	return nil
}

// checkEvery is how many steps of a loop pass between two looks at the context.
const checkEvery = 4096
