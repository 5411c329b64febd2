package job

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ampirun/vrank"
)

// traceTime is how long workers may take to say where their ranks are: thousands of stacks, with little of a core. One that cannot say it
// notices that before.
const traceTime = 15 * time.Second

// inquiry is a question to all workers that is under way. Several who ask meanwhile get the same answer.
type inquiry struct {
	waiting map[*worker]bool
	traces  []*vrank.Trace
	asked   []func(traces []*vrank.Trace)
}

// tracer finds out where in the program the ranks are.
type tracer struct {
	m       *manager
	inquiry *inquiry // that is under way; nil: none is
	symbols vrank.Symbolizer
}

// ask asks all workers where their ranks are; done is called once, on the manager's goroutine.
func (tr *tracer) ask(done func(traces []*vrank.Trace)) {
	if tr.inquiry != nil {
		tr.inquiry.asked = append(tr.inquiry.asked, done)
		return
	}
	q := &inquiry{waiting: map[*worker]bool{}, asked: []func([]*vrank.Trace){done}}
	tr.inquiry = q
	for _, w := range tr.m.workers {
		switch {
		case !tr.m.launched || !w.alive() || w.silent || w.done:
		case w.outbox.send(message{Kind: kindTrace}) != nil:
			q.traces = append(q.traces, w.silence())
		default:
			q.waiting[w] = true
		}
	}
	time.AfterFunc(traceTime, func() { tr.m.post(func() { tr.answer(q) }) })
	tr.answerWhenComplete()
}

// answered takes a worker's answer.
func (tr *tracer) answered(w *worker, t *vrank.Trace) {
	switch {
	case t == nil:
	case t.Unasked:
		tr.m.say(tr.describe([]*vrank.Trace{t}))
	case tr.inquiry != nil && tr.inquiry.waiting[w]:
		t.PE = w.pe
		tr.inquiry.traces = append(tr.inquiry.traces, t)
		delete(tr.inquiry.waiting, w)
		tr.answerWhenComplete()
	}
}

// left notes that a worker will not answer any more.
func (tr *tracer) left(w *worker) {
	if tr.inquiry != nil && tr.inquiry.waiting[w] {
		delete(tr.inquiry.waiting, w)
		tr.answerWhenComplete()
	}
}

func (tr *tracer) answerWhenComplete() {
	if tr.inquiry != nil && len(tr.inquiry.waiting) == 0 {
		tr.answer(tr.inquiry)
	}
}

// silence stands for the answer that has not come.
func (w *worker) silence() *vrank.Trace {
	return &vrank.Trace{PE: w.pe, Problem: fmt.Sprintf("(pid %d) does not answer", w.pid)}
}

// answer hands out what has come.
func (tr *tracer) answer(q *inquiry) {
	if tr.inquiry != q {
		return
	}
	tr.inquiry = nil
	for w := range q.waiting {
		q.traces = append(q.traces, w.silence())
	}
	for _, done := range q.asked {
		done(q.traces)
	}
}

// describe turns traces into lines.
func (tr *tracer) describe(traces []*vrank.Trace) []string {
	lines := []string{fmt.Sprintf("job %d: %s, %d ranks in %d workers", os.Getpid(), filepath.Base(tr.m.program), tr.m.opt.Ranks, tr.m.opt.Workers)}
	return append(lines, tr.symbols.Describe(traces, true)...)
}

// print answers a SIGUSR1. Workers with a rank that has a handler for the signal get it, too.
func (tr *tracer) print(traces []*vrank.Trace) {
	tr.m.say(tr.describe(traces))
	for _, t := range traces {
		if w := tr.m.workers[t.PE]; t.Handles && w.alive() {
			syscall.Kill(w.pid, syscall.SIGUSR1)
		}
	}
}
