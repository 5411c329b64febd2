package conformance

import (
	"fmt"
	"testing"
)

// TestSameBits checks that no reduction depends on where ranks are: with how many workers, in which order they were put
// there, and when they are moved in the midst of it.
func TestSameBits(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/same_bits.c", "-O1", "-lm")
	const ranks = 13
	want := job{program: path, workers: 1, ranks: ranks}.run(t)
	want.expectCode(t, 0)
	want.expectSays(t, "PASS same bits\n")
	each(t, amount([]int{3}, []int{1, 2, 3, 4}), func(workers int) string { return fmt.Sprint(workers) }, func(t *testing.T, workers int) {
		still := job{program: path, workers: workers, ranks: ranks}
		byTurns := job{program: path, workers: workers, ranks: ranks, flags: []string{"+mapping", "rr"}}
		moved := job{program: path, workers: workers, ranks: ranks, flags: []string{"+stats"}, env: shuffled("50us")}
		for _, j := range []job{still, byTurns, moved} {
			r := j.run(t)
			r.expectCode(t, 0)
			r.expectSameLines(t, want)
			if moves := movesIn(r.stderr); workers > 1 && j.env != nil && moves < 100 {
				t.Errorf("%s: %d moves", r.what, moves)
			}
		}
	})
}
