package loadbalance_test

import (
	"context"
	"fmt"
	"testing"

	"ampirun/loadbalance"
	"ampirun/loadbalance/synth"
)

// BenchmarkBalance runs strategies on random loads in blocks. "imbalance" is that of the result, "moves" how many ranks
// go elsewhere. The largest case is the one of the project's aims: 1,000,000 ranks on 65,536 PEs.
func BenchmarkBalance(b *testing.B) {
	for _, size := range []struct{ ranks, pes int }{{10_000, 512}, {1_000_000, 65_536}} {
		m := synth.Random(size.ranks, 1).Measurements(0, synth.PEs(size.pes, 64))
		for _, name := range []string{"Greedy", "GreedyRefine", "Refine", "RefineSwap", "Hierarchical", "Distributed", "Diffusion", "Steal"} {
			b.Run(fmt.Sprintf("%s/%dx%d", name, size.ranks, size.pes), func(b *testing.B) { balanceOften(b, name, m) })
		}
	}
}

// BenchmarkBalanceTraffic runs the strategies that look at traffic on a stencil in three dimensions.
func BenchmarkBalanceTraffic(b *testing.B) {
	m := synth.Stencil3D(32, 32, 32).Measurements(0, synth.PEs(1024, 64))
	for _, name := range []string{"Greedy", "GreedyComm", "RecBisect"} {
		b.Run(name, func(b *testing.B) { balanceOften(b, name, m) })
	}
}

func balanceOften(b *testing.B, name string, m *loadbalance.Measurements) {
	s, err := loadbalance.Find(name)
	if err != nil {
		b.Fatal(err)
	}
	var moves []loadbalance.Move
	b.ReportAllocs()
	for b.Loop() {
		if moves, err = s.Balance(context.Background(), m, loadbalance.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	mapping, err := m.Apply(moves)
	if err != nil {
		b.Fatal(err)
	}
	q := m.Evaluate(mapping)
	b.ReportMetric(q.Imbalance, "imbalance")
	b.ReportMetric(float64(q.Moves), "moves")
	b.ReportMetric(float64(q.CutBytes), "cutbytes")
}
