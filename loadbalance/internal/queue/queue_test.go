package queue

import (
	"math"
	"testing"
	"testing/quick"
)

// TestQueueOrders pushes at random and pops all.
func TestQueueOrders(t *testing.T) {
	check := func(gains []int16) bool {
		var q Queue
		for i, g := range gains {
			q.Push(Candidate{int64(g), int32(i)})
		}
		last := Candidate{math.MaxInt64, 0}
		for len(q) > 0 {
			if q[0].before(last) {
				return false
			}
			last = q[0]
			q.Pop()
		}
		return true
	}
	if err := quick.Check(check, nil); err != nil {
		t.Error(err)
	}
}
