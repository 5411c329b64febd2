package trial

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestMedianTakesTheMiddle(t *testing.T) {
	for _, c := range []struct {
		in   Series
		want float64
	}{{Series{3}, 3}, {Series{9, 1, 5}, 5}, {Series{4, 1, 2, 3}, 2.5}} {
		if got := c.in.Median(); got != c.want {
			t.Errorf("median of %v is %v, want %v", c.in, got, c.want)
		}
	}
}

func TestMedianLeavesTheOrder(t *testing.T) {
	s := Series{3, 1, 2}
	s.Median()
	if s[0] != 3 || s[2] != 2 {
		t.Errorf("median sorted its input: %v", s)
	}
}

// TestCommand checks what is told of commands that end well and badly.
func TestCommand(t *testing.T) {
	var out, err strings.Builder
	c := Command{Words: []string{"sh", "-c", "echo $WHAT; echo bad >&2; exit $CODE"}, Env: []string{"WHAT=good", "CODE=0"}, Stdout: &out, Stderr: &err}
	cost, failed := c.Run(t.Context())
	if failed != nil || out.String() != "good\n" || err.String() != "bad\n" || cost.Wall <= 0 {
		t.Errorf("%v, %v, %q, %q", failed, cost, &out, &err)
	}
	c.Env[1] = "CODE=3"
	_, failed = c.Run(t.Context())
	var exit *exec.ExitError
	if !errors.As(failed, &exit) || exit.ExitCode() != 3 {
		t.Errorf("exit 3 gives %v", failed)
	}
}

// TestCommandIsEnded ends a command with its children, by its limit and by the context.
func TestCommandIsEnded(t *testing.T) {
	c := Command{Words: []string{"sh", "-c", "sleep 1000 & wait"}, Limit: 10 * time.Millisecond}
	if _, err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "did not end within 10ms") {
		t.Errorf("the limit gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c.Limit = 0
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Words, c.Stdout = []string{"sh", "-c", "echo begun; sleep 1000 & wait"}, w
	go func() {
		r.Read(make([]byte, 1))
		cancel()
	}()
	if _, err := c.Run(ctx); err == nil {
		t.Error("it ended well")
	}
}
