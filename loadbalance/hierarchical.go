package loadbalance

import (
	"context"
	"math"
	"runtime"
	"sync"
)

var hierarchical = strategy{
	info: Info{
		Name: "Hierarchical", Aliases: []string{"HybridLB", "HybridBaseLB", "HierarchicalLB", "TreeLB"},
		Summary:    "refines between groups of PEs (whole nodes), each taken as one large PE, then inside of all groups at the same time",
		Complexity: "O(n + m log P) in all; O(n/G log n) in each of G groups, in parallel",
		Reference:  "G. Zheng, A. Bhatele, E. Meneses, L. V. Kale, Periodic Hierarchical Load Balancing for Large Supercomputers, IJHPCA 25(4), 2011",
	},
	balance: func(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
		group, count := m.groups(o.Group)
		level := m.Level()
		upper := m.ofGroups(group, count).present()
		if err := upper.refine(ctx, upper.m.Level()); err != nil {
			return nil, err
		}
		p, err := m.refineGroups(ctx, group, upper.pe, count, level*o.tolerance())
		if err != nil {
			return nil, err
		}
		// What no group could do by itself: ranks as large as a PE's share.
		if err := p.refine(ctx, level*o.tolerance()); err != nil {
			return nil, err
		}
		return p.movesIfBetter(), nil
	},
}

// groups numbers groups of about size PEs, whole nodes where a node is not larger than that.
func (m *Measurements) groups(size int) (group []int32, count int) {
	if size == 0 {
		size = int(math.Ceil(math.Sqrt(float64(len(m.PEs)))))
	}
	group = make([]int32, len(m.PEs))
	members := 0
	order := m.pesByNode()
	for i, pe := range order {
		newNode := i > 0 && m.PEs[pe].Node != m.PEs[order[i-1]].Node
		if i == 0 || members >= size && (newNode || members >= 2*size) {
			count++
			members = 0
		}
		group[pe] = int32(count - 1)
		members++
	}
	return group, count
}

// ofGroups is the measurements with each group as one PE.
func (m *Measurements) ofGroups(group []int32, count int) *Measurements {
	upper := &Measurements{PEs: make([]PE, count), Ranks: make([]Rank, len(m.Ranks))}
	for p, pe := range m.PEs {
		g := &upper.PEs[group[p]]
		g.Speed += pe.Speed
		g.Background += pe.Background * pe.Speed
	}
	for g := range upper.PEs {
		upper.PEs[g].Background /= upper.PEs[g].Speed
	}
	for r, rank := range m.Ranks {
		rank.PE = group[rank.PE]
		upper.Ranks[r] = rank
	}
	return upper
}

// refineGroups puts each rank on a PE of its group: it stays, if it is there, or goes where it ends soonest; then each
// group is refined by itself.
func (m *Measurements) refineGroups(ctx context.Context, group, groupOf []int32, count int, limit float64) (*placement, error) {
	pes, ranks := make([][]int32, count), make([][]int32, count)
	for p, g := range group {
		pes[g] = append(pes[g], int32(p))
	}
	for r, g := range groupOf {
		ranks[g] = append(ranks[g], int32(r))
	}
	mapping := make([]int32, len(m.Ranks))
	errs := make([]error, count)
	inParallel(count, func(g int) { errs[g] = m.refineGroup(ctx, pes[g], ranks[g], mapping, limit) })
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return &placement{m: m, pe: mapping, time: m.times(mapping)}, nil
}

// refineGroup sets the PEs of the ranks of one group. It writes only to their places in mapping.
func (m *Measurements) refineGroup(ctx context.Context, pes, ranks, mapping []int32, limit float64) error {
	local := make(map[int32]int32, len(pes))
	sub := &Measurements{PEs: make([]PE, len(pes)), Ranks: make([]Rank, len(ranks))}
	for i, pe := range pes {
		local[pe] = int32(i)
		sub.PEs[i] = m.PEs[pe]
	}
	var arrived []int32
	p := &placement{m: sub, pe: make([]int32, len(ranks)), time: make([]float64, len(pes))}
	for i := range sub.PEs {
		p.time[i] = sub.PEs[i].Background
	}
	for i, r := range ranks {
		sub.Ranks[i] = m.Ranks[r]
		if pe, here := local[m.Ranks[r].PE]; here {
			p.put(int32(i), pe)
		} else {
			arrived = append(arrived, int32(i))
		}
	}
	sub.heaviestFirst(arrived)
	if err := p.pack(ctx, arrived, newPEIndex(p)); err != nil {
		return err
	}
	if err := p.refine(ctx, limit); err != nil {
		return err
	}
	for i, r := range ranks {
		mapping[r] = pes[p.pe[i]]
	}
	return nil
}

// inParallel calls f for 0 to n-1, on as many threads as there are cores.
func inParallel(n int, f func(int)) {
	workers := min(n, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				f(i)
			}
		})
	}
	wg.Wait()
}
