package job

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"ampirun/checkpoint"
	"ampirun/isomalloc"
)

// save writes what was copied. That stays, whatever the job goes back to: what differs from it the next time has changed. Its own goroutine.
func (k *keeper) save(job *checkpoint.Job) (*checkpoint.Report, error) {
	began := time.Now()
	if err := k.identify(job); err != nil {
		return nil, err
	}
	c := k.shadow.Config()
	ranges, err := k.shadow.Extents(c.Base, c.Base+uintptr(c.Size()))
	if err != nil {
		return nil, err
	}
	extents := make([]checkpoint.Extent, len(ranges))
	for i, r := range ranges {
		extents[i] = checkpoint.Extent{Offset: uint64(r.Lo - c.Base), Length: r.Len()}
	}
	report, err := k.store.Save(job, k.memory, extents)
	if err != nil {
		return nil, err
	}
	report.Time = time.Since(began)
	k.shadow.Forget(ranges)
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
		err = fmt.Errorf("checkpoint in %s failed: %w", k.how.Dir, err)
		k.sayFailed(err)
	default:
		k.told, k.failed = false, ""
		k.pace.written()
		k.history = append(k.history, Saved{f.pause(), time.Now(), f.read, f.epoch(), *report})
		k.forgetNotes()
		k.buddy.offer(report)
		k.m.say(report.Warnings)
	}
	k.finish(err)
	if then := k.then; then != nil {
		k.then = nil
		then()
	}
}

// sayFailed says why nothing was written: once for each reason until something is again, and whenever somebody has asked.
func (k *keeper) sayFailed(err error) {
	why := err.Error()
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		why = errno.Error() // on the next file that has no room, too
	}
	if why != k.failed || len(k.asked) > 0 {
		k.m.say([]string{strings.ReplaceAll(err.Error(), "\n", "; ") + "; the job goes on, and what was saved before is kept"})
	}
	k.failed = why
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
