package loadbalance

import "context"

// StealPolicy is how a PE with nothing to run takes ready ranks from another: for the PE loop, which acts at once and
// without measurements of a whole period, and for the strategy of that name, which plays it through.
type StealPolicy struct {
	Half   bool    // take half of what is ready, else one rank
	Cost   float64 // seconds that a steal takes: less than that of work is left alone
	Remote bool    // look beyond the own node when that has nothing
}

// DefaultSteal takes half inside of the node, where a steal copies nothing.
var DefaultSteal = StealPolicy{Half: true, Cost: 10e-6}

// ReadyQueue is what others can see of a PE's run queue. The rank that runs is not in it, nor ranks that cannot move.
type ReadyQueue struct {
	PE    int32
	Node  int32
	Ready int     // ranks that could be taken
	Work  float64 // seconds that they will take, as far as is known; 0 is unknown
}

// Victim chooses whom a thief takes from: the busiest of its node, else of all if the policy says so. It gives the
// index in others, or -1.
func (s StealPolicy) Victim(thief ReadyQueue, others []ReadyQueue) int {
	best := -1
	for i := range others {
		q := &others[i]
		if q.PE == thief.PE || !s.WorthWhile(*q) || q.Node != thief.Node && !s.Remote {
			continue
		}
		if best < 0 || q.busier(&others[best], thief.Node) {
			best = i
		}
	}
	return best
}

// busier prefers the thief's node, then work, then ranks.
func (q *ReadyQueue) busier(than *ReadyQueue, node int32) bool {
	if near := q.Node == node; near != (than.Node == node) {
		return near
	}
	if q.Work != than.Work {
		return q.Work > than.Work
	}
	return q.Ready > than.Ready
}

// WorthWhile tells whether there is anything to take that repays the cost.
func (s StealPolicy) WorthWhile(q ReadyQueue) bool {
	return q.Ready > 0 && (q.Work == 0 || q.Work > s.Cost)
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
		s := newStealing(m, StealPolicy{Half: true, Remote: true})
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
		if !s.policy.WorthWhile(ReadyQueue{PE: victim, Ready: len(ready), Work: s.work[victim]}) {
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
