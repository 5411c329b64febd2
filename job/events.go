package job

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ampirun/vrank"
)

// heard takes a message of a worker.
func (m *manager) heard(w *worker, msg message) {
	w.heard = time.Now()
	if msg.Event != nil {
		msg.Event.FDs = msg.fds
	}
	switch {
	case msg.Kind == kindPing:
	case msg.Kind == kindHello && w.hello == nil:
		w.hello = &msg
		m.hellos++
		m.setup.launchWhenReady()
	case msg.Kind == kindEvent && msg.Event != nil:
		m.happened(w, *msg.Event)
	case msg.Kind == kindTrace:
		m.tracer.answered(w, msg.Trace)
	case msg.Kind == kindSurvey || msg.Kind == kindMove:
		m.asker.answered(w, &msg)
	case msg.Kind == kindFailed:
		m.ending.giveUp(msg.Code, errors.New(msg.Text))
	default:
		m.recovery.isLost(w, fmt.Errorf("worker %d (pid %d) sent an unexpected %q message", w.pe, w.pid, msg.Kind))
	}
}

// happened takes an event of a worker's ranks.
func (m *manager) happened(w *worker, e vrank.Event) {
	switch e.Kind {
	case vrank.EventRankExit:
		m.ending.verdict.rankExit(e.Rank, e.Code)
	case vrank.EventDone:
		w.done = true
		m.stats[w.pe] = e.Stats
	case vrank.EventBalanced:
		m.steps = append(m.steps, *e.Step)
		m.observer.balanced(*e.Step)
	case vrank.EventSave:
		m.checkpointer.asks(e.Memory)
	case vrank.EventRetained:
		m.checkpointer.retain(e)
	case vrank.EventFrozen:
		m.freezer.froze(w, e.Frozen)
	case vrank.EventThawed:
		m.freezer.thaws(e.Thawed)
	case vrank.EventFault:
		m.recovery.died(w, e)
	case vrank.EventRunning:
		m.renewer.runs()
	case vrank.EventDeadlock:
		m.deadlocked(e)
	case vrank.EventStalled:
		m.stalled(e)
	case vrank.EventPlaced:
		m.tellDebugger()
	case vrank.EventAbort:
		m.ending.verdict.event(e)
		m.ending.begin()
	default:
		m.recovery.isLost(w, fmt.Errorf("worker %d (pid %d) sent an unexpected %q event", w.pe, w.pid, e.Kind))
	}
}

// tellDebugger names the workers once all wait for the debugger.
func (m *manager) tellDebugger() {
	if m.waiting++; m.waiting < len(m.workers) {
		return
	}
	var pids []string
	for _, w := range m.workers {
		pids = append(pids, strconv.Itoa(w.pid))
	}
	fmt.Fprintln(m.opt.Debugger, strings.Join(pids, " "))
	m.opt.Debugger.Close()
}

// stalled says where all ranks are. The job goes on.
func (m *manager) stalled(e vrank.Event) {
	m.tracer.ask(func(traces []*vrank.Trace) {
		lines := strings.Split(e.Text, "\n")
		for _, line := range m.tracer.symbols.Describe(traces, false) {
			lines = append(lines, "  "+line)
		}
		m.say(lines)
	})
}

// deadlocked says where all ranks wait before it ends the job.
func (m *manager) deadlocked(e vrank.Event) {
	m.tracer.ask(func(traces []*vrank.Trace) {
		for _, line := range m.tracer.symbols.Describe(traces, false) {
			e.Text += "\n  " + line
		}
		m.ending.verdict.event(e)
		m.ending.begin()
	})
}
