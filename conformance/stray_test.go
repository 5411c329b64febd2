package conformance

import (
	"strconv"
	"testing"
)

// TestStray checks that what a rank has not allocated cannot be touched, neither by itself nor by those who get a buffer there from it, and
// that the report says whose fault it was and what the address is.
func TestStray(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/stray.c", "-O0", "-g")
	for _, c := range []struct{ kind, by, place string }{
		{"past", "rank 0: SIGSEGV", "past its mapped memory"},
		{"near", "rank 0: SIGSEGV", "past the end of its heap"},
		{"shrunk", "rank 0: SIGSEGV", "past the end of its heap"},
		{"unmapped", "rank 0: SIGSEGV", "past its mapped memory"},
		{"between", "rank 0: SIGSEGV", "past the end of its heap"},
		{"behind", "rank 0: SIGSEGV", "past its mapped memory"},
		{"send", "rank 0: SIGSEGV", "past its mapped memory"},
		{"bcast", "rank 0: SIGSEGV", "past its mapped memory"},
		{"receive", "SIGSEGV", "past "},
	} {
		for _, workers := range []int{1, 2} {
			t.Run(c.kind+"-"+strconv.Itoa(workers), func(t *testing.T) {
				r := job{program: path, args: []string{c.kind}, workers: workers, ranks: 2}.run(t)
				r.expectCode(t, 139)
				r.expectSays(t, c.by, c.place)
			})
		}
	}
}
