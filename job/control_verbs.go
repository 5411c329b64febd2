package job

import (
	"errors"

	"ampirun/vrank"
)

// verb is something that clients may ask of a job.
type verb struct {
	args  int // numbers that belong to it
	serve func(c *client, args []int) error
}

var verbs = map[string]verb{
	"name":       {0, (*client).name},
	"status":     {0, (*client).status},
	"ranks":      {0, (*client).ranks},
	"backtrace":  {0, (*client).backtrace},
	"checkpoint": {0, (*client).checkpoint},
	"migrate":    {2, (*client).migrate},
	"stop":       {0, (*client).stop},
	"scale":      {1, (*client).scale},
}

func (c *client) obey(r *Request) error { return verbs[r.Verb].serve(c, r.Args) }

// name says what the manager knows without asking anybody.
func (c *client) name([]int) error {
	s, err := on(c, func(m *manager, done func(*Status)) { done(m.statusOfSelf()) })
	if err == nil {
		c.reply(Reply{Status: s})
	}
	return err
}

func (c *client) status([]int) error {
	s, err := on(c, func(m *manager, done func(*Status)) {
		m.survey(func(s *vrank.Survey, err error) { done(m.statusOfAll(s, err)) })
	})
	if err == nil {
		c.reply(Reply{Status: s})
	}
	return err
}

func (c *client) ranks([]int) error {
	o, err := on(c, func(m *manager, done func(outcome[[]RankStatus])) {
		m.survey(func(s *vrank.Survey, err error) {
			o := outcome[[]RankStatus]{err: err}
			if err == nil {
				o.value = m.rankStatus(s)
			}
			done(o)
		})
	})
	if err = errors.Join(err, o.err); err == nil {
		c.reply(Reply{Ranks: o.value})
	}
	return err
}

func (c *client) backtrace([]int) error {
	lines, err := on(c, func(m *manager, done func([]string)) {
		m.trace(func(traces []*vrank.Trace) { done(m.describe(traces)) })
	})
	for _, line := range lines {
		c.say("%s", line)
	}
	return err
}

func (c *client) checkpoint([]int) error {
	o, err := on(c, func(m *manager, done func(outcome[string])) {
		if m.checkpointer == nil {
			done(outcome[string]{err: refuse(CodeUsage, "the job has no directory for checkpoints: it was started without +ckpt DIR")})
			return
		}
		m.checkpointer.checkpoint(func(err error) { done(outcome[string]{m.checkpointer.tellLast(), err}) })
	})
	if err = errors.Join(err, o.err); err == nil {
		c.say("%s", o.value)
	}
	return err
}

func (c *client) migrate(args []int) error {
	rank, pe := args[0], args[1]
	o, err := on(c, func(m *manager, done func(outcome[vrank.Moved])) {
		if err := m.checkMove(rank, pe); err != nil {
			done(outcome[vrank.Moved]{err: err})
			return
		}
		m.move(rank, pe, func(moved vrank.Moved, err error) { done(outcome[vrank.Moved]{moved, err}) })
	})
	switch moved := o.value; {
	case err != nil || o.err != nil:
		return errors.Join(err, o.err)
	case moved.Stays != "":
		return refuse(1, "rank %d stays: %s", rank, moved.Stays)
	case moved.Already:
		c.say("rank %d is on PE %d already", rank, pe)
	default:
		c.say("rank %d is on PE %d now", rank, pe)
	}
	return nil
}

// checkMove refuses what can never be.
func (m *manager) checkMove(rank, pe int) error {
	switch why := m.opt.stays(); {
	case rank < 0 || rank >= m.opt.Ranks:
		return refuse(CodeUsage, "there is no rank %d: the job has ranks 0 to %d", rank, m.opt.Ranks-1)
	case pe < 0 || pe >= m.opt.Workers:
		return refuse(CodeUsage, "there is no PE %d: the job has PEs 0 to %d", pe, m.opt.Workers-1)
	case why != "":
		return refuse(CodeUsage, "%s", why)
	}
	return nil
}

// stop ends the job. The client sees its end when the connection ends.
func (c *client) stop([]int) error {
	saved := make(chan outcome[string], 1)
	isSaved, err := on(c, func(m *manager, done func(bool)) {
		done(m.stop(func(err error) { saved <- outcome[string]{m.checkpointer.tellLast(), err} }))
	})
	if err == nil && isSaved {
		select {
		case o := <-saved:
			if o.err == nil {
				c.say("%s", o.value)
			} else {
				c.say("%v", o.err)
			}
		case <-c.gone:
		case <-c.m.over:
		}
	}
	select {
	case <-c.gone:
		return errHungUp
	case <-c.m.over:
		return nil
	}
}

func (c *client) scale(args []int) error {
	type scaled struct {
		already bool
		workers int
		err     error
	}
	n := args[0]
	s, err := on(c, func(m *manager, done func(scaled)) {
		if err := m.checkScale(n); err != nil || n == m.opt.Workers {
			done(scaled{true, n, err})
			return
		}
		m.scale(n, func(err error) { done(scaled{false, m.opt.Workers, err}) })
	})
	switch {
	case err != nil || s.err != nil:
		return errors.Join(err, s.err)
	case s.already:
		c.say("the job has %d workers already", n)
	default:
		c.say("the job has %d workers now", s.workers)
	}
	return nil
}

// checkScale refuses what can never be, or not now.
func (m *manager) checkScale(n int) error {
	switch why := m.cannotScale(); {
	case n < 1 || n > m.opt.Ranks:
		return refuse(CodeUsage, "%d workers: the job has %d ranks, and takes 1 to %d", n, m.opt.Ranks, m.opt.Ranks)
	case why != "":
		return refuse(CodeUsage, "%s", why)
	case !m.launched || m.stage != stageRun:
		return m.notRunning()
	}
	most, err := vrank.MostWorkers(m.region)
	if err == nil && n > most {
		err = refuse(CodeUsage, "%d workers: the job can have %d at most", n, most)
	}
	return err
}
