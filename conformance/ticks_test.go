package conformance

import "testing"

// TestTicks counts what timers do that go off while their handler runs, and while their ranks are moved: none twice, and none not at all.
func TestTicks(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/ticks.c", "-O1")
	each(t, []job{
		{program: path, args: []string{"20000", "8000", "4"}, workers: 1, ranks: 2},
		{program: path, args: []string{"200000", "1000", "4"}, workers: 2, ranks: 4, env: shuffled("100us")},
	}, func(j job) string { return j.args[0] }, func(t *testing.T, j job) {
		r := j.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS ticks\n")
	})
}
