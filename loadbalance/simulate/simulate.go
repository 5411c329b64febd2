package simulate

import (
	"context"
	"fmt"
	"io"
	"time"

	"ampirun/loadbalance"
	"ampirun/loadbalance/mapping"
	"ampirun/loadbalance/record"
)

// Config is a simulated machine and how it balances.
type Config struct {
	PEs        []loadbalance.PE // their background load is not simulated
	Mapping    mapping.Function // where ranks begin; nil is mapping.Block
	Period     int              // steps between two balancings
	Auto       bool             // make moves only if they win more in a further such period than they cost
	Costs      Costs
	Options    loadbalance.Options
	Strategies []loadbalance.Strategy
}

// Validate finds what cannot be simulated.
func (c *Config) Validate() error {
	if c.Period < 1 {
		return fmt.Errorf("period is %d steps", c.Period)
	}
	if err := (&loadbalance.Measurements{PEs: c.PEs}).Validate(); err != nil {
		return err
	}
	return c.Costs.Validate()
}

// Source gives steps until io.EOF, as record.Reader does.
type Source interface {
	Next() (*record.Step, error)
}

// Result is what came of one strategy.
type Result struct {
	Strategy string
	Makespan float64 // seconds in all: steps and balancing
	Moving   float64 // seconds of it that balancing took, by the cost model
	Ideal    float64 // seconds that the work alone takes if it is divided at will at every moment

	Imbalance float64 // of work, mean of all steps
	Balanced  int     // how often it was balanced
	Moves     int
	Bytes     int64 // of ranks that moved
	NodeBytes int64 // the part of it that was copied between nodes

	Traffic, NodeTraffic int64 // bytes that ranks sent between PEs, and the part between nodes

	Deciding time.Duration // what the strategy took here, on this machine; not in Makespan
	Steps    []StepResult
}

// StepResult is one step of a Result.
type StepResult struct {
	Seconds   float64 // of the step itself
	Moving    float64 // seconds of the balancing before it
	Imbalance float64
	Moves     int
}

// Run replays steps with each strategy. A trace that is cut off counts up to there: then Run gives the results and
// record.ErrCut. Ranks stay pinned that were; where a balancing finds the strategy failing, so does Run.
func Run(ctx context.Context, c Config, from Source) ([]*Result, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	worlds := make([]*world, len(c.Strategies))
	for i, s := range c.Strategies {
		worlds[i] = &world{config: &c, strategy: s, result: &Result{Strategy: s.Info().Name}}
	}
	for {
		step, err := from.Next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return results(worlds), err
		}
		for _, w := range worlds {
			if err := w.step(ctx, step); err != nil {
				return nil, fmt.Errorf("%s: %w", w.result.Strategy, err)
			}
		}
	}
}

func results(worlds []*world) []*Result {
	list := make([]*Result, len(worlds))
	for i, w := range worlds {
		w.finish()
		list[i] = w.result
	}
	return list
}

// world is a machine with one strategy.
type world struct {
	config   *Config
	strategy loadbalance.Strategy
	result   *Result

	mapping []int32
	seen    *loadbalance.Measurements // what was measured since the last balancing; loads are sums
	steps   int                       // in seen
}

// step balances, if it is time to with what was seen before, and lives through a step.
func (w *world) step(ctx context.Context, s *record.Step) error {
	if w.mapping == nil {
		if err := w.begin(len(s.Ranks)); err != nil {
			return err
		}
	}
	var r StepResult
	if w.steps == w.config.Period {
		if err := w.balance(ctx, &r); err != nil {
			return err
		}
	}
	w.live(s, &r)
	w.see(s)
	w.result.Steps = append(w.result.Steps, r)
	return nil
}

func (w *world) begin(ranks int) (err error) {
	place := w.config.Mapping
	if place == nil {
		place = mapping.Block
	}
	w.mapping, err = place(ranks, w.config.PEs)
	w.seen = &loadbalance.Measurements{PEs: w.config.PEs, Ranks: make([]loadbalance.Rank, ranks)}
	return err
}

// live adds up what a step takes under the present mapping.
func (w *world) live(s *record.Step, r *StepResult) {
	m := loadbalance.Measurements{PEs: w.config.PEs, Ranks: s.Ranks}
	work, total, sum := make([]float64, len(m.PEs)), 0.0, 0.0
	for rank, p := range w.mapping {
		work[p] += s.Ranks[rank].Load / m.PEs[p].Speed
		total += s.Ranks[rank].Load
	}
	traffic := newMeter(&w.config.Costs, m.PEs)
	s.Graph.Edges(func(e loadbalance.Edge) { traffic.send(w.mapping[e.From], w.mapping[e.To], e.Messages, e.Bytes) })
	most, speed := 0.0, 0.0
	for p := range work {
		r.Seconds = max(r.Seconds, work[p]+traffic.seconds(p))
		most = max(most, work[p])
		sum += work[p]
		speed += m.PEs[p].Speed
	}
	r.Imbalance = 1
	if sum > 0 {
		r.Imbalance = most * float64(len(work)) / sum
	}
	w.result.Ideal += total / speed
	w.result.Traffic += traffic.bytes
	w.result.NodeTraffic += traffic.nodes
}

// see adds a step to what the strategy will be told. Traffic is that of the last step.
func (w *world) see(s *record.Step) {
	for r := range s.Ranks {
		load := w.seen.Ranks[r].Load + s.Ranks[r].Load
		w.seen.Ranks[r] = s.Ranks[r]
		w.seen.Ranks[r].Load, w.seen.Ranks[r].PE = load, w.mapping[r]
	}
	w.seen.Graph = s.Graph
	w.steps++
}

// balance lets the strategy decide on what was seen, and moves ranks.
func (w *world) balance(ctx context.Context, r *StepResult) error {
	started := time.Now()
	moves, err := w.strategy.Balance(ctx, w.seen, w.config.Options)
	if err != nil {
		return err
	}
	w.result.Deciding += time.Since(started)
	gain, err := w.seen.Gain(moves, w.config.Costs.Move)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	if w.config.Auto && gain <= 0 {
		moves = nil
	}
	for _, v := range moves {
		w.mapping[v.Rank] = v.To
	}
	r.Moves = len(moves)
	r.Moving = w.config.Costs.Move.Seconds(w.seen, moves)
	w.result.Balanced++
	for _, v := range moves {
		w.result.Bytes += w.seen.Ranks[v.Rank].Memory
		if w.config.PEs[v.From].Node != w.config.PEs[v.To].Node {
			w.result.NodeBytes += w.seen.Ranks[v.Rank].Memory
		}
	}
	for rank := range w.seen.Ranks {
		w.seen.Ranks[rank].Load = 0
	}
	w.steps = 0
	return nil
}

func (w *world) finish() {
	for i, s := range w.result.Steps {
		w.result.Makespan += s.Seconds + s.Moving
		w.result.Moving += s.Moving
		w.result.Moves += s.Moves
		w.result.Imbalance += (s.Imbalance - w.result.Imbalance) / float64(i+1)
	}
}
