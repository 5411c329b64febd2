package partition

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/quick"
)

// randomGraph has weights from 0 up, several components and, now and then, a vertex heavier than a part may be.
func randomGraph(seed uint64) *Graph {
	random := rand.New(rand.NewPCG(seed, 7))
	n := 1 + random.IntN(300)
	b := NewBuilder(n)
	for v := range n {
		b.SetVertex(v, int64(random.IntN(20)))
		if random.IntN(100) == 0 {
			b.SetVertex(v, 2000)
		}
	}
	for range random.IntN(4 * n) {
		b.Add(random.IntN(n), random.IntN(n), int64(random.IntN(100)))
	}
	return b.Graph()
}

func evenTargets(k int) []float64 { return slices.Repeat([]float64{1 / float64(k)}, k) }

func TestOwnGivesEveryVertexOneOfTheParts(t *testing.T) {
	check := func(seed uint64, parts uint8) bool {
		g, k := randomGraph(seed), 1+int(parts)%40
		part, err := Own(g, evenTargets(k), seed)
		return err == nil && len(part) == g.Vertices() && slices.Min(part) >= 0 && int(slices.Max(part)) < k
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}

func TestOwnIsTheSameForTheSameSeed(t *testing.T) {
	g := Geometric(2000, 3)
	a, _ := Own(g, evenTargets(16), 5)
	b, _ := Own(g, evenTargets(16), 5)
	if !slices.Equal(a, b) {
		t.Error("two runs with one seed differ")
	}
}

func TestOwnHeedsTargets(t *testing.T) {
	for _, targets := range [][]float64{{0.5, 0.5}, {0.9, 0.1}, {0.5, 0.25, 0.125, 0.125}, evenTargets(7), evenTargets(64)} {
		for name, g := range map[string]*Graph{"grid": Grid(64, 64, 1), "grid3": Grid(16, 16, 16), "geometric": Geometric(4096, 1)} {
			part, _ := Own(g, targets, 1)
			for i, w := range g.Weights(part, len(targets)) {
				want := targets[i] * float64(g.Total())
				if float64(w) > want*1.08+1 || float64(w) < want*0.92-1 {
					t.Errorf("%s, %d parts: part %d weighs %d, not about %.0f", name, len(targets), i, w, want)
				}
			}
		}
	}
}

func TestOwnFindsTheObviousCut(t *testing.T) {
	b := NewBuilder(200) // two cliques of 100 and one thin edge
	for side := range 2 {
		for i := range 100 {
			for j := range i {
				b.Add(100*side+i, 100*side+j, 10)
			}
		}
	}
	b.Add(5, 150, 1)
	g := b.Graph()
	part, _ := Own(g, evenTargets(2), 0)
	if g.Cut(part) != 1 {
		t.Errorf("the cut is %d", g.Cut(part))
	}
}

func TestOwnOnGridIsNearTheBestCut(t *testing.T) {
	for _, side := range []int{32, 64, 128} {
		g := Grid(side, side, 1)
		part, _ := Own(g, evenTargets(2), 2)
		if cut := g.Cut(part); float64(cut) > 1.15*float64(side) {
			t.Errorf("a %d x %d grid is cut at %d edges", side, side, cut)
		}
	}
}

func BenchmarkOwn(b *testing.B) {
	for _, side := range []int{64, 256} {
		g := Grid(side, side, 1)
		for _, k := range []int{2, 64, 1024} {
			b.Run(fmt.Sprintf("grid%dx%d/parts%d", side, side, k), func(b *testing.B) {
				var part []int32
				for b.Loop() {
					part, _ = Own(g, evenTargets(k), 1)
				}
				b.ReportMetric(float64(g.Cut(part)), "cut")
			})
		}
	}
}
