package conformance

import (
	"os/exec"
	"strings"
	"testing"
)

// mpirun runs ampirun as it stands in a script.
func mpirun(t *testing.T, env []string, args ...string) result {
	t.Helper()
	cmd := exec.Command(tool("ampirun"), args...)
	mark := job{env: env}.prepare(t, cmd)
	r := finish(t, cmd)
	checkGone(t, mark, cmd.Args)
	return r
}

// TestOptionsAfterTheProgram: AMPI's manual writes +vp there.
func TestOptionsAfterTheProgram(t *testing.T) {
	t.Parallel()
	hello := program(t, ownDir+"/hello.c")
	each(t, []struct{ name, args, last string }{
		{"alone", "PROGRAM +p 2 +vp 4", "rank 3 of 4"},
		{"again", "-np 2 PROGRAM +vp 8 +p2", "rank 7 of 8"},
		{"behind dashes", "-np 2 -- PROGRAM +vp 8", "rank 1 of 2"},
	}, func(c struct{ name, args, last string }) string { return c.name }, func(t *testing.T, c struct{ name, args, last string }) {
		r := mpirun(t, nil, strings.Fields(strings.ReplaceAll(c.args, "PROGRAM", hello))...)
		r.expectCode(t, 0)
		r.expectSays(t, c.last)
		if said := strings.Count(r.stderr, "after the program's name: taken as ampirun's"); (said == 1) == (c.name == "behind dashes") || said > 1 {
			t.Errorf("%s: %s", r.what, r.output())
		}
	})
}
