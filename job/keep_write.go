package job

import (
	"fmt"
	"strings"
	"time"

	"ampirun/checkpoint"
	"ampirun/isomalloc"
)

// save writes what was copied. That stays, whatever the job goes back to: what differs from it the next time has changed. With list it asks the
// kernel what exists of it, which takes some milliseconds. Its own goroutine.
func (k *keeper) save(job *checkpoint.Job, list bool) (*checkpoint.Report, error) {
	began := time.Now()
	if err := k.identify(job); err != nil {
		return nil, err
	}
	c := k.shadow.Config()
	if list {
		ranges, err := k.view.AllExtents(k.exists)
		if err != nil {
			return nil, err
		}
		k.exists = ranges
	}
	extents := make([]checkpoint.Extent, len(k.exists))
	for i, r := range k.exists {
		extents[i] = checkpoint.Extent{Offset: uint64(r.Lo - c.Base), Length: r.Len()}
	}
	listing := time.Since(began)
	report, err := k.store.Save(job, shadowMemory{k.view.Memory(), k.shadow}, extents)
	if err != nil {
		return nil, err
	}
	report.Time += listing
	k.shadow.Forget(k.exists)
	return report, nil
}

// shadowMemory is a mapped shadow, which knows what has changed since Forget.
type shadowMemory struct {
	checkpoint.Memory
	shadow *isomalloc.Shadow
}

// HasChanged is for Save, so that it reads no more than it has to.
func (m shadowMemory) HasChanged(at, size uint64) bool { return m.shadow.HasChanged(at, size) }

// wrote takes the result of save.
func (k *keeper) wrote(f *freeze, report *checkpoint.Report, err error) {
	k.saved = nil
	switch {
	case err != nil:
		k.differ = true
		err = fmt.Errorf("checkpoint in %s failed: %w", k.how.Dir, err)
		k.m.say([]string{strings.ReplaceAll(err.Error(), "\n", "; ") + "; the job goes on, and what was saved before is kept"})
	default:
		k.told = false
		k.pace.written()
		k.history = append(k.history, Saved{f.pause(), time.Now(), f.read, f.epoch(), *report})
		k.forgetNotes()
		k.buddy.offer(report)
		k.m.say(report.Warnings)
	}
	k.finish(err)
}

// forgetNotes removes notes of opened files that only older checkpoints than there are would need.
func (k *keeper) forgetNotes() {
	numbers, err := k.store.Numbers()
	if err != nil || len(numbers) == 0 {
		return
	}
	for _, s := range k.history {
		if s.Generation == numbers[0] {
			k.opened.forget(k.how.Dir, s.epoch)
		}
	}
}
