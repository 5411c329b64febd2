package job

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ampirun/vrank"
)

// patience bounds every wait for something that must happen; nothing is asserted about how soon it does.
const patience = 60 * time.Second

// command makes the command of a manager process that runs a scenario with 2 workers unless edit says otherwise.
func command(t *testing.T, edit func(*Options), args ...string) *exec.Cmd {
	t.Helper()
	opt := Options{Program: "/bin/true", Workers: 2, Ranks: 4, Lasting: Lasting{Lasting: vrank.Lasting{Stack: 1 << 20, Method: "pie"}}, Args: args}
	if edit != nil {
		edit(&opt)
	}
	text, err := json.Marshal(testJob{Options: opt})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	// The race detector would keep every process for a second after its end.
	cmd.Env = append(os.Environ(), managerVariable+"="+string(text), "GORACE=atexit_sleep_ms=0")
	timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop() })
	return cmd
}

// result is what a finished manager left.
type result struct {
	stdout, stderr string
	code           int
}

func run(t *testing.T, edit func(*Options), args ...string) result {
	t.Helper()
	return finish(t, command(t, edit, args...))
}

func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func (r result) expect(t *testing.T, code int, stdout, stderr string) {
	t.Helper()
	if r.code != code || r.stdout != stdout || r.stderr != stderr {
		t.Errorf("code %d, stdout %q, stderr %q\nwant %d, %q, %q", r.code, r.stdout, r.stderr, code, stdout, stderr)
	}
}

// runningManager is a manager that runs, with its workers' pids as scenario "hang" prints them.
type runningManager struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    *bufio.Scanner
	stderr bytes.Buffer
	pids   map[int]int // by PE
}

func startLive(t *testing.T, edit func(*Options), args ...string) *runningManager {
	t.Helper()
	l := &runningManager{t: t, cmd: command(t, edit, args...), pids: map[int]int{}}
	stdout, err := l.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	l.cmd.Stderr = &l.stderr
	if err := l.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	l.out = bufio.NewScanner(stdout)
	return l
}

// line waits for the next line of output.
func (l *runningManager) line() string {
	l.t.Helper()
	if !l.out.Scan() {
		l.t.Fatalf("output ended; stderr: %s", l.stderr.String())
	}
	return l.out.Text()
}

// workers waits until both workers have told their pids.
func (l *runningManager) workers() *runningManager {
	l.t.Helper()
	for len(l.pids) < 2 {
		fields := strings.Fields(l.line())
		pe, _ := strconv.Atoi(fields[1])
		l.pids[pe], _ = strconv.Atoi(fields[2])
	}
	return l
}

func (l *runningManager) signal(sig syscall.Signal) {
	l.t.Helper()
	if err := l.cmd.Process.Signal(sig); err != nil {
		l.t.Fatal(err)
	}
}

// end waits for the manager's end, and that no worker is left.
func (l *runningManager) end() (code int, stderr string) {
	l.t.Helper()
	for l.out.Scan() {
	}
	l.cmd.Wait()
	for _, pid := range l.pids {
		waitGone(l.t, pid)
	}
	return l.cmd.ProcessState.ExitCode(), l.stderr.String()
}

func waitGone(t *testing.T, pid int) {
	t.Helper()
	waitFor(t, "process "+strconv.Itoa(pid)+" to end", func() bool {
		state := processState(pid)
		return state == 0 || state == 'Z'
	})
}

// processState is the state letter of a process, 0 when there is none.
func processState(pid int) byte {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	return stat[bytes.LastIndexByte(stat, ')')+2]
}

func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
