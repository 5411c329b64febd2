package conformance

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ampirun/checkpoint"
)

// life is a job that is killed and goes on, again and again, from the checkpoints in a directory.
type life struct {
	t        *testing.T
	dir      string
	cmd      *exec.Cmd
	mark     string
	out, err *output
	over     chan struct{}
	seen     uint64 // the newest checkpoint when this process began
	restarts int
	hold     string // a file without which programs with testdata/hold.h do not end
	kernel   kernel
}

// output gathers what a job writes, to be looked at meanwhile.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

const often = "0.03" // seconds between checkpoints

// begin starts a job that is saved often.
func (j job) begin(t *testing.T, flags ...string) *life {
	t.Helper()
	l := &life{t: t, dir: filepath.Join(t.TempDir(), "saves"), kernel: j.kernel}
	j.flags = append(append(j.flags, "+ckpt", l.dir), flags...)
	cmd, mark := j.command(t)
	l.start(cmd, mark)
	return l
}

func (l *life) start(cmd *exec.Cmd, mark string) {
	l.t.Helper()
	l.cmd, l.mark, l.out, l.err, l.over = cmd, mark, &output{}, &output{}, make(chan struct{})
	cmd.Stdout, cmd.Stderr = l.out, l.err
	if l.hold == "" {
		l.hold = filepath.Join(l.t.TempDir(), "hold")
		cmd.Env = append(cmd.Env, "HOLD_UNTIL="+l.hold) // ranks have it from the checkpoint later
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	over := l.over
	go func() {
		cmd.Wait()
		charge(l.t, cmd.ProcessState)
		close(over)
	}()
	l.t.Cleanup(func() { cmd.Process.Kill(); <-over })
}

// newest is the number of the last complete checkpoint; 0 when there is none.
func (l *life) newest() uint64 {
	store, err := checkpoint.View(l.dir)
	if err != nil {
		return 0
	}
	defer store.Close()
	numbers, _ := store.Numbers()
	if len(numbers) == 0 {
		return 0
	}
	return numbers[len(numbers)-1]
}

// await waits until a condition holds; false when the job ends before.
func (l *life) await(holds func() bool) bool {
	l.t.Helper()
	for until := time.Now().Add(patience); time.Now().Before(until); time.Sleep(2 * time.Millisecond) {
		if holds() {
			return true
		}
		select {
		case <-l.over:
			return holds()
		default:
		}
	}
	l.t.Fatalf("%s: nothing happens\nstdout: %s\nstderr: %s", commandLine(l.cmd), short(l.out.String()), short(l.err.String()))
	return false
}

// saved waits for a checkpoint of this process.
func (l *life) saved() bool {
	l.t.Helper()
	return l.await(func() bool { return l.newest() > l.seen })
}

// kill ends ampirun as a crash would, and checks that its workers end too.
func (l *life) kill() {
	l.t.Helper()
	l.cmd.Process.Kill()
	<-l.over
	awaitGone(l.t, l.mark)
	l.release()
}

// release lets the job end, and what others restart of it. It is over for goOn.
func (l *life) release() {
	l.t.Helper()
	if err := os.WriteFile(l.hold, nil, 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// goOn restarts the job.
func (l *life) goOn(flags ...string) {
	l.t.Helper()
	l.seen = l.newest()
	l.restarts++
	os.Remove(l.hold) // see release
	cmd := l.kernel.command(l.t, append([]string{"+restart", l.dir}, flags...)...)
	job{}.prepare(l.t, cmd)
	cmd.Env = append(cmd.Env, l.mark) // that of the first process, which workers have from the checkpoint
	l.start(cmd, l.mark)
}

// end lets the job end, and waits for that.
func (l *life) end() result {
	l.t.Helper()
	l.release()
	l.await(func() bool { return l.isOver() })
	r := result{commandLine(l.cmd), l.out.String(), l.err.String(), l.cmd.ProcessState.ExitCode()}
	checkGone(l.t, l.mark, l.cmd.Args)
	return r
}

func (l *life) isOver() bool {
	select {
	case <-l.over:
		return true
	default:
		return false
	}
}

// survive kills the job at random moments, so often at most, and lets it end.
func (l *life) survive(kills int) result {
	l.t.Helper()
	for range kills {
		if !l.saved() || l.isOver() {
			break
		}
		time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
		if l.isOver() {
			break
		}
		l.kill()
		l.goOn("+p", fmt.Sprint(1+rand.IntN(4)))
	}
	return l.end()
}

// TestRestartExamples kills the legacy programs at random moments: what they compute is the same to the last bit as without.
func TestRestartExamples(t *testing.T) {
	t.Parallel()
	input := filepath.Join(t.TempDir(), "cg.in")
	if err := os.WriteFile(input, []byte("&input\n nx = 500, ny = 1600, limit = 1500, tolerance = 1d-30\n/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	each(t, [][]string{{"stencil", "-s", "3000"}, {"cg", input}, {"particles", "20000", "100"}}, func(row []string) string { return row[0] }, func(t *testing.T, row []string) {
		j := job{program: example(t, row[0]), args: row[1:], workers: 2, ranks: 24}
		want := j.run(t)
		want.expectCode(t, 0)
		l := j.begin(t, "+ckpt-every", often)
		r := l.survive(4)
		l.skipRemoved()
		r.expectCode(t, 0)
		if l.restarts == 0 {
			t.Fatalf("%s: ended before it was saved: %s", r.what, short(r.stderr))
		}
		if r.stdout == "" || !strings.HasSuffix(want.stdout, r.stdout) {
			t.Errorf("%s: after %d restarts it prints something else\n%s\nwant the end of: %s", r.what, l.restarts, r.output(), short(want.stdout))
		}
	})
}

// skipRemoved leaves a job alone that was killed when it had removed a file which it still had open at its last checkpoint: see TestRestartGone.
func (l *life) skipRemoved() {
	l.t.Helper()
	if r := l.end(); r.code != 0 && strings.Contains(r.stderr, goneForGood) {
		l.t.Skip("it had removed a file since the checkpoint that it had open then")
	}
}

const goneForGood = "which it had open, is not there any more"

// TestRestartGone refuses by name what the job had open at the checkpoint and has removed since: when ampirun has ended nobody has it.
func TestRestartGone(t *testing.T) {
	t.Parallel()
	count := filepath.Join(t.TempDir(), "count")
	if err := os.WriteFile(count, []byte("0"), 0o600); err != nil {
		t.Fatal(err)
	}
	l := &life{t: t, dir: filepath.Join(t.TempDir(), "saves")}
	j := job{program: program(t, ownDir+"/gone.c"), args: []string{t.TempDir(), count, l.dir}, workers: 2, ranks: 3, flags: []string{"+ckpt", l.dir}}
	cmd, mark := j.command(t)
	l.start(cmd, mark)
	l.end().expectCode(t, 128+int(syscall.SIGKILL))
	l.goOn()
	r := l.end()
	r.expectFailure(t)
	r.expectSays(t, "restart rank ", "0/removed, "+goneForGood)
}

// TestRestartTravel restarts ranks in the midst of everything, with other numbers of workers, while they are moved besides.
func TestRestartTravel(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/travel.c", "-O1")
	each(t, amount([]int{2}, []int{1, 2, 3}), func(workers int) string { return fmt.Sprint(workers) }, func(t *testing.T, workers int) {
		l := job{program: path, args: []string{"1500", t.TempDir()}, workers: workers, ranks: 7, env: shuffled("500us")}.begin(t, "+ckpt-every", often)
		r := l.survive(3)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS travel\n")
		if l.restarts == 0 {
			t.Fatalf("%s: ended before it was saved: %s", r.what, short(r.stderr))
		}
	})
}

// TestRestartBySignal saves on SIGUSR2, and goes on twice from the same checkpoint.
func TestRestartBySignal(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"60"}, workers: 2, ranks: 5}
	want := j.run(t)
	want.expectCode(t, 0)
	l := j.begin(t)
	l.await(func() bool { return strings.Contains(l.out.String(), "round 5\n") })
	l.cmd.Process.Signal(syscall.SIGUSR2)
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	l.kill()
	for range 2 {
		l.goOn("+p", "1")
		r := l.end()
		r.expectCode(t, 0)
		if strings.Contains(r.stdout, "round 0\n") || !strings.HasSuffix(want.stdout, r.stdout) {
			t.Errorf("%s: prints something else than the end of %s\n%s", r.what, want.stdout, r.output())
		}
	}
}

// TestRestartFromCall goes on behind the call in which the program asked for a checkpoint.
func TestRestartFromCall(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"20", "call"}, workers: 2, ranks: 4}
	l := j.begin(t)
	want := l.end()
	want.expectCode(t, 0)
	l.goOn("+p", "3")
	r := l.end()
	r.expectCode(t, 0)
	if !strings.HasPrefix(r.stdout, "round 10\n") || !strings.HasSuffix(want.stdout, r.stdout) {
		t.Errorf("%s: prints something else than the end of %s\n%s", r.what, want.stdout, r.output())
	}
	plain := j.run(t)
	plain.expectFailure(t)
	plain.expectSays(t, "run the job with +ckpt DIR")
	j.args[1] = "memory"
	memory := j.begin(t).end()
	memory.expectFailure(t)
	memory.expectSays(t, "run the job with +ft memory")
}

// TestRestartFiles cuts files that ranks append to back to what they were: no line comes twice, none is missing.
func TestRestartFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := job{program: program(t, ownDir+"/steady.c"), args: []string{"40", "log"}, workers: 2, ranks: 3, dir: dir}.begin(t, "+ckpt-every", "0.1")
	r := l.survive(3)
	r.expectCode(t, 0)
	for rank := range 3 {
		text, err := os.ReadFile(filepath.Join(dir, fmt.Sprintf("log%d", rank)))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		for i, line := range lines {
			if !strings.HasPrefix(line, fmt.Sprintf("%d ", i)) {
				t.Fatalf("%s: rank %d: line %d of its file is %q, after %d restarts", r.what, rank, i, line, l.restarts)
			}
		}
		if len(lines) != 40 {
			t.Errorf("%s: rank %d: its file has %d lines", r.what, rank, len(lines))
		}
	}
}

// TestRestartRefused checks what is said when a job cannot go on.
func TestRestartRefused(t *testing.T) {
	t.Parallel()
	source := program(t, ownDir+"/steady.c")
	path := filepath.Join(t.TempDir(), "steady")
	copyFile(t, source, path)
	l := job{program: path, args: []string{"1000"}, workers: 2, ranks: 3}.begin(t, "+ckpt-every", often)
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	refused := func(words string, args ...string) {
		t.Helper()
		r := runTool(t, "ampirun", args...)
		r.expectCode(t, 2)
		r.expectSays(t, words)
	}
	refused("in use", "+ckpt", l.dir, source)
	refused("in use", "+restart", l.dir)
	l.kill()
	refused("leave +vp out", "+restart", l.dir, "+vp", "4")
	refused("leave "+source+" out", "+restart", l.dir, source)
	refused("there is no complete checkpoint", "+restart", t.TempDir())
	refused("no such file", "+restart", filepath.Join(l.dir, "nowhere"))
	refused("name a directory with +ckpt DIR", "+ckpt-every", "5", source)
	refused("take +privatize pie", "+ckpt", t.TempDir(), "+privatize", "tls", source)
	if err := os.WriteFile(path, []byte("something else"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused(path+" is not the file that the checkpoint was made with", "+restart", l.dir)
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestCheckpointOnTerm saves the job when it is asked to end, and goes on from there.
func TestCheckpointOnTerm(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"40"}, workers: 2, ranks: 4}
	want := j.run(t)
	l := j.begin(t, "+ckpt-on-term")
	l.await(func() bool { return strings.Contains(l.out.String(), "round 3\n") })
	l.cmd.Process.Signal(syscall.SIGTERM)
	r := l.end()
	r.expectCode(t, 128+int(syscall.SIGTERM))
	if l.newest() != 1 {
		t.Fatalf("%s: was not saved\n%s", r.what, r.output())
	}
	first := r.stdout
	l.goOn()
	r = l.end()
	r.expectCode(t, 0)
	if strings.Contains(r.stdout, "round 0\n") || !strings.HasSuffix(want.stdout, r.stdout) || len(first) < len("round 0\n") {
		t.Errorf("%s: prints something else than the end of %s\n%s", r.what, want.stdout, r.output())
	}
}
