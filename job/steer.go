package job

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"ampirun/vrank"
)

// surveyTime is how long one worker may take to say what the ranks do before another one is asked.
const surveyTime = 2 * time.Second

// asker asks workers what only they know, and has them do what somebody wants.
type asker struct {
	m         *manager
	questions questions
	moving    map[int]*moving // by rank: those that somebody has sent somewhere
}

// survey finds out what all ranks do. Every worker can tell: they are asked one after the other. done is called once.
func (a *asker) survey(done func(s *vrank.Survey, err error)) {
	a.surveyFrom(0, a.m.notRunning(), done)
}

// notRunning is what to say when no worker is there to be asked.
func (m *manager) notRunning() error {
	switch {
	case m.ending.hasBegun():
		return errors.New("the job ends")
	case m.recovery.isUnderWay() || m.renewer.isScaling():
		return errors.New("the workers are being replaced")
	case !m.launched:
		return errors.New("the job is about to begin: its ranks are not there yet")
	}
	return errors.New("its ranks have ended")
}

// surveyFrom asks the workers from one on; why is what to say when there is none.
func (a *asker) surveyFrom(pe int, why error, done func(s *vrank.Survey, err error)) {
	for pe < len(a.m.workers) && !a.isAnswering(a.m.workers[pe]) {
		pe++
	}
	if pe >= len(a.m.workers) {
		done(nil, why)
		return
	}
	w, isOver := a.m.workers[pe], false
	over := func(s *vrank.Survey, problem string) {
		isOver = true
		if problem == "" {
			done(s, nil)
			return
		}
		a.surveyFrom(pe+1, errors.New(problem), done)
	}
	silent := fmt.Sprintf("worker %d (pid %d) does not answer", w.pe, w.pid)
	withdraw := a.ask(w, message{Kind: kindSurvey}, func(answer *message) {
		if answer == nil || answer.Survey == nil {
			over(nil, silent)
			return
		}
		over(answer.Survey, answer.Survey.Problem)
	})
	if isOver {
		return
	}
	time.AfterFunc(surveyTime, func() {
		a.m.post(func() {
			if !isOver {
				withdraw()
				over(nil, silent)
			}
		})
	})
}

// moving is a rank that somebody has sent somewhere, and who waits for it to be there.
type moving struct {
	to    int
	asked []func(moved vrank.Moved, err error)
}

// move sends a rank to a PE. The worker that it goes to sees to it. Whoever wants the same meanwhile gets the same answer.
func (a *asker) move(rank, to int, done func(moved vrank.Moved, err error)) {
	if v := a.moving[rank]; v != nil {
		if v.to == to {
			v.asked = append(v.asked, done)
			return
		}
		done(vrank.Moved{}, fmt.Errorf("rank %d has been sent to PE %d and has not arrived", rank, v.to))
		return
	}
	w := a.m.workers[to]
	if !a.isAnswering(w) {
		done(vrank.Moved{}, a.m.notRunning())
		return
	}
	v := &moving{to: to, asked: []func(vrank.Moved, error){done}}
	a.moving[rank] = v
	a.ask(w, message{Kind: kindMove, Rank: rank, PE: to}, func(answer *message) {
		delete(a.moving, rank)
		moved, err := vrank.Moved{}, error(nil)
		if answer == nil || answer.Moved == nil {
			err = fmt.Errorf("worker %d (pid %d) does not answer any more", w.pe, w.pid)
		} else {
			moved = *answer.Moved
		}
		for _, done := range v.asked {
			done(moved, err)
		}
	})
}

// stop ends the job as SIGTERM would. It tells whether the job is saved first; saved is called with what came of that.
func (m *manager) stop(saved func(error)) (isSaved bool) {
	if m.ending.hasBegun() || m.checkpointer != nil && m.checkpointer.ending {
		return false
	}
	isSaved = m.checkpointer.beforeEnd(func(err error) {
		saved(err)
		m.ending.endBy(syscall.SIGTERM)
	})
	if !isSaved {
		m.ending.endBy(syscall.SIGTERM)
	}
	return isSaved
}
