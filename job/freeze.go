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

// freezer has the workers of a job stand still, for one reason after the other.
type freezer struct {
	m      *manager
	queue  []*freeze // that are under way (the first) or asked for
	halted *freeze   // in which all workers are leaving
}

// ask asks for a freeze, which begins when those that were asked for before are over.
func (z *freezer) ask(f *freeze) {
	z.queue = append(z.queue, f)
	if len(z.queue) == 1 {
		z.next()
	}
}

// next begins the first freeze of those that are asked for. It can be begun again by other workers.
func (z *freezer) next() {
	for len(z.queue) > 0 && z.m.renewer.current == nil && z.m.launched {
		f := z.queue[0]
		z.m.input.hold(true)
		f.frozen, f.thawed = make([]*vrank.Frozen, len(z.m.workers)), nil
		err := errNotRunning
		if !z.m.ending.hasBegun() && !z.m.workers[0].done {
			err = z.announce(f)
		}
		if err == nil {
			return
		}
		z.queue = z.queue[1:]
		z.m.input.hold(false)
		f.done(f, err)
	}
}

// announce tells the workers of a freeze. If the one that is to begin has gone, its end is noticed soon.
func (z *freezer) announce(f *freeze) error {
	for _, w := range z.m.workers[1:] {
		if !f.halt {
			_ = w.outbox.send(message{Kind: kindPrepare}) // who does not hear it is only slower
		}
	}
	return z.m.workers[0].outbox.send(message{Kind: kindFreeze, Halt: f.halt})
}

// froze takes a worker's word that its ranks stand still.
func (z *freezer) froze(w *worker, what *vrank.Frozen) {
	if len(z.queue) == 0 || what == nil {
		return
	}
	f := z.queue[0]
	f.frozen[w.pe] = what
	if what.Input != nil {
		f.read = z.m.input.place(what.Input)
	}
	if f.halt && f.isComplete() && !f.isRefused() {
		z.queue = z.queue[1:]
		z.halted = f
		f.done(f, nil)
	}
}

// thaws takes a worker's word that its ranks go on.
func (z *freezer) thaws(what *vrank.Thawed) {
	if len(z.queue) == 0 || what == nil {
		return
	}
	f := z.queue[0]
	f.thawed = append(f.thawed, what)
	z.ends()
}

func (z *freezer) ends() {
	f := z.queue[0]
	if len(f.thawed) < len(f.frozen) || !f.isComplete() {
		return
	}
	z.queue = z.queue[1:]
	z.m.input.hold(false)
	f.done(f, nil)
	z.next()
}

// epoch is that of notes of opened files that begins with the freeze.
func (f *freeze) epoch() int { return f.frozen[0].Epoch }

// isComplete tells whether all workers have stood still.
func (f *freeze) isComplete() bool { return !slices.Contains(f.frozen, nil) }

// isLeaving tells whether a worker has ended as it was asked to: then all stand still, and what the others have said of that is on its way.
func (z *freezer) isLeaving(w *worker) bool {
	if w.status != 0 || len(z.queue) == 0 {
		return false
	}
	f := z.queue[0]
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

// stoodStill is what the job had if its workers ended in a freeze after all ranks had come to rest; nil: they did not.
func (z *freezer) stoodStill() *rollbackTarget {
	f := z.halted
	if f == nil && len(z.queue) > 0 {
		f = z.queue[0]
	}
	if f == nil || f.frozen == nil || !f.isComplete() || f.isRefused() {
		return nil
	}
	return f.rollbackTarget(z.m.opt.Ranks)
}
