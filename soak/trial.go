package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// trial is one case of an attack.
type trial struct {
	*soak
	attack attack
	seed   uint64
	random *rand.Rand
	dir    string
	began  time.Time
	counts map[string]int
	failed string // why; "": it has not
}

func newTrial(s *soak, a attack, seed uint64) *trial {
	return &trial{soak: s, attack: a, seed: seed, random: rand.New(rand.NewPCG(seed, 0)), dir: filepath.Join(s.top, fmt.Sprint(seed)), began: time.Now(), counts: map[string]int{}}
}

// failure is what ends a case.
type failure string

// all runs the case in a directory of its own, and looks at what it leaves.
func (c *trial) all() {
	defer c.took(c)
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		c.failed = err.Error()
		return
	}
	c.protected(func() { c.attack.run(c) })
	c.protected(c.expectNothingLeft)
	if c.failed == "" || !c.keep {
		os.RemoveAll(c.dir)
	}
}

func (c *trial) protected(do func()) {
	defer func() {
		switch bad := recover().(type) {
		case nil:
		case failure:
			c.failed = strings.TrimSpace(c.failed + "\n" + string(bad))
		default:
			panic(bad)
		}
	}()
	do()
}

func (c *trial) fail(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// count notes that something was done.
func (c *trial) count(what string, n int) { c.counts[what] += n }

func listed(counts map[string]int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		all = append(all, fmt.Sprintf("%d %s", counts[name], name))
	}
	return strings.Join(all, ", ")
}

// between is a random number.
func (c *trial) between(least, most int) int { return least + c.random.IntN(most-least+1) }

// pause waits for a random time.
func (c *trial) pause(most time.Duration) {
	time.Sleep(time.Duration(c.random.Int64N(int64(most))))
}

// ---- processes ----

// mark is in the environment of all processes of a case.
func (c *trial) mark() string { return fmt.Sprintf("AMPIRUN_SOAK=%d.%d", os.Getpid(), c.seed) }

// command is one that ends with the soak.
func (s *soak) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.ctx, name, args...)
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// patience is how long anything may take, or nothing be said, on a machine that has much else to do.
const patience = 5 * time.Minute

// process is an ampirun that runs.
type process struct {
	trial    *trial
	cmd      *exec.Cmd
	out, err output
	over     chan struct{}
}

// output gathers what a process writes.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.text.Len() > 4<<20 {
		return len(p), nil // a spoiled program that does not stop
	}
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// start runs ampirun.
func (c *trial) start(env []string, args ...string) *process {
	p := &process{trial: c, cmd: c.command(c.ampirun, args...), over: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = c.dir, &p.out, &p.err
	p.cmd.Env = append(append(os.Environ(), "TMPDIR="+c.dir, c.mark()), env...)
	if err := p.cmd.Start(); err != nil {
		c.fail("%v", err)
	}
	go func() {
		p.cmd.Wait()
		close(p.over)
	}()
	return p
}

func (p *process) isOver() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// end waits for the end. A process that says nothing more, and does not end, is asked where its ranks are.
func (p *process) end() {
	for said := -1; !p.endsWithin(patience); said = len(p.out.String()) {
		if said == len(p.out.String()) {
			p.cmd.Process.Signal(syscall.SIGUSR1)
			time.Sleep(5 * time.Second)
			p.kill()
			p.fail("does not end, and has said nothing for %v", patience)
		}
	}
	p.expectNoBug()
}

func (p *process) endsWithin(d time.Duration) bool {
	select {
	case <-p.over:
		return true
	case <-time.After(d):
		return false
	}
}

// endSoon asks a program to end that may have become one that never does.
func (p *process) endSoon() {
	if !p.endsWithin(30 * time.Second) {
		p.cmd.Process.Signal(syscall.SIGTERM)
	}
}

// kill ends ampirun as a crash would, and waits for the end of its workers.
func (p *process) kill() {
	p.cmd.Process.Kill()
	<-p.over
	p.trial.awaitGone()
}

// expectNoBug looks for what only a defect of ampirun says, whatever was done to it.
func (p *process) expectNoBug() {
	for _, word := range []string{"panic: ", "goroutine ", "fatal error: ", "BUG: ", "runtime error"} {
		if strings.Contains(p.err.String(), word) {
			p.fail("it says %q", word)
		}
	}
	if status := p.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() && status.Signal() != syscall.SIGKILL {
		p.fail("ampirun itself was ended by %v", status.Signal())
	}
}

func (p *process) code() int { return p.cmd.ProcessState.ExitCode() }

func (p *process) fail(format string, args ...any) {
	p.trial.fail("%s\n%s: exit code %d\nstdout: %s\nstderr: %s", fmt.Sprintf(format, args...), strings.Join(p.cmd.Args, " "), p.code(), short(p.out.String()), short(p.err.String()))
}

// short keeps the ends of a long text.
func short(text string) string {
	const most = 2000
	if len(text) <= most {
		return text
	}
	return text[:most/2] + "\n...\n" + text[len(text)-most/2:]
}

// workers are the children of an ampirun, as the kernel lists them.
func (p *process) workers() (pids []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.cmd.Process.Pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// processes are those of this case that live.
func (c *trial) processes() (pids []int) {
	all, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range all {
		env, err := os.ReadFile(path)
		pid, _ := strconv.Atoi(strings.Split(path, "/")[2])
		if err == nil && bytes.Contains(append(env, 0), []byte(c.mark()+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// awaitGone waits for the end of workers whose ampirun was killed.
func (c *trial) awaitGone() {
	for until := time.Now().Add(patience); len(c.processes()) > 0; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(until) {
			c.fail("processes outlive ampirun: %v", c.processes())
		}
	}
}

// expectNothingLeft looks for processes and for memory with a name.
func (c *trial) expectNothingLeft() {
	if left := c.processes(); len(left) > 0 {
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		c.fail("left processes running: %v", left)
	}
	if left, _ := filepath.Glob("/dev/shm/*ampi*"); len(left) > 0 {
		c.fail("left in shared memory: %v", left)
	}
	if left, _ := filepath.Glob(c.dir + "/ampirun-*"); len(left) > 0 {
		c.fail("left in the temporary directory: %v", left)
	}
}

// isEnded tells whether the soak was.
func (c *trial) isEnded() bool { return errors.Is(c.ctx.Err(), context.Canceled) }
