package job

import (
	"errors"
	"fmt"
	"slices"

	"ampirun/vrank"
)

// freeze is a time that all workers stand still, to copy the memory of the job or to leave it to others.
type freeze struct {
	halt   bool                       // they leave
	memory bool                       // the copy in memory is all that is wanted
	done   func(f *freeze, err error) // told on the manager's goroutine when they go on, or why they never stood still; when they leave nobody is
	frozen []*vrank.Frozen            // by PE, nil until told
	thawed []*vrank.Thawed            // of those that go on
	read   int64                      // how far the job's input has been read, see input.place
}

// errNotRunning answers those who come too late, or too early.
var errNotRunning = errors.New("the job is not running")

// freeze asks for a freeze, which begins when those that were asked for before are over.
func (m *manager) freeze(f *freeze) {
	m.freezes = append(m.freezes, f)
	if len(m.freezes) == 1 {
		m.nextFreeze()
	}
}

// nextFreeze begins the first freeze of those that are asked for. It can be begun again by other workers.
func (m *manager) nextFreeze() {
	for len(m.freezes) > 0 && m.renewal == nil && m.launched {
		f := m.freezes[0]
		m.input.hold(true)
		f.frozen, f.thawed = make([]*vrank.Frozen, len(m.workers)), nil
		err := errNotRunning
		if m.stage == stageRun && !m.workers[0].done {
			err = m.announce(f)
		}
		if err == nil {
			return
		}
		m.freezes = m.freezes[1:]
		m.input.hold(false)
		f.done(f, err)
	}
}

// announce tells the workers of a freeze. If the one that is to begin has gone, its end is noticed soon.
func (m *manager) announce(f *freeze) error {
	for _, w := range m.workers[1:] {
		if !f.halt {
			_ = w.outbox.send(message{Kind: kindPrepare}) // who does not hear it is only slower
		}
	}
	return m.workers[0].outbox.send(message{Kind: kindFreeze, Halt: f.halt})
}

// froze takes a worker's word that its ranks stand still.
func (m *manager) froze(w *worker, what *vrank.Frozen) {
	if len(m.freezes) == 0 || what == nil {
		return
	}
	f := m.freezes[0]
	f.frozen[w.pe] = what
	if what.Input != nil {
		f.read = m.input.place(what.Input)
	}
	if f.halt && f.isComplete() && !f.isRefused() {
		m.freezes = m.freezes[1:]
		m.halted = f
		f.done(f, nil)
	}
}

// thaws takes a worker's word that its ranks go on.
func (m *manager) thaws(what *vrank.Thawed) {
	if len(m.freezes) == 0 || what == nil {
		return
	}
	f := m.freezes[0]
	f.thawed = append(f.thawed, what)
	m.freezeEnds()
}

func (m *manager) freezeEnds() {
	f := m.freezes[0]
	if len(f.thawed) < len(f.frozen) || !f.isComplete() {
		return
	}
	m.freezes = m.freezes[1:]
	m.input.hold(false)
	f.done(f, nil)
	m.nextFreeze()
}

// epoch is that of notes of opened files that begins with the freeze.
func (f *freeze) epoch() int { return f.frozen[0].Epoch }

// isComplete tells whether all workers have stood still.
func (f *freeze) isComplete() bool { return !slices.Contains(f.frozen, nil) }

// isLeaving tells whether a worker has ended as it was asked to: then all stand still, and what the others have said of that is on its way.
func (m *manager) isLeaving(w *worker) bool {
	if w.status != 0 || len(m.freezes) == 0 {
		return false
	}
	f := m.freezes[0]
	return f.halt && f.frozen != nil && f.frozen[w.pe] != nil
}

// isRefused tells whether some rank cannot be saved; then nothing was copied, and nobody has left.
func (f *freeze) isRefused() bool {
	return slices.ContainsFunc(f.frozen, func(w *vrank.Frozen) bool { return len(w.Obstacles) > 0 })
}

// obstacles says why, in one line.
func (f *freeze) obstacles() string {
	var lines []string
	for _, w := range f.frozen {
		for _, o := range w.Obstacles {
			lines = append(lines, fmt.Sprintf("rank %d cannot be saved: %s", o.Rank, o.Why))
		}
	}
	if n := len(lines) - 1; n > 0 {
		return fmt.Sprintf("%s (and %d more ranks)", lines[0], n)
	}
	return lines[0]
}

// isSame tells whether what exists of the copy is what existed of it after the last freeze.
func (f *freeze) isSame() bool {
	return !slices.ContainsFunc(f.thawed, func(t *vrank.Thawed) bool { return !t.Same })
}

// pause is how long no rank ran, in seconds.
func (f *freeze) pause() (longest float64) {
	for _, w := range f.thawed {
		longest = max(longest, w.Pause)
	}
	return longest
}
