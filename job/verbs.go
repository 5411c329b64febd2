package job

import (
	"errors"

	"ampirun/internal/refusal"
	"ampirun/job/control"
	"ampirun/vrank"
)

// steering serves what clients ask of the job. The manager's goroutine never waits for one of them.
type steering struct{ m *manager }

func (t steering) verbs() map[string]control.Verb {
	return map[string]control.Verb{
		"name":       {Args: 0, Serve: t.name},
		"status":     {Args: 0, Serve: t.status},
		"ranks":      {Args: 0, Serve: t.ranks},
		"backtrace":  {Args: 0, Serve: t.backtrace},
		"checkpoint": {Args: 0, Serve: t.checkpoint},
		"migrate":    {Args: 2, Serve: t.migrate},
		"stop":       {Args: 0, Serve: t.stop},
		"scale":      {Args: 1, Serve: t.scale},
	}
}

// name says what the manager knows without asking anybody.
func (t steering) name(c *control.Client, _ []int) error {
	s, err := on(t.m, c, func(m *manager, done func(*control.Status)) { done(m.statusOfSelf()) })
	if err == nil {
		c.Reply(control.Reply{Status: s})
	}
	return err
}

func (t steering) status(c *control.Client, _ []int) error {
	s, err := on(t.m, c, func(m *manager, done func(*control.Status)) {
		m.asker.survey(func(s *vrank.Survey, err error) { done(m.statusOfAll(s, err)) })
	})
	if err == nil {
		c.Reply(control.Reply{Status: s})
	}
	return err
}

func (t steering) ranks(c *control.Client, _ []int) error {
	o, err := on(t.m, c, func(m *manager, done func(outcome[[]control.RankStatus])) {
		m.asker.survey(func(s *vrank.Survey, err error) {
			o := outcome[[]control.RankStatus]{err: err}
			if err == nil {
				o.value = m.asker.rankStatus(s)
			}
			done(o)
		})
	})
	if err = errors.Join(err, o.err); err == nil {
		c.Reply(control.Reply{Ranks: o.value})
	}
	return err
}

func (t steering) backtrace(c *control.Client, _ []int) error {
	lines, err := on(t.m, c, func(m *manager, done func([]string)) {
		m.tracer.ask(func(traces []*vrank.Trace) { done(m.tracer.describe(traces)) })
	})
	for _, line := range lines {
		c.Say("%s", line)
	}
	return err
}

func (t steering) checkpoint(c *control.Client, _ []int) error {
	o, err := on(t.m, c, func(m *manager, done func(outcome[string])) {
		if m.checkpointer == nil {
			done(outcome[string]{err: refusal.New(refusal.CodeUsage, "the job has no directory for checkpoints: it was started without +ckpt DIR")})
			return
		}
		m.checkpointer.checkpoint(func(err error) { done(outcome[string]{m.checkpointer.tellLast(), err}) })
	})
	if err = errors.Join(err, o.err); err == nil {
		c.Say("%s", o.value)
	}
	return err
}

func (t steering) migrate(c *control.Client, args []int) error {
	rank, pe := args[0], args[1]
	o, err := on(t.m, c, func(m *manager, done func(outcome[vrank.Moved])) {
		if err := m.asker.checkMove(rank, pe); err != nil {
			done(outcome[vrank.Moved]{err: err})
			return
		}
		m.asker.move(rank, pe, func(moved vrank.Moved, err error) { done(outcome[vrank.Moved]{moved, err}) })
	})
	switch moved := o.value; {
	case err != nil || o.err != nil:
		return errors.Join(err, o.err)
	case moved.Stays != "":
		return refusal.New(1, "rank %d stays: %s", rank, moved.Stays)
	case moved.Already:
		c.Say("rank %d is on PE %d already", rank, pe)
	default:
		c.Say("rank %d is on PE %d now", rank, pe)
	}
	return nil
}

// checkMove refuses what can never be.
func (a *asker) checkMove(rank, pe int) error {
	switch why := a.m.opt.stays(); {
	case rank < 0 || rank >= a.m.opt.Ranks:
		return refusal.New(refusal.CodeUsage, "there is no rank %d: the job has ranks 0 to %d", rank, a.m.opt.Ranks-1)
	case pe < 0 || pe >= a.m.opt.Workers:
		return refusal.New(refusal.CodeUsage, "there is no PE %d: the job has PEs 0 to %d", pe, a.m.opt.Workers-1)
	case why != "":
		return refusal.New(refusal.CodeUsage, "%s", why)
	}
	return nil
}

// stop ends the job. The client sees its end when the connection ends.
func (t steering) stop(c *control.Client, _ []int) error {
	saved := make(chan outcome[string], 1)
	isSaved, err := on(t.m, c, func(m *manager, done func(bool)) {
		done(m.stop(func(err error) { saved <- outcome[string]{m.checkpointer.tellLast(), err} }))
	})
	if err == nil && isSaved {
		select {
		case o := <-saved:
			if o.err == nil {
				c.Say("%s", o.value)
			} else {
				c.Say("%v", o.err)
			}
		case <-c.Gone():
		case <-t.m.closed:
		}
	}
	select {
	case <-c.Gone():
		return errHungUp
	case <-t.m.closed:
		return nil
	}
}

func (t steering) scale(c *control.Client, args []int) error {
	type scaled struct {
		already bool
		workers int
		err     error
	}
	n := args[0]
	s, err := on(t.m, c, func(m *manager, done func(scaled)) {
		if err := m.checkScale(n); err != nil || n == m.opt.Workers {
			done(scaled{true, n, err})
			return
		}
		m.renewer.scale(n, func(err error) { done(scaled{false, m.opt.Workers, err}) })
	})
	switch {
	case err != nil || s.err != nil:
		return errors.Join(err, s.err)
	case s.already:
		c.Say("the job has %d workers already", n)
	default:
		c.Say("the job has %d workers now", s.workers)
	}
	return nil
}

// checkScale refuses what can never be, or not now.
func (m *manager) checkScale(n int) error {
	switch why := m.cannotScale(); {
	case n < 1 || n > m.opt.Ranks:
		return refusal.New(refusal.CodeUsage, "%d workers: the job has %d ranks, and takes 1 to %d", n, m.opt.Ranks, m.opt.Ranks)
	case why != "":
		return refusal.New(refusal.CodeUsage, "%s", why)
	case !m.launched || m.ending.hasBegun():
		return m.notRunning()
	}
	most, err := vrank.MostWorkers(m.setup.region)
	if err == nil && n > most {
		err = refusal.New(refusal.CodeUsage, "%d workers: the job can have %d at most", n, most)
	}
	return err
}

// Why a client gets no answer.
var (
	errHungUp  = errors.New("the client has hung up")
	errJobOver = errors.New("the job has ended meanwhile")
)

// on has f run on the manager's goroutine and waits for what it gives to done, which may be called later.
func on[T any](m *manager, c *control.Client, f func(m *manager, done func(T))) (value T, err error) {
	answer := make(chan T, 1)
	m.post(func() { f(m, func(value T) { answer <- value }) })
	select {
	case value = <-answer:
		return value, nil
	case <-c.Gone():
		return value, errHungUp
	case <-m.closed:
		return value, errJobOver
	}
}

// outcome is what functions give that may fail.
type outcome[T any] struct {
	value T
	err   error
}
