package loadbalance_test

import (
	"testing"

	"ampirun/loadbalance"
)

func TestVictim(t *testing.T) {
	type queue = loadbalance.ReadyQueue
	queues := []queue{
		{PE: 0, Node: 0, Ready: 9, Work: 1e-6}, // less than a steal costs
		{PE: 1, Node: 0, Ready: 2, Work: 0.5},
		{PE: 2, Node: 0, Ready: 1, Work: 0.7},
		{PE: 3, Node: 1, Ready: 5, Work: 0.9},
		{PE: 4, Node: 1, Ready: 0},
		{PE: 5, Node: 2, Ready: 1}, // nobody knows how much
		{PE: 6, Node: 2, Ready: 3},
	}
	near := loadbalance.DefaultSteal
	far := near
	far.Remote = true
	for _, c := range []struct {
		policy loadbalance.StealPolicy
		thief  queue
		want   int
	}{
		{near, queue{PE: 7, Node: 0}, 2},
		{near, queues[2], 1}, // not from itself
		{near, queues[4], 3},
		{near, queue{PE: 7, Node: 2}, 6},
		{near, queue{PE: 7, Node: 3}, -1},
		{far, queue{PE: 7, Node: 3}, 3},
		{far, queue{PE: 7, Node: 0}, 2}, // its own node first
	} {
		if got := c.policy.Victim(c.thief, queues); got != c.want {
			t.Errorf("PE %d of node %d takes from %d, not %d", c.thief.PE, c.thief.Node, got, c.want)
		}
	}
}

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
