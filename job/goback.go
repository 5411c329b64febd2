package job

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ampirun/checkpoint"
	"ampirun/isomalloc"
	"ampirun/job/journal"
	"ampirun/vrank"
)

// note takes what belongs to the copy that has been made.
func (k *checkpointer) note(v *rollbackTarget) {
	if k.staysInMemory() {
		k.last, k.noted = v, time.Now()
		k.m.input.forget(v.read)
		if k.store == nil { // checkpoints on the disk need older notes
			k.journal.Forget(v.epoch)
		}
	}
}

// point is where the job would go back to now.
func (k *checkpointer) point() point { return point{k.total, k.newest()} }

// goingBack says where a job would go on from if a worker failed now.
func (k *checkpointer) goingBack() string {
	switch {
	case k.last != nil:
		return fmt.Sprintf("going on from %.1f s ago", time.Since(k.noted).Seconds())
	case k.isWriting() != nil:
		return fmt.Sprintf("going on from the checkpoint that is being written to %s", k.how.Dir)
	case k.newest() != 0:
		return fmt.Sprintf("going on from checkpoint %d in %s", k.newest(), k.how.Dir)
	case k.m.opt.Restart != nil:
		return fmt.Sprintf("restarting from checkpoint %d in %s", k.m.opt.Restart.Generation.Number, k.m.opt.Restart.Dir)
	}
	return "beginning anew, since nothing has been saved yet"
}

// isWriting is closed when the checkpoint that is being written is on the disk, or is known not to be; nil: none is.
func (k *checkpointer) isWriting() <-chan struct{} {
	if k == nil {
		return nil
	}
	return k.saved
}

// newest is the number of the last checkpoint on the disk that is this job's; 0: there is none.
func (k *checkpointer) newest() uint64 {
	if len(k.history) == 0 {
		return 0
	}
	return k.history[len(k.history)-1].Generation
}

// renewed notes that so many other workers follow, whose copies are counted anew. The copy itself may be made anew before.
func (k *checkpointer) renewed(workers int) {
	if k != nil {
		k.copied, k.pace.workers, k.differ = 0, workers, true
	}
}

// copyAgain brings the copy to what the region is. Workers were making it when one failed: then all of them stood still.
func (k *checkpointer) copyAgain(stood *rollbackTarget) filler {
	region := k.m.setup.region
	k.note(stood)
	return func() (*rollbackTarget, error) { return stood, k.snapshot.CopyFrom(region) }
}

// goBack brings the region to what it was at the last checkpoint. The workers that failed have completed so many copies; stood is what belongs to
// the last one, if they have not all told of it.
func (k *checkpointer) goBack(stood *rollbackTarget, copied uint32) filler {
	if copied > k.copied && stood != nil {
		k.note(stood)
	}
	region, last, restart := k.m.setup.region, k.last, k.m.opt.Restart
	if last != nil {
		return func() (*rollbackTarget, error) {
			return last, errors.Join(region.CopyFrom(k.snapshot.Region), k.restoreFiles(last))
		}
	}
	if len(k.history) > 0 {
		read := map[uint64]int64{}
		for _, s := range k.history {
			if s.was != nil {
				read[s.Generation] = s.was.read
			}
		}
		return func() (*rollbackTarget, error) {
			v, worse, err := restoreNewest(k.how.Dir, read, region)
			if err == nil {
				k.m.post(func() { k.passesBy(worse) })
				err = k.restoreFiles(v)
			}
			return v, err
		}
	}
	return func() (*rollbackTarget, error) {
		if err := errors.Join(region.Clear(), k.restoreFiles(nil)); err != nil || restart == nil {
			return nil, err
		}
		return restart.restore(region, k.m.sayLater)
	}
}

// letGo lets go of files that nobody needs who goes back; stood is what the job had at a freeze just now.
func (k *checkpointer) letGo(stood *rollbackTarget) {
	states := []journal.Files{k.last.open()}
	if !k.staysInMemory() {
		for _, s := range k.history {
			states = append(states, s.was.open())
		}
	}
	k.journal.Stood(stood.files, states...)
}

// restoreFiles makes the files as they were that ranks have opened since, or had open; nil: since the job began.
func (k *checkpointer) restoreFiles(v *rollbackTarget) error {
	said, err := k.journal.Restore(k.epoch(v), v.open())
	k.m.sayLater(said)
	return err
}

// epoch is the first one of what ranks have opened since the job was where it goes on from.
func (k *checkpointer) epoch(v *rollbackTarget) int {
	if v == nil || !v.isOurs {
		return k.journal.Begin().Epoch
	}
	return v.epoch
}

// retain takes what a worker gives to be retained.
func (k *checkpointer) retain(e vrank.Event) {
	if k == nil || k.m.opt.FT == nil {
		closeAll(e.FDs)
		return
	}
	if line := k.journal.Retain(e.Retained, e.FDs); line != "" {
		k.m.say([]string{line})
	}
}

// noting is what workers need to know of the journal that go on with a rollbackTarget.
func (k *checkpointer) noting(v *rollbackTarget) vrank.Journal {
	if k == nil {
		return vrank.Journal{}
	}
	return k.journal.ForWorkers(k.epoch(v))
}

// restoreNewest reads the newest checkpoint in a directory that is not damaged and one of those given, with their places in the job's input.
// It also gives what is wrong with those that are newer.
func restoreNewest(dir string, read map[uint64]int64, region *isomalloc.Region) (v *rollbackTarget, worse []*DamagedCheckpoint, err error) {
	store, err := checkpoint.View(dir)
	if err != nil {
		return nil, nil, err
	}
	numbers, err := store.Numbers()
	if err != nil {
		return nil, nil, err
	}
	for _, number := range slices.Backward(numbers) {
		place, isOurs := read[number]
		if !isOurs {
			continue
		}
		v, err := restoreGeneration(store, number, region)
		if err == nil {
			v.read, v.isOurs = place, true
			return v, worse, nil
		}
		worse = append(worse, &DamagedCheckpoint{number, err})
	}
	var all []error
	for _, w := range worse {
		all = append(all, fmt.Errorf("checkpoint %d: %w", w.Number, w.Err))
	}
	return nil, nil, fmt.Errorf("the job cannot go on from its checkpoints: %w", errors.Join(all...))
}

// passesBy says what is wrong with checkpoints that an older one was taken instead of, and remembers them.
func (k *checkpointer) passesBy(worse []*DamagedCheckpoint) {
	var lines []string
	for _, w := range worse {
		lines = append(lines, fmt.Sprintf("checkpoint %d: %v; going on from an older one", w.Number, w.Err))
		if harm := new(checkpoint.Damage); errors.As(w.Err, &harm) {
			k.damaged = append(k.damaged, w.Number)
		}
	}
	k.m.say(lines)
}

func restoreGeneration(store *checkpoint.Store, number uint64, region *isomalloc.Region) (*rollbackTarget, error) {
	if err := region.Clear(); err != nil {
		return nil, err
	}
	g, err := store.Generation(number)
	if err != nil {
		return nil, err
	}
	r, err := readRestart(store, g)
	if err != nil {
		return nil, err
	}
	v := r.rollbackTarget()
	v.epoch = r.was.Opened.Epoch
	return v, readMemory(g, region)
}
