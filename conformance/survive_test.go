package conformance

import (
	"bufio"
	"bytes"
	"fmt"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// live is a job of testdata/busy.c that runs.
type live struct {
	cmd    *exec.Cmd
	mark   string
	stdout *bufio.Scanner
	stderr bytes.Buffer
}

const liveRanks = 64

// startBusy starts a job and waits until every rank is at work.
func startBusy(t *testing.T, kind string, flags ...string) *live {
	t.Helper()
	return job{program: program(t, ownDir+"/busy.c"), args: []string{kind}, workers: 2, ranks: liveRanks, flags: flags}.start(t, liveRanks)
}

// start starts a job and waits until so many of its ranks have said that they are ready.
func (j job) start(t *testing.T, ready int) *live {
	t.Helper()
	l := &live{}
	l.cmd, l.mark = j.command(t)
	pipe, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	l.cmd.Stderr = &l.stderr
	l.stdout = bufio.NewScanner(pipe)
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(patience, func() { l.cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop(); l.cmd.Process.Kill() }) // a test that fails leaves it behind
	for range ready {
		if !l.stdout.Scan() || l.stdout.Text() != "ready" {
			t.Fatalf("a rank is not ready: %s", l.stderr.String())
		}
	}
	return l
}

// end waits for the manager's end.
func (l *live) end() result {
	for l.stdout.Scan() {
	}
	l.cmd.Wait()
	return result{what: commandLine(l.cmd), stderr: l.stderr.String(), code: l.cmd.ProcessState.ExitCode()}
}

// TestSignals checks that a signal ends the whole job whatever its ranks do.
func TestSignals(t *testing.T) {
	t.Parallel()
	type ending struct {
		kind   string
		signal syscall.Signal
		says   string
	}
	rows := []ending{
		{"talk", syscall.SIGINT, "SIGINT"},
		{"talk", syscall.SIGTERM, "SIGTERM"},
		{"compute", syscall.SIGTERM, "SIGTERM"},
		{"sleep", syscall.SIGTERM, "SIGTERM"},
		{"child", syscall.SIGTERM, "SIGTERM"},
		{"compute", syscall.SIGINT, "SIGINT"},
		{"talk", syscall.SIGHUP, "SIGHUP"},
	}
	each(t, rows, func(e ending) string { return e.kind + "/" + e.says }, func(t *testing.T, e ending) {
		l := startBusy(t, e.kind)
		l.cmd.Process.Signal(e.signal)
		r := l.end()
		r.expectCode(t, 128+int(e.signal))
		r.expectSays(t, e.says)
		checkGone(t, l.mark, l.cmd.Args)
	})
}

// TestManagerKilled checks that workers do not outlive a manager that could not tell them anything.
func TestManagerKilled(t *testing.T) {
	t.Parallel()
	each(t, []string{"talk", "compute", "sleep", "child"}, func(kind string) string { return kind }, func(t *testing.T, kind string) {
		l := startBusy(t, kind)
		if len(workers(l.mark)) != 2 {
			t.Errorf("want 2 workers: %v", processes(l.mark))
		}
		l.cmd.Process.Kill()
		l.end()
		await(t, "the workers to end", func() bool { return len(workers(l.mark)) == 0 })
		await(t, "the children to end", func() bool { return killChildren(l.mark) == 0 })
		checkGone(t, l.mark, l.cmd.Args)
	})
}

// killChildren ends what ranks had started, which nobody can do when the manager was killed, and returns how many that were. They may be
// starting children of their own just now.
func killChildren(mark string) int {
	all := processes(mark)
	for _, p := range all {
		syscall.Kill(p.pid, syscall.SIGKILL)
	}
	return len(all)
}

// TestWorkerKilled checks that a job ends when it loses a worker, and says which.
func TestWorkerKilled(t *testing.T) {
	t.Parallel()
	each(t, []string{"talk", "compute", "sleep"}, func(kind string) string { return kind }, func(t *testing.T, kind string) {
		l := startBusy(t, kind)
		victim := workers(l.mark)[0].pid
		syscall.Kill(victim, syscall.SIGKILL)
		r := l.end()
		r.expectCode(t, 137)
		r.expectSays(t, fmt.Sprintf("(pid %d) was killed by signal 9 (SIGKILL)", victim))
		checkGone(t, l.mark, l.cmd.Args)
	})
}

// TestWorkerKilledWhileStealing kills the worker that gives ranks, or the one that takes them, at any moment.
func TestWorkerKilledWhileStealing(t *testing.T) {
	t.Parallel()
	each(t, []int{0, 1, 0, 1}, func(int) string { return "" }, func(t *testing.T, worker int) {
		l := startBusy(t, "uneven", "+steal")
		victim := workers(l.mark)[worker].pid
		syscall.Kill(victim, syscall.SIGKILL)
		r := l.end()
		r.expectCode(t, 137)
		r.expectSays(t, fmt.Sprintf("(pid %d) was killed by signal 9 (SIGKILL)", victim))
		checkGone(t, l.mark, l.cmd.Args)
	})
}

// TestReaderGone checks that a job ends quietly when nobody reads its output any more.
func TestReaderGone(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("bash", "-c", fmt.Sprintf("%s +p 2 +vp 64 %s | head -n 1; exit ${PIPESTATUS[0]}", tool("ampirun"), program(t, ownDir+"/endless_output.c")))
	mark := job{}.prepare(t, cmd)
	r := finish(t, cmd)
	r.expectCode(t, 128+int(syscall.SIGPIPE))
	if r.stdout != "a line\n" || r.stderr != "" {
		t.Errorf("%s: %s", r.what, r.output())
	}
	checkGone(t, mark, cmd.Args)
}
