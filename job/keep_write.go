package job

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"syscall"
	"time"

	"ampirun/checkpoint"
	"ampirun/isomalloc"
)

// save writes what was copied. That stays, whatever the job goes back to: what differs from it the next time has changed. With list it asks the
// kernel what exists of it, which takes some milliseconds. Its own goroutine.
func (k *checkpointer) save(job *checkpoint.Job, list bool) (*checkpoint.Report, error) {
	began := time.Now()
	if err := k.identify(job); err != nil {
		return nil, err
	}
	c := k.snapshot.Config()
	if list {
		ranges, err := k.view.AllExtents(k.exists)
		if err != nil {
			return nil, err
		}
		k.exists = ranges
	}
	extents := make([]checkpoint.Extent, len(k.exists))
	for i, r := range k.exists {
		extents[i] = checkpoint.Extent{Offset: uint64(r.Lo) - c.Base, Length: r.Len()}
	}
	listing := time.Since(began)
	report, err := k.store.Save(job, snapshotMemory{k.view.Memory(), k.snapshot}, extents)
	if err != nil {
		return nil, err
	}
	report.Time += listing
	k.snapshot.Forget(k.exists)
	return report, nil
}

// snapshotMemory is a mapped snapshot, which knows what has changed since Forget.
type snapshotMemory struct {
	checkpoint.Memory
	snapshot *isomalloc.Snapshot
}

// HasChanged is for Save, so that it reads no more than it has to.
func (m snapshotMemory) HasChanged(at, size uint64) bool { return m.snapshot.HasChanged(at, size) }

// wrote takes the result of save.
func (k *checkpointer) wrote(was *rollbackTarget, pause float64, report *checkpoint.Report, err error) {
	k.saved = nil
	switch {
	case err != nil:
		k.differ = true
		err = fmt.Errorf("checkpoint in %s failed: %w", k.how.Dir, err)
		k.sayFailed(err)
	default:
		k.told, k.failed = false, ""
		k.pace.written()
		k.history = append(k.history, Saved{pause, time.Now(), was, *report})
		k.forget()
		k.buddy.offer(report)
		k.m.say(report.Warnings)
	}
	k.finish(err)
}

// sayFailed says why nothing was written: once for each reason until something is again, and whenever somebody has asked.
func (k *checkpointer) sayFailed(err error) {
	why := err.Error()
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		why = errno.Error() // on the next file that has no room, too
	}
	if why != k.failed || len(k.asked) > 0 {
		k.m.say([]string{strings.ReplaceAll(err.Error(), "\n", "; ") + "; the job goes on" + k.whatIsKept()})
	}
	k.failed = why
}

// whatIsKept says what is left of the checkpoints that were made.
func (k *checkpointer) whatIsKept() string {
	numbers, err := k.store.Numbers()
	switch {
	case err == nil && len(numbers) > 0:
		return ", and what was saved before is kept"
	case len(k.history) > 0:
		return ", but the checkpoints that were made are not there any more"
	}
	return ""
}

// forget drops what only older checkpoints than there are would need: notes of opened files, input, and what else belonged to them.
func (k *checkpointer) forget() {
	numbers, err := k.store.Numbers()
	if err != nil || len(numbers) == 0 {
		return
	}
	first := int64(math.MaxInt64) // that is read again after going back to any of them
	for i := range k.history {
		s := &k.history[i]
		if !slices.Contains(numbers, s.Generation) {
			s.was = nil
		}
		if s.was != nil && s.Generation == numbers[0] {
			k.journal.Forget(s.was.epoch)
		}
		if s.was != nil {
			first = min(first, s.was.read)
		}
	}
	if first < math.MaxInt64 && !k.staysInMemory() {
		k.m.input.forget(first)
	}
}
