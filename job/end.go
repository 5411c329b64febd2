package job

import (
	"bytes"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"syscall"
	"time"

	"ampirun/vrank"
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

// giveUp ends the job for a reason, unless it ends for another one; err may be nil for a quiet end.
func (m *manager) giveUp(code int, err error) {
	m.verdict.decide(code, err)
	m.end()
}

// end begins the end of the job. A job that was not launched has nothing to tidy up.
func (m *manager) end() {
	m.reap()
	switch {
	case m.stage != stageRun:
	case !m.launched:
		m.kill()
	default:
		m.stage = stageStop
		for _, w := range m.workers {
			if w.alive() && !w.dies {
				w.outbox.send(message{Kind: kindStop}) // who does not hear it is sent signals
			}
		}
		m.forward(syscall.SIGCONT)
		m.grace.Reset(graceTime)
	}
}

// escalate presses workers that are left.
func (m *manager) escalate() {
	if m.isDumping() || m.waits < mostWaits && m.isDying() {
		m.waits++
		m.grace.Reset(graceTime)
		return
	}
	if m.stage != stageStop {
		m.kill()
		return
	}
	m.stage = stageTerm
	m.forward(syscall.SIGTERM)
	m.grace.Reset(graceTime)
}

// isDying tells whether a worker that has announced its death is yet to find the time for it.
func (m *manager) isDying() bool {
	return slices.ContainsFunc(m.workers, func(w *worker) bool { return w.dies && w.alive() })
}

// isDumping tells whether the kernel is writing a worker's core file: a signal would cut it short.
func (m *manager) isDumping() bool {
	for _, w := range m.workers {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(w.pid) + "/status")
		if w.alive() && err == nil && bytes.Contains(status, []byte("CoreDumping:\t1")) {
			return true
		}
	}
	return false
}

func (m *manager) kill() {
	m.stage = stageKill
	m.forward(syscall.SIGKILL)
}

// printTraces answers a SIGUSR1. Workers with a rank that has a handler for the signal get it, too.
func (m *manager) printTraces(traces []*vrank.Trace) {
	m.say(m.describe(traces))
	for _, t := range traces {
		if w := m.workers[t.PE]; t.Handles && w.alive() {
			syscall.Kill(w.pid, syscall.SIGUSR1)
		}
	}
}

// forward signals all workers that are left.
func (m *manager) forward(sig syscall.Signal) {
	for _, w := range m.workers {
		if w.alive() {
			syscall.Kill(w.pid, sig)
		}
	}
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
func (m *manager) endBy(sig syscall.Signal) {
	m.giveUp(128+int(sig), fmt.Errorf("the job was ended by %s", signalName(sig)))
}

// signalled takes a signal to the manager.
func (m *manager) signalled(sig syscall.Signal) {
	switch sig {
	case syscall.SIGINT, syscall.SIGTERM, syscall.SIGQUIT, syscall.SIGHUP:
		if m.stage != stageRun {
			m.kill()
		}
		if sig == syscall.SIGTERM && m.checkpointer.beforeEnd(func(error) { m.endBy(sig) }) {
			return
		}
		m.endBy(sig)
	case syscall.SIGXCPU:
		m.giveUp(128+int(sig), fmt.Errorf("ampirun has used up its CPU time, of which the limit is %s (ulimit -t)", cpuTime()))
	case syscall.SIGTSTP:
		m.out.hideStatus()
		m.forward(syscall.SIGSTOP)
		syscall.Kill(os.Getpid(), syscall.SIGSTOP) // may take effect only later; SIGCONT comes as a signal of its own
	case syscall.SIGUSR1:
		m.trace(m.printTraces)
	case syscall.SIGUSR2:
		if m.checkpointer != nil {
			m.checkpointer.checkpoint(func(error) {})
			return
		}
		m.forward(sig)
	case syscall.SIGCONT:
		m.forward(sig)
	}
}
