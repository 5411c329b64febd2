package job

import (
	"fmt"
	"io"
	"time"

	"ampirun/internal/human"
	"ampirun/job/control"
)

// pauses is what is known of times that the job stood still, in seconds.
type pauses struct {
	count              int
	last, sum, longest float64
}

func (p *pauses) add(pause float64) {
	p.count++
	p.last, p.sum, p.longest = pause, p.sum+pause, max(p.longest, pause)
}

// print tells what was saved, and how often that was best.
func (k *checkpointer) print(out io.Writer) {
	if k == nil {
		return
	}
	if len(k.history) > 0 {
		fmt.Fprintf(out, "\ncheckpoint  pause/ms  until safe/ms  pages  written/MiB%s\n", k.buddy.title())
	}
	for _, s := range k.history {
		fmt.Fprintf(out, "%-10d  %8.1f  %13.1f  %5d  %11.1f%s\n", s.Generation, 1e3*s.Pause, 1e3*s.Time.Seconds(), s.Pages, float64(s.Bytes)/(1<<20),
			k.buddy.row(s.Generation))
	}
	if p := k.copies; p.count > 0 {
		fmt.Fprintf(out, "copies in memory: %d, pause %.1f ms on average, %.1f ms at most\n", p.count, 1e3*p.sum/float64(p.count), 1e3*p.longest)
	}
	k.pace.print(out)
}

// status is what has been saved on the disk; nil where nothing is.
func (k *checkpointer) status() *control.CheckpointStatus {
	if !k.writes() {
		return nil
	}
	s := &control.CheckpointStatus{Dir: k.how.Dir, Every: k.pace.interval().Seconds(), OnTerm: k.how.OnTerm, Made: len(k.history), Saving: k.busy}
	s.Buddy = k.buddy.status()
	if last := k.lastSaved(); s.Made > 0 {
		s.Last = &control.SavedCheckpoint{Number: last.Generation, When: last.When, Pause: last.Pause, Safe: last.Time.Seconds(), Written: last.Bytes}
	}
	return s
}

// statusOfCopy is what there is in memory to go on from; nil where nobody would.
func (k *checkpointer) statusOfCopy() *control.CopyStatus {
	if !k.staysInMemory() {
		return nil
	}
	s := &control.CopyStatus{Every: k.pace.interval().Seconds(), Made: k.copies.count, Pause: k.copies.last}
	if k.last != nil {
		age := time.Since(k.noted).Seconds()
		s.Age = &age
	}
	return s
}

// status is what has become of failures; nil where nobody makes them good.
func (r *recovery) status() *control.FTStatus {
	ft := r.m.opt.FT
	if ft == nil {
		return nil
	}
	s := &control.FTStatus{Mode: ft.Mode, Copy: r.m.checkpointer.statusOfCopy(), Shrink: ft.Shrink, MaxFailures: ft.MaxFailures, Failures: []control.FailureStatus{}}
	for _, h := range r.history {
		s.Failures = append(s.Failures, control.FailureStatus{What: h.what, When: h.when, Took: h.took.Seconds()})
	}
	return s
}

// lastSaved is the newest checkpoint; the zero value where there is none.
func (k *checkpointer) lastSaved() (last Saved) {
	if n := len(k.history); n > 0 {
		last = k.history[n-1]
	}
	return last
}

// tellLast describes what was saved last, for the user.
func (k *checkpointer) tellLast() string {
	pause := func(seconds float64) string { return human.Time(time.Duration(seconds * float64(time.Second))) }
	if !k.writes() {
		return fmt.Sprintf("copy %d in memory: the ranks stood still for %s", k.copies.count, pause(k.copies.last))
	}
	s := k.lastSaved()
	return fmt.Sprintf("checkpoint %d: the ranks stood still for %s, safe after %s, %s written", s.Generation, pause(s.Pause), human.Time(s.Time), human.Bytes(s.Bytes))
}
