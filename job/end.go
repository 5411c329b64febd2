package job

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// stage is how far the end of a job has gone.
type stage int

const (
	stageRun  stage = iota
	stageStop       // workers have been asked to stop
	stageTerm       // workers have been sent SIGTERM
	stageKill       // workers have been sent SIGKILL
)

// graceTime is how long each stage of the end lasts.
const graceTime = time.Second

// mostWaits is how many times that long a worker has that dies by itself.
const mostWaits = 30

// ending is how the job ends: what decides its exit code, and how far workers are pressed that are left.
type ending struct {
	m       *manager
	verdict verdict
	stage   stage
	grace   *time.Timer // until the next stage, once the job must end
	waits   int         // how often the next stage was put off
}

func newEnding(m *manager) ending {
	e := ending{m: m, grace: time.NewTimer(time.Hour)}
	e.grace.Stop()
	return e
}

// hasBegun tells whether the job must end.
func (e *ending) hasBegun() bool { return e.stage != stageRun }

// giveUp ends the job for a reason, unless it ends for another one; err may be nil for a quiet end.
func (e *ending) giveUp(code int, err error) {
	e.verdict.decide(code, err)
	e.begin()
}

// begin begins the end of the job. A job that was not launched has nothing to tidy up.
func (e *ending) begin() {
	e.m.reap()
	switch {
	case e.stage != stageRun:
	case !e.m.launched:
		e.kill()
	default:
		e.stage = stageStop
		for _, w := range e.m.workers {
			if w.alive() && !w.dies {
				w.outbox.send(message{Kind: kindStop}) // who does not hear it is sent signals
			}
		}
		e.m.workerGroup.forward(syscall.SIGCONT)
		e.grace.Reset(graceTime)
	}
}

// escalate presses workers that are left.
func (e *ending) escalate() {
	if e.m.workerGroup.isDumping() || e.waits < mostWaits && e.m.workerGroup.isDying() {
		e.waits++
		e.grace.Reset(graceTime)
		return
	}
	if e.stage != stageStop {
		e.kill()
		return
	}
	e.stage = stageTerm
	e.m.workerGroup.forward(syscall.SIGTERM)
	e.grace.Reset(graceTime)
}

func (e *ending) kill() {
	e.stage = stageKill
	e.m.workerGroup.forward(syscall.SIGKILL)
}

// catchSignals takes the signals that a job's manager handles. SIGPIPE is taken so that a closed output is an error of
// a write; ignoring it would be passed on to the ranks' children. A SIGHUP that nohup has ignored stays so.
func catchSignals() chan os.Signal {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGPIPE,
		syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTSTP, syscall.SIGCONT, syscall.SIGXCPU)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals
}

// endBy ends the job because of a signal.
func (e *ending) endBy(sig syscall.Signal) {
	e.giveUp(128+int(sig), fmt.Errorf("the job was ended by %s", signalName(sig)))
}

// signalled takes a signal to the manager.
func (m *manager) signalled(sig syscall.Signal) {
	switch sig {
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP:
		if m.ending.hasBegun() {
			m.ending.kill()
		}
		if sig == syscall.SIGTERM && m.checkpointer.beforeEnd(func(error) { m.ending.endBy(sig) }) {
			return
		}
		m.ending.endBy(sig)
	case syscall.SIGXCPU:
		m.ending.giveUp(128+int(sig), fmt.Errorf("ampirun has used up its CPU time, of which the limit is %s (ulimit -t)", cpuTime()))
	case syscall.SIGTSTP:
		m.out.hideStatus()
		m.workerGroup.forward(syscall.SIGSTOP)
		syscall.Kill(os.Getpid(), syscall.SIGSTOP) // may take effect only later; SIGCONT comes as a signal of its own
	case syscall.SIGUSR1:
		m.tracer.ask(m.tracer.print)
	case syscall.SIGUSR2:
		if m.checkpointer != nil {
			m.checkpointer.checkpoint(func(error) {})
			return
		}
		m.workerGroup.forward(sig)
	case syscall.SIGCONT:
		m.workerGroup.forward(sig)
	}
}
