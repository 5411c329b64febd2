package job

import (
	"time"

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

// renewer does that, for all who want other workers.
type renewer struct {
	m       *manager
	current *renewal      // that is under way, until the new workers are started
	scaled  []func(error) // to be told when they run
}

// renew begins a renewal. Workers that do not leave by themselves are ended.
func (n *renewer) renew(r *renewal) {
	r.began = time.Now()
	n.current = r
	if n.m.setup.resolved {
		n.m.reap()
	}
	if n.m.freezer.halted == nil {
		n.m.workerGroup.kill()
	}
	n.replaceWhenGone()
}

// isToLeave tells whether workers leave by themselves, and none of them has failed to.
func (n *renewer) isToLeave() bool { return n.m.freezer.halted != nil && n.current.failed == nil }

// failsToLeave ends the others when one has died, or stopped, instead of leaving. When they have gone that is a failure like any other.
func (n *renewer) failsToLeave(code int, err error) {
	r := n.current
	r.failed = func() {
		n.m.opt.Workers, n.scaled, n.current = r.workers, append(n.scaled, r.renewed), nil
		n.m.recovery.failed(code, err, "")
	}
	n.m.workerGroup.kill()
}

// replaceWhenGone replaces the workers once nothing of the old ones is left: their processes, those of their ranks, what they have written.
func (n *renewer) replaceWhenGone() {
	c := n.m.workerGroup
	if !c.isGone() || n.m.ending.hasBegun() {
		return
	}
	if failed := n.current.failed; failed != nil {
		failed()
		return
	}
	c.dismiss()
	n.m.observer.pause()
	go func() {
		n.m.killOrphans()
		c.readers.Wait()
		c.memory.Wait()
		n.m.post(n.replace)
	}()
}

// replace starts the new workers, and meanwhile makes the memory of the job fit for them.
func (n *renewer) replace() {
	r := n.current
	if n.m.ending.hasBegun() {
		return
	}
	if saved := n.m.checkpointer.isWriting(); saved != nil && n.needsDisk() {
		go func() {
			<-saved
			n.m.post(n.replace)
		}()
		return
	}
	var fill filler
	if n.m.setup.region != nil {
		fill = n.goOnFrom()
	}
	if len(n.m.freezer.queue) > 0 {
		n.m.freezer.queue[0].frozen = nil // the new workers have not stood still
	}
	n.m.workerGroup.close()
	n.m.freezer.halted, n.m.waiting, n.current = nil, 0, nil
	n.m.opt.Workers = r.workers
	n.m.checkpointer.renewed(r.workers)
	n.m.workerGroup = newWorkerGroup(r.workers)
	if r.renewed != nil {
		n.scaled = append(n.scaled, r.renewed)
	}
	if fill != nil {
		n.m.setup.fill(fill)
	}
	if err := n.m.startWorkers(); err != nil {
		n.m.ending.giveUp(1, err)
		return
	}
	if fill == nil && n.m.setup.resolved { // the job has not begun
		n.m.reap()
		n.m.ready = true
	}
}

// runs notes that the ranks of a job run, for the first time or again.
func (n *renewer) runs() {
	n.m.observer.resume(n.m.opt.Workers)
	n.m.recovery.ended()
	scaled := n.scaled
	n.scaled = nil
	for _, done := range scaled {
		done(nil)
	}
}

// filler puts the memory of a job into the region, and gives what the job goes on with besides; nil: it begins.
type filler func() (*rollbackTarget, error)

// needsDisk tells whether the next workers go on with a checkpoint on the disk, if there is one: with one that is being written at the latest, for
// those that were made before belong to another past once the job goes on from an older one.
func (n *renewer) needsDisk() bool {
	if n.m.setup.region == nil || n.m.checkpointer.last != nil {
		return false
	}
	state, err := vrank.ReadFreezeState(n.m.setup.region)
	return err == nil && !state.Whole
}

// goOnFrom decides what the next workers go on with: the region as it is, when its ranks stood still, or an earlier state of it.
func (n *renewer) goOnFrom() filler {
	k, back, stood := n.m.checkpointer, n.m.setup.rollbackTarget, n.m.freezer.stoodStill()
	state, err := vrank.ReadFreezeState(n.m.setup.region)
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
