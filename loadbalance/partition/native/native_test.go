package native

import (
	"fmt"
	"slices"
	"testing"

	"ampirun/loadbalance/partition"
)

var libraries = map[string]func() error{
	"metis":  func() error { _, err := openMetis(); return err },
	"scotch": func() error { _, err := openScotch(); return err },
}

func graphs() map[string]*partition.Graph {
	return map[string]*partition.Graph{
		"grid 100x100":    partition.Grid(100, 100, 1),
		"grid 20x20x20":   partition.Grid(20, 20, 20),
		"geometric 10000": partition.Geometric(10000, 11),
	}
}

// worst is the weight of the heaviest part against the mean.
func worst(g *partition.Graph, part []int32, k int) float64 {
	return float64(slices.Max(g.Weights(part, k))) * float64(k) / float64(g.Total())
}

// TestOwnCutIsNearTheirs is the promise of package partition: cuts at most 1.3 times those of the libraries, with parts
// about as even.
func TestOwnCutIsNearTheirs(t *testing.T) {
	for name, missing := range libraries {
		t.Run(name, func(t *testing.T) {
			if err := missing(); err != nil {
				t.Skipf("not installed: %v", err)
			}
			theirs, err := partition.Find(name)
			if err != nil {
				t.Fatal(err)
			}
			for graph, g := range graphs() {
				for _, k := range []int{2, 8, 64} {
					compare(t, fmt.Sprintf("%s, %d parts", graph, k), g, k, theirs)
				}
			}
		})
	}
}

func compare(t *testing.T, what string, g *partition.Graph, k int, theirs partition.Function) {
	targets := slices.Repeat([]float64{1 / float64(k)}, k)
	got, err := theirs(g, targets, 1)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	own, _ := partition.Own(g, targets, 1)
	t.Logf("%s: own cut %d (heaviest part %.3f), theirs %d (%.3f)", what, g.Cut(own), worst(g, own, k), g.Cut(got), worst(g, got, k))
	if float64(g.Cut(own)) > 1.3*float64(g.Cut(got)) {
		t.Errorf("%s: our cut is %d, theirs %d", what, g.Cut(own), g.Cut(got))
	}
	if worst(g, own, k) > max(1.08, worst(g, got, k)) {
		t.Errorf("%s: our heaviest part is %.3f of the mean, theirs %.3f", what, worst(g, own, k), worst(g, got, k))
	}
}

func TestUnevenTargets(t *testing.T) {
	targets := []float64{0.5, 0.3, 0.2}
	for name, missing := range libraries {
		if missing() != nil {
			continue
		}
		f, _ := partition.Find(name)
		g := partition.Grid(50, 50, 1)
		part, err := f(g, targets, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, w := range g.Weights(part, 3) {
			if want := targets[i] * 2500; float64(w) > want*1.06 || float64(w) < want*0.94 {
				t.Errorf("%s: part %d weighs %d, not %.0f", name, i, w, want)
			}
		}
	}
}

func TestWeightsAreScaledIntoRange(t *testing.T) {
	sum := int64(0)
	for _, w := range scale([]int64{1 << 60, 1 << 60, 0, 1}) {
		if w < 1 {
			t.Errorf("weight %d", w)
		}
		sum += int64(w)
	}
	if sum > largest {
		t.Errorf("the weights add up to %d", sum)
	}
}
