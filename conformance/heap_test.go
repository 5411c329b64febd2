package conformance

import (
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
)

// TestHeapFull checks that a program that wants more than its slice gets NULL and goes on, and that the user is told
// once which option to change.
func TestHeapFull(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/heaps.c"), args: []string{"fill"}, workers: 2, ranks: 3, flags: []string{"+slice", "256M"}}
	r := j.run(t)
	r.expectCode(t, 0)
	for rank := range j.ranks {
		r.expectSays(t, fmt.Sprintf("rank %d: full, then room again\n", rank))
	}
	told := regexp.MustCompile(`(?m)^ampirun: rank \d+: .*\+slice`).FindAllString(r.stderr, -1)
	if len(told) < 1 || len(told) > j.ranks {
		t.Errorf("%s: want a line for the job or each rank that names +slice\n%s", r.what, r.output())
	}
}

// TestHeapCheck checks that --heap-check finds what a program does wrong, and finds nothing where there is nothing.
func TestHeapCheck(t *testing.T) {
	t.Parallel()
	for kind, says := range map[string]string{"overrun": "written past its end", "double": "free"} {
		r := job{program: program(t, ownDir+"/heaps.c"), args: []string{kind}, workers: 2, ranks: 3, flags: []string{"--heap-check"}}.run(t)
		r.expectCode(t, 134)
		r.expectSays(t, says, "rank 1")
	}
	for _, file := range []string{"heap.c", "iostreams.cpp", "fortran_state.f90", "stdio_files.c"} {
		j := job{program: program(t, filepath.Join(langDir, file)), workers: 2, ranks: 4, flags: []string{"--heap-check"}}
		j.run(t).expectCode(t, 0)
	}
}
