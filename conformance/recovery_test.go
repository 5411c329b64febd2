package conformance

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// outlive starts a job whose workers are about to fail.
func (j job) outlive(t *testing.T, flags ...string) *life {
	t.Helper()
	l := &life{t: t, dir: filepath.Join(t.TempDir(), "saves")}
	j.flags = append(append(j.flags, "+ft-max-failures", "1000"), flags...)
	cmd, mark := j.command(t)
	l.start(cmd, mark)
	return l
}

// strike sends a signal to some worker, if there is one; it may be one that has just been started.
func (l *life) strike(sig syscall.Signal) bool {
	found := workers(l.mark)
	if len(found) == 0 {
		return false
	}
	return syscall.Kill(found[rand.IntN(len(found))].pid, sig) == nil
}

// harass kills workers at random moments until the job is over, so many at most, and gives how many it were.
func (l *life) harass(most, milliseconds int) (kills int) {
	for kills < most && !l.isOver() {
		time.Sleep(time.Duration(rand.IntN(milliseconds)) * time.Millisecond)
		if l.strike(syscall.SIGKILL) {
			kills++
		}
	}
	return kills
}

// expectSame expects the output and the exit code of a run without failures.
func (l *life) expectSame(want result) {
	l.t.Helper()
	r := l.end()
	r.expectCode(l.t, want.code)
	if r.stdout != want.stdout {
		l.t.Errorf("%s: prints something else than without failures\n%s\nwant: %s", r.what, r.output(), short(want.stdout))
	}
	if !strings.Contains(r.stderr, "was killed by signal 9") {
		l.t.Errorf("%s: no worker has failed, or nothing was said of it\n%s", r.what, r.output())
	}
}

// where are the ways to go on that a user has.
func where(t *testing.T) [][]string {
	return [][]string{
		{"memory", "+ft", "memory", "+ckpt-every", often},
		{"shrink", "+ft", "memory", "+ft-shrink", "+ckpt-every", often},
		{"disk", "+ft", "disk", "+ckpt", filepath.Join(t.TempDir(), "saves"), "+ckpt-every", often},
		{"both", "+ft", "memory", "+ckpt", filepath.Join(t.TempDir(), "saves"), "+ckpt-every", often},
		{"never saved", "+ft", "memory", "+ckpt-every", "1h"},
	}
}

// ways are those of where that a test of its own tries.
func ways(t *testing.T) [][]string {
	all := where(t)
	return amount(all[1:3], all)
}

// someOf are the ways of where that a row of a table with this number tries: one after the other, each with some row.
func someOf(t *testing.T, row int) [][]string {
	all := where(t)
	first := row % len(all)
	return amount(all[first:first+1], all)
}

// TestRecoveryExamples kills workers of the legacy programs at random moments: nobody notices from the output.
func TestRecoveryExamples(t *testing.T) {
	t.Parallel()
	input := filepath.Join(t.TempDir(), "cg.in")
	if err := os.WriteFile(input, []byte("&input\n nx = 300, ny = 900, limit = 900, tolerance = 1d-30\n/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rows := [][]string{{"stencil", "-s", "1500"}, {"cg", input}, {"particles", "12000", "80"}}
	each(t, []int{0, 1, 2}, func(i int) string { return rows[i][0] }, func(t *testing.T, i int) {
		row := rows[i]
		j := job{program: example(t, row[0]), args: row[1:], workers: 3, ranks: 24}
		want := j.run(t)
		want.expectCode(t, 0)
		for _, way := range someOf(t, i) {
			t.Run(way[0], func(t *testing.T) {
				l := j.outlive(t, way[1:]...)
				l.await(func() bool { return l.strike(syscall.SIGKILL) })
				l.harass(3, 400)
				l.expectSame(want)
			})
		}
	})
}

// TestRecoveryGone kills workers whose ranks have removed, renamed and replaced files that they had open at the last copy.
func TestRecoveryGone(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/gone.c")
	saves := filepath.Join(t.TempDir(), "saves")
	each(t, [][]string{
		{"memory", "+ft", "memory", "+ckpt-every", "1h"},
		{"disk", "+ft", "disk", "+ckpt", saves, "+ckpt-every", "1h"},
		{"disk at once", "+ft", "disk", "+ckpt", filepath.Join(t.TempDir(), "saves"), "+ckpt-every", "1h"},
	}, func(way []string) string { return way[0] }, func(t *testing.T, way []string) {
		count := filepath.Join(t.TempDir(), "count")
		if err := os.WriteFile(count, []byte("0"), 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{t.TempDir(), count}
		switch way[0] {
		case "disk":
			args = append(args, saves)
		case "disk at once": // the checkpoint is being written when the worker is killed
			args = append(args, "-")
		}
		r := job{program: path, args: args, workers: 2, ranks: 3}.outlive(t, way[1:]...).end()
		r.expectCode(t, 0)
		r.expectSays(t, "PASS gone", "0.0/taken, which ranks had open, cannot be put back: another file has its name", "0.1/taken, which")
		for what, n := range map[string]int{"was killed by signal 9": 2, "cannot be put back": 2, "no checkpoint": 0} {
			if got := strings.Count(r.stderr, what); got != n {
				t.Errorf("%s: says %q %d times, not %d\n%s", r.what, what, got, n, r.output())
			}
		}
	})
}

// TestRecoveryTravel kills workers while their ranks are moved all the time and exchange all kinds of messages.
func TestRecoveryTravel(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/travel.c", "-O1")
	whole := job{program: path, args: []string{"1500", t.TempDir(), "plain"}, workers: 3, ranks: 7}.run(t)
	whole.expectCode(t, 0)
	want := sortedLines(whole.stdout)
	each(t, ways(t), func(way []string) string { return way[0] }, func(t *testing.T, way []string) {
		l := job{program: path, args: []string{"1500", t.TempDir(), "plain"}, workers: 3, ranks: 7, env: shuffled("500us")}.outlive(t, way[1:]...)
		l.await(func() bool { return l.strike(syscall.SIGKILL) })
		l.harass(amount(3, 6), 300)
		r := l.end()
		r.expectCode(t, 0)
		if got := sortedLines(r.stdout); got != want {
			t.Errorf("%s: prints something else than without failures\n%s\nsorted: %s\nwant: %s", r.what, r.output(), short(got), short(want))
		}
	})
}

// sortedLines is text that ranks have written in an order of their own.
func sortedLines(text string) string {
	lines := strings.Split(text, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// TestRecoveryFiles kills workers whose ranks have all kinds of files open, and open and make others all the time.
func TestRecoveryFiles(t *testing.T) {
	t.Parallel()
	each(t, keepers, func(file string) string { return file }, func(t *testing.T, file string) {
		path := program(t, ownDir+"/"+file)
		for _, way := range someOf(t, slices.Index(keepers, file)) {
			t.Run(way[0], func(t *testing.T) {
				l := job{program: path, args: []string{"120", t.TempDir()}, workers: 2, ranks: 3}.outlive(t, way[1:]...)
				l.await(func() bool { return l.strike(syscall.SIGKILL) })
				l.harass(3, 500)
				r := l.end()
				r.expectCode(t, 0)
				r.expectSays(t, "PASS "+row{file: file}.name())
			})
		}
	})
}

// TestRecoveryAgain kills workers that have just been started to take the place of others.
func TestRecoveryAgain(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"60"}, workers: 3, ranks: 5}
	want := j.run(t)
	each(t, ways(t), func(way []string) string { return way[0] }, func(t *testing.T, way []string) {
		l := j.outlive(t, way[1:]...)
		l.await(func() bool { return strings.Contains(l.out.String(), "round 5\n") })
		l.harass(20, 20)
		l.expectSame(want)
	})
}

// TestRecoveryWhileWriting kills a worker while a checkpoint is being written, and again when that is there: the files that ranks append to are what
// they were at whatever the job goes back to.
func TestRecoveryWhileWriting(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/large.c", "-O1"), args: []string{"40"}, workers: 2, ranks: 4}
	want := j.run(t)
	l := &life{t: t, dir: filepath.Join(t.TempDir(), "saves")}
	j.flags = []string{"+ft", "disk", "+ckpt", l.dir, "+ckpt-every", "1h"}
	cmd, mark := j.command(t)
	l.start(cmd, mark)
	isWriting := func() bool {
		partial, _ := filepath.Glob(filepath.Join(l.dir, "*.partial"))
		return len(partial) > 0 || l.newest() > l.seen
	}
	for i := range 3 {
		l.await(func() bool { return strings.Contains(l.out.String(), fmt.Sprintf("round %d ", 5+8*i)) })
		cmd.Process.Signal(syscall.SIGUSR2)
		l.await(isWriting)
		l.strike(syscall.SIGKILL)
		l.await(func() bool { return l.newest() > l.seen })
		l.seen = l.newest()
		l.await(func() bool { return l.strike(syscall.SIGKILL) })
	}
	l.expectSame(want)
	for rank := range 4 {
		text, err := os.ReadFile(filepath.Join(cmd.Dir, fmt.Sprintf("log%d", rank)))
		if n := strings.Count(string(text), "\n"); err != nil || n != 40 {
			t.Errorf("rank %d has written %d lines, want 40 (%v)", rank, n, err)
		}
	}
}

// TestRecoveryStopped replaces a worker that lives and does not answer.
func TestRecoveryStopped(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"60"}, workers: 2, ranks: 5}
	want := j.run(t)
	l := j.outlive(t, "+ft", "memory", "+ckpt-every", often, "+ft-timeout", "1")
	l.await(func() bool { return strings.Contains(l.out.String(), "round 5\n") })
	l.strike(syscall.SIGSTOP)
	r := l.end()
	r.expectCode(t, 0)
	r.expectSays(t, "has not answered for", "+ft-timeout")
	if r.stdout != want.stdout {
		t.Errorf("%s: prints something else than without failures\n%s", r.what, r.output())
	}
}

// TestRecoveryStoppedAnywhere stops workers at random moments: when they have just been started, take ranks in, are about to copy or do.
func TestRecoveryStoppedAnywhere(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"60"}, workers: 3, ranks: 5}
	want := j.run(t)
	each(t, ways(t), func(way []string) string { return way[0] }, func(t *testing.T, way []string) {
		l := j.outlive(t, append(way[1:], "+ft-timeout", "1")...)
		l.await(func() bool { return strings.Contains(l.out.String(), "round 5\n") })
		for range 3 {
			l.strike(syscall.SIGKILL)
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
			l.strike(syscall.SIGSTOP)
		}
		l.expectSame(want)
	})
}

// TestStoppedWhileSaving stops a worker of a job that is saved all the time, where nobody makes that good: the job waits for it, and goes on with it.
func TestStoppedWhileSaving(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"40"}, workers: 2, ranks: 5}
	want := j.run(t)
	l := j.begin(t, "+ckpt-every", "0.01")
	for range 5 {
		if !l.saved() {
			break
		}
		time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
		all := workers(l.mark)
		if len(all) < 2 {
			break
		}
		stopped := all[rand.IntN(2)].pid
		syscall.Kill(stopped, syscall.SIGSTOP)
		time.Sleep(50 * time.Millisecond) // the others come to where they wait
		syscall.Kill(stopped, syscall.SIGCONT)
		l.seen = l.newest()
	}
	r := l.end()
	r.expectCode(t, 0)
	if r.stdout != want.stdout || r.stderr != "" {
		t.Errorf("%s: prints something else than undisturbed\n%s", r.what, r.output())
	}
	l.goOn()
	r = l.end()
	r.expectCode(t, 0)
	if r.stdout == "" || !strings.HasSuffix(want.stdout, r.stdout) {
		t.Errorf("%s: prints something else than the end of %s\n%s", r.what, want.stdout, r.output())
	}
}

// TestRecoveryFault makes a fault good that does not come again, and no other.
func TestRecoveryFault(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/fails.c")
	mark := filepath.Join(t.TempDir(), "mark")
	if err := os.WriteFile(mark, []byte("0"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := job{program: path, args: []string{"none"}, workers: 2, ranks: 5}.run(t)
	l := job{program: path, args: []string{"once", mark}, workers: 2, ranks: 5}.outlive(t, "+ft", "memory", "+ckpt-every", often)
	r := l.end()
	r.expectCode(t, 0)
	r.expectSays(t, "rank 4: SIGSEGV at address 0x8 in", "going on from")
	if r.stdout != want.stdout {
		t.Errorf("%s: prints something else than without the fault\n%s", r.what, r.output())
	}
	l = job{program: path, args: []string{"fault"}, workers: 2, ranks: 5}.outlive(t, "+ft", "memory", "+ckpt-every", often)
	r = l.end()
	r.expectCode(t, 128+int(syscall.SIGSEGV))
	r.expectSays(t, "rank 4: SIGSEGV at address 0x8 in", "for the second time at the same place", "fails.c")
	if !strings.HasPrefix(want.stdout, r.stdout) || r.stdout == "" {
		t.Errorf("%s: prints something else than the beginning without the fault\n%s", r.what, r.output())
	}
	l = job{program: path, args: []string{"abort"}, workers: 2, ranks: 5}.outlive(t, "+ft", "memory", "+ckpt-every", often)
	r = l.end()
	r.expectCode(t, 7)
	if strings.Contains(r.stderr, "going on") {
		t.Errorf("%s: goes on after MPI_Abort\n%s", r.what, r.output())
	}
}

// TestRecoveryGivesUp ends the job at one failure too many.
func TestRecoveryGivesUp(t *testing.T) {
	t.Parallel()
	l := job{program: program(t, ownDir+"/steady.c"), args: []string{"1000"}, workers: 2, ranks: 5}.outlive(t, "+ft", "memory", "+ckpt-every", often, "+ft-max-failures", "2")
	l.await(func() bool { return strings.Contains(l.out.String(), "round 1\n") })
	l.await(func() bool { l.strike(syscall.SIGKILL); return false })
	r := l.end()
	r.expectCode(t, 128+int(syscall.SIGKILL))
	r.expectSays(t, "2 failures have been made good before, and +ft-max-failures allows no more")
}

// numbersToRead are what rank 0 of testdata/fails.c reads, also as a file.
func numbersToRead(t *testing.T) (text, file string) {
	t.Helper()
	for i := range 45 {
		text += fmt.Sprintln(i * i)
	}
	file = filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return text, file
}

// feedNumbers gives them to a command as its standard input: all as a file, or bit by bit by a pipe.
func feedNumbers(t *testing.T, cmd *exec.Cmd, kind, text, file string) {
	t.Helper()
	cmd.Stdin = nil
	if kind == "file" {
		in, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close() })
		cmd.Stdin = in
		return
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer in.Close()
		for ; text != ""; time.Sleep(10 * time.Millisecond) {
			n := min(1+rand.IntN(5), len(text))
			io.WriteString(in, text[:n])
			text = text[n:]
		}
	}()
}

// TestRecoveryInput reads input again that was read after the checkpoint, from a file and from a pipe.
func TestRecoveryInput(t *testing.T) {
	t.Parallel()
	text, file := numbersToRead(t)
	j := job{program: program(t, ownDir+"/fails.c"), args: []string{"input"}, workers: 2, ranks: 5, stdin: text}
	want := j.run(t)
	want.expectCode(t, 0)
	for i, kind := range []string{"file", "pipe"} {
		for _, way := range someOf(t, i) {
			t.Run(way[0]+" "+kind, func(t *testing.T) {
				t.Parallel()
				l := &life{t: t}
				j := j
				j.stdin, j.flags = "", way[1:]
				cmd, mark := j.command(t)
				feedNumbers(t, cmd, kind, text, file)
				l.start(cmd, mark)
				l.await(func() bool { return strings.Contains(l.out.String(), "round 3 ") })
				l.strike(syscall.SIGKILL)
				l.harass(2, 300)
				l.expectSame(want)
			})
		}
	}
}

// TestRecoveryEnds ends jobs in the midst of their recovery: nothing is left of them.
func TestRecoveryEnds(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/steady.c")
	each(t, []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}, func(sig syscall.Signal) string { return sig.String() }, func(t *testing.T, sig syscall.Signal) {
		for range 5 {
			l := job{program: path, args: []string{"1000"}, workers: 2, ranks: 5}.outlive(t, "+ft", "memory", "+ckpt-every", often)
			l.await(func() bool { return strings.Contains(l.out.String(), "round 1\n") })
			l.strike(syscall.SIGKILL)
			time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
			l.cmd.Process.Signal(sig)
			<-l.over
			awaitGone(t, l.mark)
			if code := l.cmd.ProcessState.ExitCode(); sig != syscall.SIGKILL && code != 128+int(sig) {
				t.Errorf("%s: code %d after %v\n%s", commandLine(l.cmd), code, sig, short(l.err.String()))
			}
		}
	})
}

// TestRecoveryRefused checks what is said of demands that cannot be met.
func TestRecoveryRefused(t *testing.T) {
	t.Parallel()
	source := program(t, ownDir+"/steady.c")
	for _, row := range [][]string{
		{"+ft nowhere: not one of: memory, disk", "+ft", "nowhere"},
		{"+ft disk: name a directory with +ckpt DIR", "+ft", "disk"},
		{"say where to go on from with +ft memory or +ft disk", "+ft-shrink"},
		{"take +privatize pie", "+ft", "memory", "+privatize", "tls"},
		{"leave +trace and +lb-record out", "+ft", "memory", "+trace", filepath.Join(t.TempDir(), "trace")},
	} {
		r := runTool(t, "ampirun", append(row[1:], source)...)
		r.expectCode(t, 2)
		r.expectSays(t, row[0])
	}
}
