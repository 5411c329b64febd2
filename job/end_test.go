package job

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

func TestKilledWorkerIsReported(t *testing.T) {
	l := startLive(t, nil, "hang").workers()
	if err := syscall.Kill(l.pids[1], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	code, stderr := l.end()
	want := fmt.Sprintf("ampirun: worker 1 (pid %d) was killed by signal 9 (SIGKILL)", l.pids[1])
	if code != 137 || !strings.HasPrefix(stderr, want) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestSignalsEndTheJob(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		for _, scenario := range []string{"hang", "deaf"} {
			l := startLive(t, nil, scenario).workers()
			l.signal(sig)
			code, stderr := l.end()
			if code != 128+int(sig) || stderr != "ampirun: the job was ended by "+signalName(sig)+"\n" {
				t.Errorf("%v, %s: code %d, stderr %q", sig, scenario, code, stderr)
			}
		}
	}
}

func TestSignalsToTheGroupEndTheJobOnce(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		l := &runningManager{t: t, cmd: command(t, nil, "hang"), pids: map[int]int{}}
		l.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		stdout, err := l.cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		l.cmd.Stderr = &l.stderr
		if err := l.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		l.out = bufio.NewScanner(stdout)
		l.workers()
		if err := syscall.Kill(-l.cmd.Process.Pid, sig); err != nil {
			t.Fatal(err)
		}
		code, stderr := l.end()
		if code != 128+int(sig) || stderr != "ampirun: the job was ended by "+signalName(sig)+"\n" {
			t.Errorf("%v: code %d, stderr %q", sig, code, stderr)
		}
	}
}

func TestSecondInterruptKillsStoppedWorkers(t *testing.T) {
	l := startLive(t, nil, "deaf").workers()
	l.signal(syscall.SIGINT)
	l.signal(syscall.SIGTERM)
	if code, _ := l.end(); code != 130 && code != 143 { // signals that wait together have no order
		t.Errorf("code %d", code)
	}
}

func TestKilledManagerLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // what others leave in theirs is not meant
	before := temporaryFiles(t)
	l := startLive(t, nil, "deaf").workers()
	l.signal(syscall.SIGKILL)
	l.end()
	for name := range temporaryFiles(t) {
		if !before[name] && (strings.Contains(name, "ampirun") || !strings.HasPrefix(name, "/dev/shm")) {
			t.Errorf("%s was left", name)
		}
	}
}

func temporaryFiles(t *testing.T) map[string]bool {
	found := map[string]bool{}
	for _, dir := range []string{os.TempDir(), "/dev/shm"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			found[dir+"/"+e.Name()] = true
		}
	}
	return found
}

func TestSuspendedJobStopsAndContinues(t *testing.T) {
	l := startLive(t, nil, "hang").workers()
	l.signal(syscall.SIGTSTP)
	all := []int{l.cmd.Process.Pid, l.pids[0], l.pids[1]}
	for _, pid := range all {
		waitFor(t, "process to stop", func() bool { return processState(pid) == 'T' })
	}
	l.signal(syscall.SIGCONT)
	for _, pid := range all {
		waitFor(t, "process to continue", func() bool { return processState(pid) != 'T' })
	}
	l.signal(syscall.SIGTERM)
	if code, stderr := l.end(); code != 143 {
		t.Errorf("code %d, stderr %q", code, stderr)
	}
}

func TestOrphansOfRanksEndWithTheJob(t *testing.T) {
	r := run(t, nil, "orphan")
	pid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(r.stdout, "orphan ")))
	if r.code != 0 || err != nil {
		t.Fatalf("code %d, stdout %q, stderr %q", r.code, r.stdout, r.stderr)
	}
	waitGone(t, pid)
}

// Rank 0 reads it and may move: every worker holds it (that other ranks find it empty, conformance tests).
func TestStandardInputIsWhereverRankZeroIs(t *testing.T) {
	for _, pe := range []string{"0", "1"} {
		cmd := command(t, nil, "stdin", pe)
		cmd.Stdin = strings.NewReader("1 2 3\n4")
		r := finish(t, cmd)
		if want := "PE " + pe + " read \"1 2 3\\n4\"\n"; r.code != 0 || r.stdout != want {
			t.Errorf("code %d, stdout %q, want %q, stderr %q", r.code, r.stdout, want, r.stderr)
		}
	}
}

func TestClosedOutputEndsTheJobQuietly(t *testing.T) {
	cmd := command(t, nil, "yes")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = write, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	if line, err := bufio.NewReader(read).ReadString('\n'); line != "y\n" {
		t.Errorf("read %q, %v", line, err)
	}
	read.Close()
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 141 || stderr.String() != "" {
		t.Errorf("code %d, stderr %q", code, stderr.String())
	}
}

func TestFullDeviceIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full")
	}
	defer full.Close()
	cmd := command(t, nil, "hello")
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = full, &stderr
	cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(stderr.String(), "no space left on device") {
		t.Errorf("code %d, stderr %q", code, stderr.String())
	}
}

func TestMessageFollowsAnUnfinishedLineOnTheNextOne(t *testing.T) {
	both, err := os.CreateTemp(t.TempDir(), "both")
	if err != nil {
		t.Fatal(err)
	}
	defer both.Close()
	cmd := command(t, func(o *Options) { o.Ranks = 2 }, "deadlock")
	cmd.Stdout, cmd.Stderr = both, both
	cmd.Run()
	text, err := os.ReadFile(both.Name())
	if want := "before\nbefore\nampirun: deadlock:\n  rank 0 waits in MPI_Recv for rank 1\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
}
