package job

import (
	"os"
	"path/filepath"
	"time"

	"ampirun/job/control"
	"ampirun/vrank"
)

// rankStatus adds to a survey what only the manager knows.
func (a *asker) rankStatus(seen *vrank.Survey) (all []control.RankStatus) {
	for _, r := range seen.Ranks {
		s := control.RankStatus{RankState: r}
		if v := a.moving[r.Rank]; v != nil {
			s.GoesTo = &v.to
		}
		all = append(all, s)
	}
	return all
}

// statusOfSelf is what the manager knows without asking anybody.
func (m *manager) statusOfSelf() *control.Status {
	s := &control.Status{
		PID: os.Getpid(), Program: filepath.Base(m.program), Ranks: m.opt.Ranks, State: m.stateName(), Running: time.Since(m.since).Seconds(),
		Steal: m.opt.Steal, Checkpoints: m.checkpointer.status(), FT: m.recovery.status(),
		Balance: control.BalanceStatus{Strategy: m.opt.Balance, Period: m.opt.Period, Steps: len(m.steps)},
	}
	if m.opt.Restart != nil {
		s.From = m.opt.Restart.Dir
	}
	for _, step := range m.steps {
		s.Balance.Moves += step.Moves
	}
	for _, w := range m.workers {
		s.Workers = append(s.Workers, control.WorkerStatus{PE: w.pe, PID: w.pid, Alive: w.alive() && !w.silent})
	}
	return s
}

func (m *manager) stateName() string {
	switch {
	case m.ending.hasBegun():
		return "ends"
	case m.recovery.isUnderWay():
		return "recovers"
	case m.renewer.isScaling():
		return "scales"
	case !m.launched:
		return "starts"
	}
	return "runs"
}

// statusOfAll adds what a survey has shown.
func (m *manager) statusOfAll(seen *vrank.Survey, err error) *control.Status {
	s := m.statusOfSelf()
	if err != nil {
		s.Problem = err.Error()
		return s
	}
	for i := range s.Workers {
		s.Workers[i].Ranks = new(int)
	}
	for _, r := range seen.Ranks {
		s.Moves += r.Moves
		switch {
		case r.Ended:
			s.Ended++
		case r.PE >= 0 && r.PE < len(s.Workers):
			*s.Workers[r.PE].Ranks++
		}
	}
	for _, n := range seen.Stolen {
		s.Stolen += n
	}
	return s
}
