package job

import (
	"fmt"
	"slices"
	"syscall"
	"time"

	"ampirun/internal/refusal"
	"ampirun/isomalloc"
	"ampirun/vrank"
)

// renewal replaces all workers of a job: when those that are there have ended, others take the ranks in, as after a restart. So it
// makes no difference which of them has failed or is one too many, and nothing of what they were doing is left.
type renewal struct {
	workers int         // from then on
	renewed func(error) // who has asked for it; nil: a worker has failed
	began   time.Time
	failed  func() // of a worker that was to leave and did not, so that others may wait for it for ever; nil: none
}

// renew begins a renewal. Workers that do not leave by themselves are ended.
func (m *manager) renew(r *renewal) {
	r.began = time.Now()
	m.renewal = r
	if m.resolved {
		m.reap()
	}
	if m.halted == nil {
		m.endWorkerGroup()
	}
	m.replaceWhenGone()
}

// isToLeave tells whether workers leave by themselves, and none of them has failed to.
func (m *manager) isToLeave() bool { return m.halted != nil && m.renewal.failed == nil }

// failsToLeave ends the others when one has died, or stopped, instead of leaving. When they have gone that is a failure like any other.
func (m *manager) failsToLeave(code int, err error) {
	r := m.renewal
	r.failed = func() {
		m.opt.Workers, m.scaled, m.renewal = r.workers, append(m.scaled, r.renewed), nil
		m.failed(code, err, "")
	}
	m.endWorkerGroup()
}

func (m *manager) endWorkerGroup() {
	for _, w := range m.workers {
		if w.alive() && !w.dies {
			syscall.Kill(w.pid, syscall.SIGKILL)
		}
	}
}

// replaceWhenGone replaces the workers once nothing of the old ones is left: their processes, those of their ranks, what they have written.
func (m *manager) replaceWhenGone() {
	c := m.workerGroup
	if !c.isGone() || m.stage != stageRun {
		return
	}
	if failed := m.renewal.failed; failed != nil {
		failed()
		return
	}
	c.dismiss()
	m.observer.pause()
	go func() {
		m.killOrphans()
		c.readers.Wait()
		c.memory.Wait()
		m.post(m.replace)
	}()
}

// replace starts the new workers, and meanwhile makes the memory of the job fit for them.
func (m *manager) replace() {
	r := m.renewal
	if m.stage != stageRun {
		return
	}
	if saved := m.checkpointer.isWriting(); saved != nil && m.needsDisk() {
		go func() {
			<-saved
			m.post(m.replace)
		}()
		return
	}
	var fill filler
	if m.region != nil {
		fill = m.goOnFrom()
	}
	if len(m.freezes) > 0 {
		m.freezes[0].frozen = nil // the new workers have not stood still
	}
	m.workerGroup.close()
	m.halted, m.waiting, m.renewal = nil, 0, nil
	m.opt.Workers = r.workers
	m.checkpointer.renewed(r.workers)
	m.workerGroup = newWorkerGroup(r.workers)
	if r.renewed != nil {
		m.scaled = append(m.scaled, r.renewed)
	}
	if fill != nil {
		m.fill(fill)
	}
	if err := m.startWorkers(); err != nil {
		m.giveUp(1, err)
		return
	}
	if fill == nil && m.resolved { // the job has not begun
		m.reap()
		m.ready = true
	}
}

// runs notes that the ranks of a job run, for the first time or again.
func (m *manager) runs() {
	m.observer.resume(m.opt.Workers)
	m.recovery.ended()
	scaled := m.scaled
	m.scaled = nil
	for _, done := range scaled {
		done(nil)
	}
}

// filler puts the memory of a job into the region, and gives what the job goes on with besides; nil: it begins.
type filler func() (*rollbackTarget, error)

// fill has that done by a goroutine; the workers are launched when it is.
func (m *manager) fill(fill filler) {
	c := m.workerGroup
	c.memory.Go(func() {
		back, err := fill()
		m.post(func() {
			if !m.goesOn(err) {
				return
			}
			m.symbols.Copies = m.opt.Restart.namedCopies()
			m.rollbackTarget = back
			m.outputLog.rollBack(back.output())
			m.verdict.rollBack(back.exits())
			c.ready = true
			m.launchWhenReady()
		})
	})
}

// needsDisk tells whether the next workers go on with a checkpoint on the disk, if there is one: with one that is being written at the latest, for
// those that were made before belong to another past once the job goes on from an older one.
func (m *manager) needsDisk() bool {
	if m.region == nil || m.checkpointer.last != nil {
		return false
	}
	state, err := vrank.ReadFreezeState(m.region)
	return err == nil && !state.Whole
}

// goOnFrom decides what the next workers go on with: the region as it is, when its ranks stood still, or an earlier state of it.
func (m *manager) goOnFrom() filler {
	k, back, stood := m.checkpointer, m.rollbackTarget, m.stoodStill()
	state, err := vrank.ReadFreezeState(m.region)
	switch {
	case err != nil:
		return func() (*rollbackTarget, error) { return nil, err }
	case !state.Whole:
		return k.goBack(stood, state.Copied)
	case stood == nil: // the workers before had not begun with it
		return func() (*rollbackTarget, error) { return back, nil }
	case state.Torn:
		return k.copyAgain(stood)
	}
	return func() (*rollbackTarget, error) { return stood, nil }
}

// stoodStill is what the job had if its workers ended in a freeze after all ranks had come to rest; nil: they did not.
func (m *manager) stoodStill() *rollbackTarget {
	f := m.halted
	if f == nil && len(m.freezes) > 0 {
		f = m.freezes[0]
	}
	if f == nil || f.frozen == nil || !f.isComplete() || f.isRefused() {
		return nil
	}
	return f.rollbackTarget(m.opt.Ranks)
}

// checkFree refuses to map the region where somebody has something else: addresses of the program are in its memory, so it is the same place,
// or none.
func (m *manager) checkFree(c isomalloc.Config) error {
	for _, w := range m.workers {
		if !hasFree(w.hello.free(), c) {
			return occupied(c, fmt.Sprintf("worker %d", w.pe))
		}
	}
	if !m.opt.observed() || m.observer != nil {
		return nil
	}
	own, err := isomalloc.FreeRanges()
	if err == nil && !hasFree(own, c) {
		err = occupied(c, "ampirun itself, which +trace and +progress have look at it,")
	}
	return err
}

func hasFree(free []isomalloc.Range, c isomalloc.Config) bool {
	return slices.ContainsFunc(free, func(r isomalloc.Range) bool { return uint64(r.Lo) <= c.Base && c.Base+c.Size() <= uint64(r.Hi) })
}

func occupied(c isomalloc.Config, who string) error {
	return refusal.New(refusal.CodeUsage, "the memory of the job lay at %#x to %#x, and %s has something else there: addresses are chosen at random, so try again",
		c.Base, c.Base+c.Size(), who)
}
