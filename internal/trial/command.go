// Package trial runs commands to measure them, and sums up what repetitions gave.
package trial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Command is a command to be measured. It reads nothing.
type Command struct {
	Words          []string
	Env            []string // besides our own
	Stdout, Stderr io.Writer
	Limit          time.Duration // it is ended when it takes longer; 0: it may take as long as it likes
	// Mortal has it end with us, however we end; then the calling goroutine is locked to a thread that lives as long as we do.
	Mortal bool
}

// Cost is what a command took: from launch to exit, and of processors, with all processes that it waited for.
type Cost struct{ Wall, CPU time.Duration }

// endTime is how long a command that is asked to end may take for that.
const endTime = 5 * time.Second

// Run runs a command in a process group of its own, which is ended as a whole when it takes too long or ctx ends. The error is that
// of exec.Cmd.Run, or tells of the limit.
func (c *Command) Run(ctx context.Context) (Cost, error) {
	if c.Limit > 0 {
		limited, cancel := context.WithTimeout(ctx, c.Limit)
		defer cancel()
		ctx = limited
	}
	p := exec.CommandContext(ctx, c.Words[0], c.Words[1:]...)
	p.Env, p.Stdout, p.Stderr = append(os.Environ(), c.Env...), c.Stdout, c.Stderr
	p.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if c.Mortal {
		p.SysProcAttr.Pdeathsig = syscall.SIGTERM
	}
	p.Cancel = func() error { return syscall.Kill(-p.Process.Pid, syscall.SIGTERM) }
	p.WaitDelay = endTime
	start := time.Now()
	err := p.Run()
	cost := Cost{Wall: time.Since(start)}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = errors.Join(err, fmt.Errorf("did not end within %v", c.Limit))
	}
	if p.ProcessState != nil {
		cost.CPU = p.ProcessState.UserTime() + p.ProcessState.SystemTime()
	}
	return cost, err
}
