package job

import (
	"fmt"
	"os"
	"path/filepath"
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

// trace asks all workers where their ranks are; done is called once, on the manager's goroutine.
func (m *manager) trace(done func(traces []*vrank.Trace)) {
	if m.inquiry != nil {
		m.inquiry.asked = append(m.inquiry.asked, done)
		return
	}
	q := &inquiry{waiting: map[*worker]bool{}, asked: []func([]*vrank.Trace){done}}
	m.inquiry = q
	for _, w := range m.workers {
		switch {
		case !m.launched || !w.alive() || w.silent || w.done:
		case w.outbox.send(message{Kind: kindTrace}) != nil:
			q.traces = append(q.traces, w.silence())
		default:
			q.waiting[w] = true
		}
	}
	time.AfterFunc(traceTime, func() { m.post(func() { m.answer(q) }) })
	m.answerWhenComplete()
}

// traced takes a worker's answer.
func (m *manager) traced(w *worker, t *vrank.Trace) {
	switch {
	case t == nil:
	case t.Unasked:
		m.say(m.describe([]*vrank.Trace{t}))
	case m.inquiry != nil && m.inquiry.waiting[w]:
		t.PE = w.pe
		m.inquiry.traces = append(m.inquiry.traces, t)
		delete(m.inquiry.waiting, w)
		m.answerWhenComplete()
	}
}

// leftInquiry notes that a worker will not answer any more.
func (m *manager) leftInquiry(w *worker) {
	if m.inquiry != nil && m.inquiry.waiting[w] {
		delete(m.inquiry.waiting, w)
		m.answerWhenComplete()
	}
}

func (m *manager) answerWhenComplete() {
	if m.inquiry != nil && len(m.inquiry.waiting) == 0 {
		m.answer(m.inquiry)
	}
}

// silence stands for the answer that has not come.
func (w *worker) silence() *vrank.Trace {
	return &vrank.Trace{PE: w.pe, Problem: fmt.Sprintf("(pid %d) does not answer", w.pid)}
}

// answer hands out what has come.
func (m *manager) answer(q *inquiry) {
	if m.inquiry != q {
		return
	}
	m.inquiry = nil
	for w := range q.waiting {
		q.traces = append(q.traces, w.silence())
	}
	for _, done := range q.asked {
		done(q.traces)
	}
}

// describe turns traces into lines.
func (m *manager) describe(traces []*vrank.Trace) []string {
	lines := []string{fmt.Sprintf("job %d: %s, %d ranks in %d workers", os.Getpid(), filepath.Base(m.program), m.opt.Ranks, m.opt.Workers)}
	return append(lines, m.symbols.Describe(traces, true)...)
}

// say prints lines of our own on standard error, behind what ranks have written.
func (m *manager) say(lines []string) {
	m.out.endLine(streamErr)
	for _, line := range lines {
		fmt.Fprintf(m.opt.Stderr, "ampirun: %s\n", line)
	}
}

// sayLater does that from any goroutine.
func (m *manager) sayLater(lines []string) {
	if len(lines) > 0 {
		m.post(func() { m.say(lines) })
	}
}
