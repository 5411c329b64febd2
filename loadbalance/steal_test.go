package loadbalance_test

import (
	"testing"

	"ampirun/loadbalance"
)

func TestAmount(t *testing.T) {
	for ready, half := range []int{0, 1, 1, 2, 2, 3} {
		if got := (loadbalance.StealPolicy{Half: true}).Amount(ready); got != half {
			t.Errorf("half of %d is %d", ready, got)
		}
		if got := (loadbalance.StealPolicy{}).Amount(ready); got != min(ready, 1) {
			t.Errorf("one of %d is %d", ready, got)
		}
	}
}

func TestWorthWhile(t *testing.T) {
	for _, c := range []struct {
		ready int
		work  float64
		want  bool
	}{
		{0, 0, false},
		{9, 1e-6, false}, // less than a steal costs
		{1, 0.5, true},
		{1, 0, true}, // nobody knows how much
	} {
		if got := loadbalance.DefaultSteal.WorthWhile(c.ready, c.work); got != c.want {
			t.Errorf("%d ranks with %g s: %v", c.ready, c.work, got)
		}
	}
}
