package conformance

import (
	"regexp"
	"testing"
)

// TestManyRequests opens more requests at once than any program has been seen to, of each kind, in ranks that move.
func TestManyRequests(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/many_requests.c", "-O1")
	each(t, []string{"receive", "persistent", "general", "collective"}, func(kind string) string { return kind }, func(t *testing.T, kind string) {
		r := job{program: path, args: []string{"270000", kind}, workers: 2, ranks: 2, env: shuffled("2ms")}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS many_requests\n")
	})
	t.Run("millions", func(t *testing.T) {
		r := job{program: path, args: []string{"2100000", "receive"}, workers: 1, ranks: 1}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS many_requests\n")
	})
}

// TestRequestsFull checks that who opens more requests than a slice has room for is told how many those are and which option
// to change, and can go on.
func TestRequestsFull(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, ownDir+"/many_requests.c", "-O1"), args: []string{"1", "fill"}, workers: 1, ranks: 1, flags: []string{"+slice", "256M"}}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS many_requests\n")
	want := regexp.MustCompile(`(?m)^262143 open, then: .*\(MPI_Irecv: the rank has 262143 open requests, and a slice of 256 MiB has no room for more: raise \+slice\)$`)
	if !want.MatchString(r.stdout) {
		t.Errorf("%s: does not say the limit and its option\n%s", r.what, r.output())
	}
}
