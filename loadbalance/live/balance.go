// Package live balances the load of a running job: it looks at all ranks from one worker, asks a strategy what should move, and
// orders it. The ranks know nothing of it.
package live

import (
	"context"
	"time"

	"ampirun/loadbalance"
	"ampirun/vrank"
)

// Job is a running job as balancing sees it.
type Job interface {
	Take() *vrank.Sample
	// TakeTraffic is what ranks have sent each other so far.
	TakeTraffic() []vrank.Traffic
	// Measure has time accounted to ranks from now on.
	Measure()
	// Order asks for a move; the rank stays if it cannot go.
	Order(rank, pe int) error
	// Await waits for the program to ask for a step, for so long at most: its number, or 0.
	Await(time.Duration) uint32
	// Finish lets those go on who asked.
	Finish(step uint32)
	Ends() bool
}

// Options is how to balance.
type Options struct {
	Strategy loadbalance.Strategy
	Period   Period
	Report   func(vrank.BalanceStep)   // of each step that moved something or that was asked for
	Schedule func(thread int) Schedule // what the kernel tells of a PE's thread; nil: nothing
}

// arriveTime bounds how long a step that the program waits for waits for a rank that computes instead of moving.
const arriveTime = 5 * time.Second

// awaitTime is how often a balancer that acts only when it is asked looks whether the job ends.
const awaitTime = 10 * time.Second

// balancer is a job being balanced.
type balancer struct {
	Options
	job    Job
	now    func() time.Time
	start  time.Time
	window *window
	asked  *look // when the last step was over that the program asked for
	seed   uint64
	sent   traffic
}

// Run balances a job until it ends. It is for a goroutine of worker 0.
func Run(job Job, o Options) { run(job, o, time.Now) }

func run(job Job, o Options, now func() time.Time) {
	b := &balancer{Options: o, job: job, now: now, start: job.Take().At, window: newWindow(o.Period)}
	for !job.Ends() {
		if step := job.Await(b.window.wait()); step != 0 {
			b.answer(step)
		} else if b.Period.isTimed() {
			b.tick()
		}
	}
}

// tick looks at the ranks and acts when it has seen enough.
func (b *balancer) tick() {
	began := b.now()
	complete := b.window.add(b.look())
	b.window.took(b.now().Sub(began))
	if !complete {
		return
	}
	from, mid, to := b.window.from, b.window.mid, b.window.to
	b.lookAtTraffic(len(to.Ranks))
	if b.Period.auto {
		switch b.foresee(from, mid, to) {
		case calm:
			b.window.slide()
			return
		case unclear:
			b.window.grow()
			return
		}
	}
	m := measurements(from, to)
	if moves := b.decide(m); len(moves) > 0 {
		b.report(m, moves, from, to, false)
		b.order(moves)
		b.window.shrink()
		return
	}
	b.window.slide()
}

// outlook is what two halves of a window tell of the future.
type outlook int

const (
	calm       outlook = iota // nothing needs to move
	unclear                   // what the first half asks for would not have helped in the second one
	worthWhile                // it would have, by more than it costs
)

// foresee tries out on the second half of a window what the strategy makes of the first: so chance is told from what lasts, and
// windows that are too short, and see only the ranks whose turn it was, from those that are long enough.
func (b *balancer) foresee(from, mid, to *look) outlook {
	first, second := measurements(from, mid), measurements(mid, to)
	moves := b.decide(first)
	if len(moves) == 0 {
		return calm
	}
	free, cost := loadbalance.MoveCost{Bandwidth: noCopy}, moveCost(to.Sample)
	promised, err := first.Gain(moves, free)
	if err != nil {
		return unclear
	}
	won, err := second.Gain(moves, free)
	if err != nil || won < leastKept*promised || won <= leastGain*second.Evaluate(second.Mapping()).Makespan {
		return unclear
	}
	if 2*won <= cost.Seconds(second, moves) { // the next window is two such halves
		return unclear
	}
	return worthWhile
}

// answer does a step that the program asked for. The first one begins to measure where nothing did before.
func (b *balancer) answer(step uint32) {
	b.job.Measure()
	now := b.look()
	if b.asked != nil {
		b.lookAtTraffic(len(now.Ranks))
		m := measurements(b.asked, now)
		moves := b.decide(m)
		b.report(m, moves, b.asked, now, true)
		b.order(moves)
		b.awaitArrival(moves)
	}
	b.asked = b.look()
	b.window.restart()
	b.job.Finish(step)
}

func (b *balancer) decide(m *loadbalance.Measurements) []loadbalance.Move {
	b.seed++
	m.Graph = b.sent.graph
	moves, err := b.Strategy.Balance(context.Background(), m, loadbalance.Options{Seed: b.seed})
	if err != nil {
		panic("BUG: balancing: " + err.Error())
	}
	return moves
}

func (b *balancer) order(moves []loadbalance.Move) {
	for _, v := range moves {
		if b.job.Order(int(v.Rank), int(v.To)) != nil {
			return // a later step may find room
		}
	}
}

// awaitArrival waits until all that were ordered have gone, but for those that cannot.
func (b *balancer) awaitArrival(moves []loadbalance.Move) {
	for until := time.Now().Add(arriveTime); time.Now().Before(until) && !b.job.Ends(); time.Sleep(50 * time.Microsecond) {
		if haveArrived(b.job.Take(), moves) {
			return
		}
	}
}

func haveArrived(s *vrank.Sample, moves []loadbalance.Move) bool {
	for _, v := range moves {
		if r := &s.Ranks[v.Rank]; r.PE != int(v.To) && !r.Pinned && !r.Ended && !r.Goes {
			return false
		}
	}
	return true
}

func (b *balancer) report(m *loadbalance.Measurements, moves []loadbalance.Move, from, to *look, asked bool) {
	if b.Report == nil {
		return
	}
	after, err := m.Apply(moves)
	if err != nil {
		panic("BUG: balancing: " + err.Error())
	}
	b.Report(vrank.BalanceStep{At: to.At.Sub(b.start).Seconds(), When: to.At, Window: to.At.Sub(from.At).Seconds(), Strategy: b.Strategy.Info().Name,
		Asked: asked, Before: m.Evaluate(m.Mapping()).Imbalance, After: m.Evaluate(after).Imbalance, Moves: len(moves)})
}
