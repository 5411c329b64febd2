package conformance

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnds checks how jobs end that do not end well: the code, and what the report says.
func TestEnds(t *testing.T) {
	t.Parallel()
	type end struct {
		file string
		code int
		says []string
	}
	rows := []end{
		{"exit_abort.c", 5, []string{"called MPI_Abort with code 5"}},
		{"exit_depth.c", 21, nil},
		{"exit_early.c", 9, []string{"ended with code 9 before MPI_Finalize"}},
		{"exit_stop.f90", 3, []string{"STOP 3"}},
		{"exit_error.c", 6, []string{"MPI_Send failed", "MPI_ERR_RANK"}},
		{"fault_segv.c", 139, []string{"ampirun: rank ", "SIGSEGV at address 0x0 in bad_write() fault_segv.c:9"}},
		{"fault_fpe.c", 136, []string{"SIGFPE", "in divide() fault_fpe.c:6"}},
		{"fault_ill.c", 132, []string{"SIGILL", "in main() fault_ill.c:8"}},
		{"fault_overflow.c", 139, []string{"stack overflow", "+stack", "in endless() fault_overflow.c:"}},
		{"fault_array.c", 139, []string{"stack overflow", "+stack", "in too_large() fault_array.c:"}},
	}
	each(t, rows, func(e end) string { return e.file }, func(t *testing.T, e end) {
		for _, workers := range []int{1, 2} {
			r := runLang(t, e.file, workers, 8)
			r.expectCode(t, e.code)
			r.expectSays(t, e.says...)
		}
	})
}

// TestStackOption checks that +stack is what bounds recursion.
func TestStackOption(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, filepath.Join(langDir, "stack.c")), workers: 2, ranks: 4, flags: []string{"+stack", "256K"}}
	small := j.run(t)
	small.expectCode(t, 139)
	small.expectSays(t, "stack overflow", "+stack")
	j.flags = []string{"+stack", "128M"}
	j.run(t).expectCode(t, 0)
}

// TestPlainProgram checks that a program without MPI runs as so many independent ones, and that what follows its name
// is its own, unless it is an option of ampirun with a plus sign.
func TestPlainProgram(t *testing.T) {
	t.Parallel()
	r := job{program: "/bin/echo", args: []string{"a word", "+odd", "--label"}, workers: 2, ranks: 3}.run(t)
	r.expectCode(t, 0)
	if want := strings.Repeat("a word +odd --label\n", 3); r.stdout != want {
		t.Errorf("%s: prints %q, want %q", r.what, r.stdout, want)
	}
}

// TestUsage checks that a command line with an error is refused in a line that names it.
func TestUsage(t *testing.T) {
	t.Parallel()
	rows := []struct {
		args []string
		says string
	}{
		{[]string{"+vp", "many", "/bin/true"}, "+vp many"},
		{[]string{"-n", "0", "/bin/true"}, "-n 0"},
		{[]string{"+bogus", "/bin/true"}, "+bogus"},
		{[]string{"+stack", "1K", "/bin/true"}, "+stack 1K"},
		{[]string{"+privatize", "magic", "/bin/true"}, "+privatize magic"},
		{nil, "no program given"},
	}
	for _, row := range rows {
		r := runTool(t, "ampirun", row.args...)
		r.expectCode(t, 2)
		r.expectSays(t, "ampirun: ", row.says)
	}
	for _, missing := range []string{"./nothing-here", "nothing-here-either"} {
		r := runTool(t, "ampirun", "+p", "2", "+vp", fmt.Sprint(4), missing)
		r.expectCode(t, 127)
		r.expectSays(t, missing)
	}
}

// TestCheckpointAtTheEnd has jobs saved that are about to end: some workers may have left when others stand still.
func TestCheckpointAtTheEnd(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/last.c")
	each(t, []int{0, 5, 20}, func(apart int) string { return fmt.Sprint(apart) }, func(t *testing.T, apart int) {
		for range 5 {
			r := job{program: path, args: []string{fmt.Sprint(rand.IntN(400)), fmt.Sprint(apart)}, workers: 4, ranks: 4}.begin(t).end()
			r.expectCode(t, 0)
			r.expectSays(t, "PASS last\n")
		}
	})
}
