package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait; nothing is asserted about how soon things happen.
const patience = 5 * time.Minute

// runVariable marks all processes of a run, so that those it leaves behind can be found.
const runVariable = "CONFORMANCE_RUN"

var runID atomic.Int64

// job is a program to run with ampirun.
type job struct {
	program        string
	args           []string
	workers, ranks int
	flags          []string // of ampirun, besides +p and +vp
	env            []string
	stdin          string
	dir            string // "" for an empty one
	kernel         kernel // by which calls of the kernel are refused
}

// result is what a finished run left.
type result struct {
	what           string
	stdout, stderr string
	code           int
}

// run runs a job to its end and checks that nothing of it is left.
func (j job) run(t *testing.T) result {
	t.Helper()
	cmd, mark := j.command(t)
	r := finish(t, cmd)
	checkGone(t, mark, cmd.Args)
	return r
}

// command prepares a run. mark is what all its processes have in their environment.
func (j job) command(t *testing.T) (cmd *exec.Cmd, mark string) {
	t.Helper()
	args := append([]string{"+p", fmt.Sprint(j.workers), "+vp", fmt.Sprint(j.ranks)}, j.flags...)
	cmd = j.kernel.command(t, append(append(args, j.program), j.args...)...)
	return cmd, j.prepare(t, cmd)
}

// prepare gives a command the job's environment, standard input and directory.
func (j job) prepare(t *testing.T, cmd *exec.Cmd) (mark string) {
	t.Helper()
	dir := t.TempDir()
	mark = fmt.Sprintf("%s=%d.%d", runVariable, os.Getpid(), runID.Add(1))
	cmd.Env = append(append(os.Environ(), "TMPDIR="+dir, mark), j.env...)
	if shell, has := remoteShells.Load(t.Name()); has {
		cmd.Env = append(cmd.Env, "AMPI_RSH="+shell.(string))
	}
	cmd.Stdin = strings.NewReader(j.stdin)
	if cmd.Dir = j.dir; j.dir == "" {
		cmd.Dir = dir
	}
	return mark
}

// finish runs a command to its end. One that does not end is asked to, then made to.
func finish(t *testing.T, cmd *exec.Cmd) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	what := commandLine(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	hung := false
	timer := time.AfterFunc(patience, func() { hung = true; cmd.Process.Signal(syscall.SIGTERM) })
	defer timer.Stop()
	killer := time.AfterFunc(patience+10*time.Second, func() { cmd.Process.Kill() })
	defer killer.Stop()
	err := cmd.Wait()
	charge(t, cmd.ProcessState)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if hung {
		t.Fatalf("%s: does not end\nstdout: %sstderr: %s", what, short(stdout.String()), short(stderr.String()))
	}
	return result{what, stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func commandLine(cmd *exec.Cmd) string {
	return strings.ReplaceAll(strings.Join(cmd.Args, " "), tools+"/", "")
}

// expectCode checks the exit code and shows the output when it is wrong.
func (r result) expectCode(t *testing.T, code int) {
	t.Helper()
	if r.code != code {
		t.Errorf("%s: exit code %d, want %d\n%s", r.what, r.code, code, r.output())
	}
}

// expectFailure checks that the exit code is not 0.
func (r result) expectFailure(t *testing.T) {
	t.Helper()
	if r.code == 0 {
		t.Errorf("%s: exit code 0, want a failure\n%s", r.what, r.output())
	}
}

// expectSays checks that standard output or standard error contains all the words.
func (r result) expectSays(t *testing.T, words ...string) {
	t.Helper()
	for _, w := range words {
		if !r.says(w) {
			t.Errorf("%s: does not say %q\n%s", r.what, w, r.output())
		}
	}
}

func (r result) says(words string) bool {
	return strings.Contains(r.stdout, words) || strings.Contains(r.stderr, words)
}

func (r result) output() string {
	return fmt.Sprintf("stdout: %s\nstderr: %s", short(r.stdout), short(r.stderr))
}

// short keeps the ends of a long text.
func short(s string) string {
	const most = 3000
	if len(s) <= most {
		return s
	}
	return s[:most/2] + "\n...\n" + s[len(s)-most/2:]
}

// sorted returns lines in an order that does not depend on which rank printed first.
func sorted(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(lines)
	return lines
}

// expectSameLines checks that two runs printed the same lines, in whatever order.
func (r result) expectSameLines(t *testing.T, other result) {
	t.Helper()
	if !slices.Equal(sorted(r.stdout), sorted(other.stdout)) {
		t.Errorf("%s: prints other lines than %s\n%s\nthere: %s", r.what, other.what, r.output(), short(other.stdout))
	}
}

// runTool runs one of our commands as it is.
func runTool(t *testing.T, name string, args ...string) result {
	t.Helper()
	return finish(t, exec.Command(tool(name), args...))
}
