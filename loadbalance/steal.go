package loadbalance

import "context"

// StealPolicy is how a PE with nothing to run takes ready ranks from another: for the PE loop, which acts at once and
// without measurements of a whole period, and for the strategy of that name, which plays it through.
type StealPolicy struct {
	Half bool    // take half of what is ready, else one rank
	Cost float64 // seconds that a steal takes: less than that of work is left alone
}

// DefaultSteal takes half inside of the node, where a steal copies nothing.
var DefaultSteal = StealPolicy{Half: true, Cost: 10e-6}

// WorthWhile tells whether so many ready ranks, with so many seconds of work, repay the cost; work of 0 is unknown.
func (s StealPolicy) WorthWhile(ready int, work float64) bool {
	return ready > 0 && (work == 0 || work > s.Cost)
}

// Amount is how many ranks to take of those that are ready.
func (s StealPolicy) Amount(ready int) int {
	if s.Half {
		return (ready + 1) / 2
	}
	return min(ready, 1)
}

var steal = strategy{
	info: Info{
		Name: "Steal", Aliases: []string{"WorkStealLB", "stealing"},
		Summary:    "plays one period through in which each PE that runs dry takes half of the ready ranks of the busiest PE, of its own node first",
		Complexity: "O(n + s log P), s the steals",
		Reference:  "R. D. Blumofe, C. E. Leiserson, Scheduling Multithreaded Computations by Work Stealing, J. ACM 46(5), 1999",
	},
	balance: func(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
		s := newStealing(m, StealPolicy{Half: true})
		if err := s.run(ctx); err != nil {
			return nil, err
		}
		p := &placement{m: m, pe: s.ranAt, time: m.times(s.ranAt)}
		return p.movesIfBetter(), nil
	},
}

// stealing is a period played through: every PE runs its ranks one after the other.
type stealing struct {
	m      *Measurements
	policy StealPolicy
	queue  [][]int32 // ready ranks of each PE that can move
	work   []float64 // seconds in each queue, on a PE of speed 1
	now    []float64 // when each PE has run what it took from its queue
	ranAt  []int32

	idle   *peHeap // whoever needs something to run next
	all    *peHeap // the busiest of all PEs
	ofNode map[int32]*peHeap
}

func newStealing(m *Measurements, policy StealPolicy) *stealing {
	p := m.present()
	s := &stealing{m: m, policy: policy, queue: make([][]int32, len(m.PEs)), work: make([]float64, len(m.PEs)),
		now: m.onlyPinned().time, ranAt: p.pe, ofNode: map[int32]*peHeap{}}
	start, ranks := p.byPE()
	for pe := range s.queue {
		s.queue[pe] = ranks[start[pe]:start[pe+1]:start[pe+1]]
		for _, r := range s.queue[pe] {
			s.work[pe] += m.Ranks[r].Load
		}
	}
	s.idle, s.all = newHeapOfAll(s.now, 1), newHeapOfAll(s.work, -1)
	members := map[int32][]int32{}
	for pe := range m.PEs {
		node := m.PEs[pe].Node
		members[node] = append(members[node], int32(pe))
	}
	at := make([]int32, len(m.PEs))
	for node, pes := range members {
		s.ofNode[node] = newHeap(s.work, -1, pes, at)
	}
	return s
}

// run plays until no PE finds anything to run.
func (s *stealing) run(ctx context.Context) error {
	for step := 0; len(s.idle.pes) > 0; step++ {
		if step%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		pe := s.idle.top()
		if len(s.queue[pe]) == 0 && !s.stealFor(pe) {
			s.idle.remove(pe)
			continue
		}
		s.runOne(pe)
	}
	return nil
}

// runOne runs the first rank of a queue.
func (s *stealing) runOne(pe int32) {
	r := s.queue[pe][0]
	s.queue[pe] = s.queue[pe][1:]
	s.ranAt[r] = pe
	s.now[pe] += s.m.Ranks[r].Load / s.m.PEs[pe].Speed
	s.idle.fix(pe)
	s.changeWork(pe, -s.m.Ranks[r].Load)
}

func (s *stealing) changeWork(pe int32, by float64) {
	s.work[pe] += by
	if len(s.queue[pe]) == 0 {
		s.work[pe] = 0 // no rest of rounding
	}
	s.all.fix(pe)
	s.ofNode[s.m.PEs[pe].Node].fix(pe)
}

// stealFor moves ranks from the end of the busiest queue to a PE that has none.
func (s *stealing) stealFor(pe int32) bool {
	for _, h := range []*peHeap{s.ofNode[s.m.PEs[pe].Node], s.all} {
		victim := h.top()
		ready := s.queue[victim]
		if !s.policy.WorthWhile(len(ready), s.work[victim]) {
			continue
		}
		keep := len(ready) - s.policy.Amount(len(ready))
		s.queue[victim], s.queue[pe] = ready[:keep:keep], ready[keep:]
		taken := 0.0
		for _, r := range s.queue[pe] {
			taken += s.m.Ranks[r].Load
		}
		s.changeWork(victim, -taken)
		s.changeWork(pe, taken)
		return true
	}
	return false
}
