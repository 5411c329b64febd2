package conformance

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// byCopy is for jobs whose ranks move by copy. Their tests are left out where the kernel or a container does not allow that.
func byCopy(t *testing.T, flags ...string) []string {
	t.Helper()
	if why := copyRefused(); why != "" {
		t.Skip(why)
	}
	return append([]string{"+migrate", "copy"}, flags...)
}

// copyRefused asks a kernel what ampirun asks it: a refusal of any other kind is for the tests to find.
var copyRefused = sync.OnceValue(func() string {
	fd, _, errno := unix.Syscall(unix.SYS_USERFAULTFD, unix.O_CLOEXEC, 0, 0)
	if errno != 0 {
		return "no userfaultfd here: " + errno.Error()
	}
	unix.Close(int(fd))
	return ""
})

// TestTravelByCopy moves ranks in the midst of whatever they do, and their memory is taken away and comes again.
func TestTravelByCopy(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/travel.c", "-O1")
	each(t, []int{2, 4}, func(workers int) string { return fmt.Sprint(workers) }, func(t *testing.T, workers int) {
		const rounds = 200
		ranks := 5 + workers
		r := job{program: path, args: []string{fmt.Sprint(rounds), t.TempDir()}, workers: workers, ranks: ranks,
			flags: byCopy(t, "+stats"), env: shuffled("500us")}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS travel\n")
		expectOrder(t, r, r.stdout, ranks, rounds, 1)
		if moves, _ := copiedIn(t, r); moves < 20 {
			t.Errorf("%s: %d moves", r.what, moves)
		}
	})
}

// copiedIn reads from the report of +stats how many moves there were, of how many MiB.
func copiedIn(t *testing.T, r result) (moves int, mib float64) {
	t.Helper()
	_, line, found := strings.Cut(r.stderr, "\ncopied: ")
	if n, err := fmt.Sscanf(line, "%d moves of %f MiB", &moves, &mib); !found || n != 2 {
		t.Errorf("%s: does not say what was copied (%v): %s", r.what, err, r.stderr)
	}
	return moves, mib
}

// TestLangTravelsByCopy runs those travellers that have much in their slices.
func TestLangTravelsByCopy(t *testing.T) {
	t.Parallel()
	files := []string{"constructors.cpp", "dynamic.c", "exceptions.cpp", "fortran_state.f90", "libc_state.c", "memory_calls.c", "plugins.c", "stdio_files.c", "tls.c", "twolibs.c"}
	each(t, files, func(file string) string { return file }, func(t *testing.T, file string) {
		if !slices.Contains(travellers, file) {
			t.Fatalf("%s does not travel", file)
		}
		path := program(t, filepath.Join(langDir, file))
		r := job{program: path, workers: 2 + 2*(len(file)%2), ranks: 7, dir: filepath.Dir(path), flags: byCopy(t), env: shuffled("500us")}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS "+row{file: file}.name())
	})
}

// TestWhatIsCopied checks that what holds something travels, and nothing else.
func TestWhatIsCopied(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, ownDir+"/copied.c"), args: []string{"once"}, workers: 2, ranks: 2, flags: byCopy(t, "+stats")}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS copied\n")
	if moves, mib := copiedIn(t, r); moves != 1 || mib < 24 || mib > 26 {
		t.Errorf("%s: %d moves of %.1f MiB, want one of 24 and a little", r.what, moves, mib)
	}
}

// TestReadersWaitForCopies has another worker read the memory of a rank that is on its way.
func TestReadersWaitForCopies(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, ownDir+"/copied.c"), args: []string{"pending", "60"}, workers: 3, ranks: 3, flags: byCopy(t, "+stats")}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS copied\n")
	if moves, mib := copiedIn(t, r); moves != 60 || mib < 120 {
		t.Errorf("%s: %d moves of %.1f MiB, want 60 of 2 each at least", r.what, moves, mib)
	}
}

// TestWorkerKilledWhileCopying kills one of the two workers between which a rank always is on its way.
func TestWorkerKilledWhileCopying(t *testing.T) {
	t.Parallel()
	each(t, []int{0, 1}, func(pe int) string { return fmt.Sprint(pe) }, func(t *testing.T, pe int) {
		l := job{program: program(t, ownDir+"/copied.c"), args: []string{"endless"}, workers: 2, ranks: 2, flags: byCopy(t)}.start(t, 1)
		victim := workers(l.mark)[pe].pid
		syscall.Kill(victim, syscall.SIGKILL)
		r := l.end()
		r.expectCode(t, 137)
		r.expectSays(t, fmt.Sprintf("(pid %d) was killed by signal 9 (SIGKILL)", victim))
		if strings.Contains(r.stderr, "+migrate copy") {
			t.Errorf("%s: a worker that lost the other one complains: %s", r.what, r.stderr)
		}
		checkGone(t, l.mark, l.cmd.Args)
	})
}

func TestMigrateOption(t *testing.T) {
	t.Parallel()
	r := runTool(t, "ampirun", "+migrate", "fly", "/bin/true")
	r.expectCode(t, 2)
	r.expectSays(t, "+migrate fly", "share or copy")
}
