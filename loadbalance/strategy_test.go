package loadbalance_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"ampirun/loadbalance"
	"ampirun/loadbalance/synth"
)

// random makes measurements with everything that can be odd: unequal speeds, background load, pinned ranks, ranks of no
// load, a rank larger than all others together, empty PEs, traffic or none.
func random(seed uint64) *loadbalance.Measurements {
	r := rand.New(rand.NewPCG(seed, 1))
	odd := func(chance float64) bool { return r.Float64() < chance }
	m := &loadbalance.Measurements{PEs: synth.PEs(1+r.IntN(40), 1+r.IntN(8)), Ranks: make([]loadbalance.Rank, r.IntN(300))}
	unequal, busy, pinned, crowded := odd(0.4), odd(0.4), odd(0.4), odd(0.3)
	for p := range m.PEs {
		if unequal {
			m.PEs[p].Speed = 0.25 + float64(r.IntN(8))/4
		}
		if busy && odd(0.3) {
			m.PEs[p].Background = r.Float64() * 5
		}
	}
	for i := range m.Ranks {
		rank := &m.Ranks[i]
		*rank = loadbalance.Rank{Load: r.ExpFloat64(), PE: int32(r.IntN(len(m.PEs))), Memory: int64(r.IntN(1 << 20)), Pinned: pinned && odd(0.2)}
		if crowded {
			rank.PE = int32(r.IntN(1 + len(m.PEs)/8))
		}
		if odd(0.05) {
			rank.Load = 0
		}
		if odd(0.01) {
			rank.Load = 100
		}
	}
	if n := len(m.Ranks); n > 0 && odd(0.7) {
		edges := make([]loadbalance.Edge, r.IntN(4*n))
		for i := range edges {
			edges[i] = loadbalance.Edge{From: int32(r.IntN(n)), To: int32(r.IntN(n)), Messages: int64(r.IntN(100)), Bytes: int64(r.IntN(1 << 20))}
		}
		m.Graph = loadbalance.NewGraph(n, edges)
	}
	return m
}

// each runs a check for each strategy as a subtest.
func each(t *testing.T, check func(t *testing.T, s loadbalance.Strategy)) {
	for _, s := range loadbalance.All() {
		t.Run(s.Info().Name, func(t *testing.T) {
			t.Parallel()
			check(t, s)
		})
	}
}

// forRandom checks a property on random measurements; it says the seed of one that fails.
func forRandom(t *testing.T, check func(t *testing.T, m *loadbalance.Measurements, seed uint64)) {
	t.Helper()
	property := func(seed uint64) bool {
		check(t, random(seed), seed)
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
		return !t.Failed()
	}
	if err := quick.Check(property, &quick.Config{MaxCount: 150}); err != nil {
		t.Error(err)
	}
}

func balance(t *testing.T, s loadbalance.Strategy, m *loadbalance.Measurements, o loadbalance.Options) []int32 {
	t.Helper()
	moves, err := s.Balance(context.Background(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	mapping, err := m.Apply(moves)
	if err != nil {
		t.Fatal(err)
	}
	return mapping
}

// TestNoRankIsLost checks that moves name ranks once, from where they are to a PE that exists, none of them pinned, and
// that the input is as it was.
func TestNoRankIsLost(t *testing.T) {
	each(t, func(t *testing.T, s loadbalance.Strategy) {
		forRandom(t, func(t *testing.T, m *loadbalance.Measurements, seed uint64) {
			balance(t, s, m, loadbalance.Options{Seed: seed})
			if !reflect.DeepEqual(m, random(seed)) {
				t.Error("the input was changed")
			}
		})
	})
}

// TestNotWorseThanRefinesBound: whoever looks at all loads ends within the bound; no one who looks at any makes it worse
// than both the bound and what was.
func TestNotWorseThanRefinesBound(t *testing.T) {
	local := map[string]bool{"Distributed": true, "Diffusion": true}
	each(t, func(t *testing.T, s loadbalance.Strategy) {
		if s.Info().Blind {
			t.Skip("it does not look at loads")
		}
		forRandom(t, func(t *testing.T, m *loadbalance.Measurements, seed uint64) {
			before := m.Evaluate(m.Mapping()).Makespan
			bound := m.Bound(loadbalance.DefaultTolerance)
			if local[s.Info().Name] {
				bound = max(bound, before)
			}
			if after := m.Evaluate(balance(t, s, m, loadbalance.Options{Seed: seed})).Makespan; after > bound*(1+1e-9) {
				t.Errorf("the makespan was %v and is %v; the bound is %v", before, after, bound)
			}
		})
	})
}

// TestOnlyTrafficMakesAMakespanGrow: strategies that do not look at traffic never make a makespan longer.
func TestOnlyTrafficMakesAMakespanGrow(t *testing.T) {
	for _, name := range []string{"Greedy", "GreedyRefine", "Refine", "RefineSwap", "Hierarchical", "Distributed", "Diffusion", "Steal"} {
		s, _ := loadbalance.Find(name)
		forRandom(t, func(t *testing.T, m *loadbalance.Measurements, seed uint64) {
			before := m.Evaluate(m.Mapping()).Makespan
			if after := m.Evaluate(balance(t, s, m, loadbalance.Options{Seed: seed})).Makespan; after > before*(1+1e-9) {
				t.Errorf("%s: the makespan was %v and is %v", name, before, after)
			}
		})
	}
}

func TestSameInputSameMoves(t *testing.T) {
	each(t, func(t *testing.T, s loadbalance.Strategy) {
		for seed := range uint64(30) {
			a, _ := s.Balance(context.Background(), random(seed), loadbalance.Options{Seed: seed})
			b, _ := s.Balance(context.Background(), random(seed), loadbalance.Options{Seed: seed})
			if !slices.Equal(a, b) {
				t.Errorf("seed %d: two runs differ", seed)
			}
		}
	})
}

func TestLevelIsALowerBound(t *testing.T) {
	forRandom(t, func(t *testing.T, m *loadbalance.Measurements, seed uint64) {
		if q := m.Evaluate(m.Mapping()); q.Makespan < m.Level()*(1-1e-9) {
			t.Errorf("the makespan is %v, the level %v", q.Makespan, m.Level())
		}
	})
}

// TestLinearIsBalanced: with many ranks on each PE, whoever looks at loads gets near the level.
func TestLinearIsBalanced(t *testing.T) {
	most := map[string]float64{"GreedyComm": 1.06, "Distributed": 1.1, "Diffusion": 1.15, "Steal": 1.15}
	each(t, func(t *testing.T, s loadbalance.Strategy) {
		if s.Info().Blind {
			t.Skip("it does not look at loads")
		}
		for _, w := range []synth.Workload{synth.Linear(2048), synth.HotSpot(2048, 10), synth.Random(2048, 3), synth.Stencil2D(32, 64)} {
			m := w.Measurements(0, synth.PEs(64, 8))
			if q := m.Evaluate(balance(t, s, m, loadbalance.Options{})); q.Imbalance > max(1.04, most[s.Info().Name]) {
				t.Errorf("%s: imbalance is %.3f, was %.3f", w.Name, q.Imbalance, m.Evaluate(m.Mapping()).Imbalance)
			}
		}
	})
}

// TestRefiningMovesFew: what needs to move on a nearly balanced input is little, and nothing on a balanced one.
func TestRefiningMovesFew(t *testing.T) {
	for name, most := range map[string]int{"Refine": 64, "GreedyRefine": 160, "RefineSwap": 64, "Distributed": 160, "Diffusion": 400, "Hierarchical": 100} {
		s, _ := loadbalance.Find(name)
		m := synth.Random(2048, 1).Measurements(0, synth.PEs(64, 8))
		for r := range m.Ranks { // one rank in 32 on each PE works ten times as much, but on every other PE
			m.Ranks[r].Load = 1
			if r%64 == 0 {
				m.Ranks[r].Load = 10
			}
		}
		mapping := balance(t, s, m, loadbalance.Options{})
		if q := m.Evaluate(mapping); q.Moves == 0 || q.Moves > most*4 {
			t.Errorf("%s: %d moves", name, q.Moves)
		}
		for r := range m.Ranks {
			m.Ranks[r].Load = 1
		}
		if q := m.Evaluate(balance(t, s, m, loadbalance.Options{})); q.Moves != 0 {
			t.Errorf("%s: %d moves of balanced ranks", name, q.Moves)
		}
	}
}

// TestTalkersStayTogether: strategies that look at traffic cut much less of a stencil than Greedy does, at a like balance.
func TestTalkersStayTogether(t *testing.T) {
	m := synth.Stencil2D(64, 64).Measurements(0, synth.PEs(64, 8))
	greedy, _ := loadbalance.Find("Greedy")
	all := m.Evaluate(balance(t, greedy, m, loadbalance.Options{})).CutBytes
	for name, part := range map[string]float64{"GreedyComm": 0.4, "RecBisect": 0.3, "Metis": 0.3, "Scotch": 0.3} {
		s, _ := loadbalance.Find(name)
		if q := m.Evaluate(balance(t, s, m, loadbalance.Options{})); float64(q.CutBytes) > part*float64(all) {
			t.Errorf("%s cuts %d bytes (%d between nodes), Greedy %d", name, q.CutBytes, q.NodeBytes, all)
		}
	}
}

func TestStrategiesAreFoundByEveryName(t *testing.T) {
	seen := map[string]string{}
	for _, s := range loadbalance.All() {
		info := s.Info()
		for _, name := range append([]string{info.Name}, info.Aliases...) {
			if other := seen[strings.ToLower(name)]; other != "" {
				t.Errorf("%s is a name of %s and %s", name, other, info.Name)
			}
			seen[strings.ToLower(name)] = info.Name
			if found, err := loadbalance.Find(strings.ToLower(name)); err != nil || found != s {
				t.Errorf("%s: found %v, %v", name, found, err)
			}
		}
		if info.Summary == "" || info.Complexity == "" || info.Reference == "" {
			t.Errorf("%s is not described", info.Name)
		}
	}
	if _, err := loadbalance.Find("best"); err == nil || !strings.Contains(err.Error(), "GreedyRefine") {
		t.Errorf("an unknown name gives %v", err)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := synth.Linear(4096).Measurements(0, synth.PEs(64, 8))
	for _, name := range []string{"Greedy", "Refine", "GreedyRefine", "Distributed", "Diffusion", "Steal", "GreedyComm", "Hierarchical"} {
		s, _ := loadbalance.Find(name)
		if moves, err := s.Balance(ctx, m, loadbalance.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %d moves, %v", name, len(moves), err)
		}
	}
}

func TestBadInputIsNamed(t *testing.T) {
	type change func(m *loadbalance.Measurements)
	for want, spoil := range map[string]change{
		"there is no PE":              func(m *loadbalance.Measurements) { m.PEs = nil },
		"PE 1: speed is 0":            func(m *loadbalance.Measurements) { m.PEs[1].Speed = 0 },
		"PE 1: speed is NaN":          func(m *loadbalance.Measurements) { m.PEs[1].Speed = math.NaN() },
		"PE 0: background load is -1": func(m *loadbalance.Measurements) { m.PEs[0].Background = -1 },
		"rank 3: load is +Inf":        func(m *loadbalance.Measurements) { m.Ranks[3].Load = math.Inf(1) },
		"rank 3: is on PE 4, of 4":    func(m *loadbalance.Measurements) { m.Ranks[3].PE = 4 },
		"rank 0: talks to rank 99":    func(m *loadbalance.Measurements) { m.Graph.Peer[0] = 99 },
		"receivers are not in order":  func(m *loadbalance.Measurements) { m.Graph.Peer[1] = m.Graph.Peer[0] },
		"not one of 16 ranks":         func(m *loadbalance.Measurements) { m.Graph.Start = m.Graph.Start[1:] },
	} {
		m := synth.Stencil2D(4, 4).Measurements(0, synth.PEs(4, 2))
		spoil(m)
		each(t, func(t *testing.T, s loadbalance.Strategy) {
			if _, err := s.Balance(context.Background(), m, loadbalance.Options{}); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("gives %v, not %q", err, want)
			}
		})
	}
}
