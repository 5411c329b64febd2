package conformance

import (
	"fmt"
	"testing"
)

// TestStress exchanges random messages among ranks of two workers, twenty times: what races between workers does not
// show itself in one run.
func TestStress(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/stress.c", "-O2")
	var seeds []int
	for seed := range 20 {
		seeds = append(seeds, seed)
	}
	each(t, seeds, func(seed int) string { return fmt.Sprint(seed) }, func(t *testing.T, seed int) {
		r := job{program: path, args: []string{fmt.Sprint(seed)}, workers: 2 + seed%2, ranks: 6 + seed}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS stress\n")
	})
}
