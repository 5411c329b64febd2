package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"go.uber.org/atomic"
)

// beatTime bounds each wait for the job.
const beatTime = time.Minute

// beating is a job that runs the program beat until the driver does not listen any more.
type beating struct {
	ctx      context.Context
	launcher string
	dir      string
	conn     *net.UnixConn
	pid      atomic.Int64 // of the worker that has told of the last round
	gaps     chan gap
	over     chan error // what has become of the job
}

// gap is a time in which the program stood still, because workers were replaced: from the last round of the old ones to the first of the new
// ones, in seconds.
type gap struct{ stops, goesOn float64 }

// jobStatus is what we need of ampirun ctl JOB status --json.
type jobStatus struct {
	State   string
	Workers []struct{ PID int }
	FT      struct {
		Copy struct {
			Made  int
			Pause float64
		}
		Failures []struct{ Took float64 }
	}
}

// startBeating starts the job of an experiment, with further flags, and waits for its first round.
func startBeating(ctx context.Context, e *experiment, im *implementation, program string, flags ...string) (b *beating, err error) {
	b = &beating{ctx: ctx, launcher: im.launcher[0], gaps: make(chan gap, 100), over: make(chan error, 1)}
	if b.dir, err = os.MkdirTemp("", "ampibench-beat"); err != nil {
		return nil, err
	}
	socket := filepath.Join(b.dir, "socket")
	if b.conn, err = net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"}); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.dir))
	}
	begun := make(chan struct{})
	go b.listen(begun)
	go func() {
		_, err := launch(ctx, im.command(e.pes, e.ranks, flags, program, append([]string{socket}, e.args...)), nil)
		b.over <- err
	}()
	select {
	case <-begun:
		return b, nil
	case err = <-b.over:
		b.over <- err
	case <-time.After(beatTime):
		err = errors.New("the program has not begun")
	}
	return nil, errors.Join(err, b.end())
}

// listen takes what the program tells of its rounds.
func (b *beating) listen(begun chan<- struct{}) {
	text := make([]byte, 100)
	var last float64
	for {
		n, err := b.conn.Read(text)
		if err != nil {
			return
		}
		var pid int64
		var at float64
		if _, err := fmt.Sscan(string(text[:n]), &pid, &at); err != nil {
			continue
		}
		switch before := b.pid.Swap(pid); before {
		case pid:
		case 0:
			close(begun)
		default:
			b.gaps <- gap{last, at}
		}
		last = at
	}
}

// gap waits until new workers run.
func (b *beating) gap() (gap, error) {
	select {
	case g := <-b.gaps:
		return g, nil
	case err := <-b.over:
		b.over <- err
		return gap{}, errors.New("the job has ended meanwhile")
	case <-time.After(beatTime):
		return gap{}, errors.New("the program does not go on")
	}
}

// ctl asks the job something.
func (b *beating) ctl(words ...string) error {
	_, err := output(exec.CommandContext(b.ctx, b.launcher, append([]string{"ctl", fmt.Sprint(b.pid.Load())}, words...)...))
	return err
}

// until waits for a status of the job.
func (b *beating) until(is func(*jobStatus) bool) (*jobStatus, error) {
	for limit := time.Now().Add(beatTime); time.Now().Before(limit); time.Sleep(50 * time.Millisecond) {
		text, err := output(exec.CommandContext(b.ctx, b.launcher, "ctl", fmt.Sprint(b.pid.Load()), "status", "--json"))
		if err != nil {
			return nil, err
		}
		s := new(jobStatus)
		if err := json.Unmarshal(text, s); err != nil {
			return nil, fmt.Errorf("ampirun ctl status --json: %w", err)
		}
		if is(s) {
			return s, nil
		}
	}
	return nil, errors.New("the job does not get as far as it should")
}

// end has the program end, and tells how it did.
func (b *beating) end() error {
	return errors.Join(b.conn.Close(), <-b.over, os.RemoveAll(b.dir))
}
