package loadbalance_test

import (
	"math"
	"testing"

	"ampirun/loadbalance"
)

func TestGain(t *testing.T) {
	m := &loadbalance.Measurements{
		PEs:   []loadbalance.PE{{Speed: 1}, {Speed: 1}, {Speed: 2, Node: 1}},
		Ranks: []loadbalance.Rank{{Load: 10, Memory: 100}, {Load: 6, Memory: 100}, {Load: 1, PE: 1}},
	}
	cost := loadbalance.MoveCost{Fixed: 0.5, Bandwidth: 50, Decide: 0.25}
	for _, c := range []struct {
		moves []loadbalance.Move
		want  float64
	}{
		{nil, -0.25},
		{[]loadbalance.Move{{Rank: 1, From: 0, To: 1}}, 16 - 10 - 0.5 - 0.25},
		{[]loadbalance.Move{{Rank: 0, From: 0, To: 2}}, 16 - 6 - 0.5 - 2 - 0.25},
		{[]loadbalance.Move{{Rank: 2, From: 1, To: 0}}, 16 - 17 - 0.5 - 0.25},
	} {
		if got, err := m.Gain(c.moves, cost); err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, %v; want %v", c.moves, got, err, c.want)
		}
	}
	if _, err := m.Gain([]loadbalance.Move{{Rank: 1, From: 1, To: 0}}, cost); err == nil {
		t.Error("a rank moved from where it is not")
	}
}
