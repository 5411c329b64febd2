package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// runTime bounds one run of a program; the longest take seconds.
const runTime = 2 * time.Minute

// finished is a run that ended well.
type finished struct {
	stdout, stderr []byte
	wall, cpu      time.Duration // from launch to exit; of launcher and all processes it waited for
}

// launch runs a command in a process group of its own, which is ended as a whole when it takes too long or ctx ends.
func launch(ctx context.Context, words, env []string) (*finished, error) {
	ctx, cancel := context.WithTimeout(ctx, runTime)
	defer cancel()
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Env, c.Stdout, c.Stderr = append(os.Environ(), env...), &stdout, &stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
	c.WaitDelay = 5 * time.Second
	start := time.Now()
	err := c.Run()
	wall := time.Since(start)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = errors.Join(err, fmt.Errorf("did not end within %v", runTime))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(words[0]), err, stderr.Bytes())
	}
	cpu := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return &finished{stdout.Bytes(), stderr.Bytes(), wall, cpu}, nil
}
