package simulate

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"ampirun/loadbalance"
	"ampirun/loadbalance/mapping"
	"ampirun/loadbalance/record"
	"ampirun/loadbalance/synth"
)

// steps is a Source of given steps.
type steps []*record.Step

func (s *steps) Next() (*record.Step, error) {
	if len(*s) == 0 {
		return nil, io.EOF
	}
	first := (*s)[0]
	*s = (*s)[1:]
	return first, nil
}

func find(t *testing.T, names ...string) (list []loadbalance.Strategy) {
	t.Helper()
	for _, name := range names {
		s, err := loadbalance.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

func run(t *testing.T, c Config, from Source) []*Result {
	t.Helper()
	results, err := Run(context.Background(), c, from)
	if err != nil {
		t.Fatal(err)
	}
	return results
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) }

// TestCostsByHand compares one small case with figures worked out by hand.
func TestCostsByHand(t *testing.T) {
	costs := Costs{Node: Link{1, 0.1, 100}, Network: Link{2, 0.2, 10},
		Move: loadbalance.MoveCost{Fixed: 3, Bandwidth: 5, Decide: 0.5}}
	step := &record.Step{Ranks: []loadbalance.Rank{{Load: 10, Memory: 20}, {Load: 6, Memory: 40}, {Load: 4, PE: 1}, {Load: 0, PE: 2}},
		Graph: loadbalance.NewGraph(4, []loadbalance.Edge{
			{From: 0, To: 1, Messages: 50, Bytes: 1e9}, // on one PE: free
			{From: 0, To: 2, Messages: 5, Bytes: 300},  // in the node: 0.5 + 3 + 1
			{From: 2, To: 3, Messages: 10, Bytes: 20},  // between nodes: 2 + 2 + 2
		})}
	pes := []loadbalance.PE{{Speed: 1}, {Speed: 2}, {Speed: 1, Node: 1}}
	place := func(int, []loadbalance.PE) ([]int32, error) { return []int32{0, 0, 1, 2}, nil }
	c := Config{PEs: pes, Mapping: place, Period: 1, Costs: costs, Strategies: find(t, "Dummy", "Rotate")}
	results := run(t, c, &steps{step, step})

	// PE 0: 16 + 0.5 + 3 + 1; PE 1: 2 + 0.5 + 2 + max(3, 2) + 2; PE 2: 0 + 2 + 2 + 2
	if got := results[0].Steps[0].Seconds; !near(got, 20.5) {
		t.Errorf("a step takes %v, not 20.5", got)
	}
	if got := results[0].Steps[0].Imbalance; !near(got, 16.0/6) {
		t.Errorf("the imbalance is %v, not 16/6", got)
	}
	if got := results[0]; got.Traffic != 640 || got.NodeTraffic != 40 || !near(got.Makespan, 41.5) || !near(got.Ideal, 10) {
		t.Errorf("without moves: %+v", got)
	}
	// Rotate: ranks 0 and 1 to PE 1 (in the node), rank 2 to PE 2, rank 3 to PE 0: memory of ranks 2 and 3 is 0.
	// PE 1 sends one and receives two: 3 * 3, and 0.5 to decide.
	if got := results[1]; !near(got.Moving, 9.5) || got.Moves != 4 || got.Bytes != 60 || got.NodeBytes != 0 {
		t.Errorf("Rotate: %+v", got)
	}
	if got := costs.Move.Seconds(&loadbalance.Measurements{PEs: pes, Ranks: step.Ranks}, []loadbalance.Move{{Rank: 1, From: 0, To: 2}}); !near(got, 11.5) {
		t.Errorf("a move of 40 bytes between nodes takes %v, not 3 + 8 + 0.5", got)
	}
}

// TestBalancingPays: on workloads that are not balanced, strategies come near the ideal, and a hot spot needs them again.
func TestBalancingPays(t *testing.T) {
	for _, w := range []synth.Workload{synth.Linear(1024), synth.HotSpot(1024, 20), synth.Random(1024, 2), synth.Stencil2D(32, 32), synth.Stencil3D(8, 16, 8)} {
		c := Config{PEs: synth.PEs(64, 8), Period: 5, Costs: DefaultCosts, Strategies: find(t, "none", "GreedyRefine", "Refine", "Distributed")}
		results := run(t, c, w.Trace(60, synth.PEs(4, 4)))
		none := results[0]
		for _, r := range results[1:] {
			if r.Makespan > 0.9*none.Makespan || r.Makespan < r.Ideal || r.Moves == 0 || r.Balanced != 11 {
				t.Errorf("%s: %s takes %.4f s with %d moves, none %.4f, ideal %.4f", w.Name, r.Strategy, r.Makespan, r.Moves, none.Makespan, r.Ideal)
			}
		}
	}
}

// TestAutoMovesOnlyWhatPays: where moves cost more than they win, auto makes none, and never ends worse than none; where
// they are cheap it makes the same as without.
func TestAutoMovesOnlyWhatPays(t *testing.T) {
	w := synth.HotSpot(1024, 20)
	for bandwidth, cheap := range map[float64]bool{8e9: true, 1e6: false} {
		c := Config{PEs: synth.PEs(64, 8), Period: 5, Costs: DefaultCosts, Auto: true, Strategies: find(t, "none", "Refine")}
		c.Costs.Move.Bandwidth = bandwidth
		r := run(t, c, w.Trace(60, synth.PEs(4, 4)))
		if (r[1].Moves > 0) != cheap || r[1].Makespan > r[0].Makespan || r[1].Balanced != 11 {
			t.Errorf("at %g B/s: %d moves, %.4f s against %.4f", bandwidth, r[1].Moves, r[1].Makespan, r[0].Makespan)
		}
	}
}

// TestTrafficCounts: where traffic is what takes time, a strategy that keeps talkers together is the faster one.
func TestTrafficCounts(t *testing.T) {
	costs := DefaultCosts
	costs.Network.Bandwidth, costs.Node.Bandwidth = 1e8, 1e9
	c := Config{PEs: synth.PEs(16, 4), Mapping: mapping.RoundRobin, Period: 5, Costs: costs, Strategies: find(t, "none", "Greedy", "GreedyComm", "RecBisect")}
	r := run(t, c, synth.Stencil2D(32, 32).Trace(20, synth.PEs(4, 4)))
	for _, aware := range r[2:] {
		if aware.Makespan > 0.8*r[1].Makespan {
			t.Errorf("%s takes %.4f s, Greedy %.4f", aware.Strategy, aware.Makespan, r[1].Makespan)
		}
	}
}

func TestCutTraceCounts(t *testing.T) {
	var file bytes.Buffer
	trace := synth.Linear(64).Trace(10, synth.PEs(4, 4))
	w, err := record.NewWriter(&file, trace.Header)
	if err != nil {
		t.Fatal(err)
	}
	if err := trace.Write(w); err != nil { // and no Close: the run was killed
		t.Fatal(err)
	}
	r, err := record.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	results, err := Run(context.Background(), Config{PEs: synth.PEs(8, 8), Period: 2, Costs: DefaultCosts, Strategies: find(t, "Greedy")}, r)
	if !errors.Is(err, record.ErrCut) || len(results) != 1 || len(results[0].Steps) != 10 {
		t.Errorf("%v, %+v", err, results)
	}
}

func TestTable(t *testing.T) {
	c := Config{PEs: synth.PEs(8, 8), Period: 2, Costs: DefaultCosts, Strategies: find(t, "none", "Greedy")}
	var text strings.Builder
	if err := Table(&text, run(t, c, synth.Linear(64).Trace(10, synth.PEs(4, 4)))); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) != 3 || !strings.Contains(lines[1], "Dummy") || !strings.Contains(lines[2], "Greedy") {
		t.Error(text.String())
	}
	t.Log("\n" + text.String())
}

func TestBadConfigsAreNamed(t *testing.T) {
	good := func() Config { return Config{PEs: synth.PEs(2, 2), Period: 1, Costs: DefaultCosts} }
	for want, spoil := range map[string]func(*Config){
		"period is 0 steps":            func(c *Config) { c.Period = 0 },
		"there is no PE":               func(c *Config) { c.PEs = nil },
		"bandwidth between nodes is 0": func(c *Config) { c.Costs.Network.Bandwidth = 0 },
		"fixed time of a move is -1":   func(c *Config) { c.Costs.Move.Fixed = -1 },
		"latency in a node is NaN":     func(c *Config) { c.Costs.Node.Latency = math.NaN() },
	} {
		c := good()
		spoil(&c)
		if _, err := Run(context.Background(), c, &steps{}); err == nil || err.Error() != want {
			t.Errorf("gives %v, not %q", err, want)
		}
	}
}
