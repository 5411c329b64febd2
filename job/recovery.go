package job

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"ampirun/vrank"
)

// The places that a job with a failed worker can go back to.
const (
	FTMemory = "memory" // the copy that the manager has
	FTDisk   = "disk"   // the newest checkpoint in Checkpoints.Dir
)

// FT is how a job outlives its workers.
type FT struct {
	Mode        string        // FTMemory or FTDisk
	Shrink      bool          // nobody takes the place of a worker that has failed
	MaxFailures int           // so many are made good
	Timeout     time.Duration // a worker that does not answer for so long has failed
}

// DefaultMaxFailures is what FT.MaxFailures is unless somebody says otherwise.
const DefaultMaxFailures = 10

// recovery makes failures of workers good.
type recovery struct {
	m        *manager
	failures int
	fault    string // the last one that a rank has died of, and where
	history  []recovered
	way      string // in which a worker has failed last; "": it may be anybody's doing
	from     point  // what was gone on from then
	repeats  int    // failures of that way from there
}

// point is what a job can go on from: the copy in memory, the checkpoint on the disk.
type point struct {
	copies uint32
	newest uint64
}

// mostRepeats is how often in a row the same failure may come back before anything new has been saved.
const mostRepeats = 3

// note counts a failure among those like it.
func (r *recovery) note(way string, from point) {
	if way == "" || way != r.way || from != r.from {
		r.way, r.from, r.repeats = way, from, 0
	}
	r.repeats++
}

var numbers = regexp.MustCompile(`\d+`)

// wayOf is what failures have in common that have the same cause. Kills from outside may come at any time, and mean nothing.
func wayOf(code int, err error) string {
	if code == 128+int(syscall.SIGKILL) && !strings.Contains(err.Error(), "CPU time") {
		return ""
	}
	return numbers.ReplaceAllString(firstLine(err), "N")
}

// recovered is a failure that was made good, or is being.
type recovered struct {
	what string
	when time.Time     // it was noticed
	took time.Duration // until ranks ran again; 0: they do not yet
}

// failed takes the end of a worker that should not have ended: others take its place, or the job ends with code and err. fault is what
// one of its ranks has died of, and where; "": it was not a rank's doing.
func (r *recovery) failed(code int, err error, fault string) {
	if r.m.renewer.current != nil {
		return // all are being replaced
	}
	if r.m.opt.FT != nil {
		r.note(wayOf(code, err), r.m.checkpointer.point())
	}
	why := r.isHopeless(fault)
	if why != "" {
		err = fmt.Errorf("%w\n%s", err, why)
	}
	if r.m.opt.FT == nil || why != "" || r.m.ending.hasBegun() {
		r.m.ending.giveUp(code, err)
		return
	}
	r.failures++
	r.fault = fault
	workers := r.m.opt.Workers
	if r.m.opt.FT.Shrink && workers > 1 {
		workers--
	}
	r.m.say([]string{fmt.Sprintf("%v; %s, with %d workers", firstLine(err), r.m.checkpointer.goingBack(), workers)})
	r.history = append(r.history, recovered{what: firstLine(err), when: time.Now()})
	r.m.renewer.renew(&renewal{workers: workers})
}

// isLost takes that a worker, whose process may live, is of no use any more.
func (r *recovery) isLost(w *worker, err error) {
	switch {
	case !slices.Contains(r.m.workers, w): // others have taken the place of those before
	case r.m.renewer.current == nil:
		r.failed(1, err, "")
	case r.m.renewer.isToLeave():
		r.m.renewer.failsToLeave(1, err)
	}
}

// isHopeless is why one more failure is not made good, for the user; "": it is, or nobody has asked for that.
func (r *recovery) isHopeless(fault string) string {
	ft, r := r.m.opt.FT, &r.m.recovery
	switch {
	case ft == nil:
		return ""
	case fault != "" && fault == r.fault:
		return "it has happened for the second time at the same place: that is the program's doing and no failure of a worker, so the job is not continued"
	case r.repeats >= mostRepeats:
		return fmt.Sprintf("it has happened %d times in a row, and the job had got no further than before: it would come back, so the job is not continued", r.repeats)
	case r.failures >= ft.MaxFailures:
		return fmt.Sprintf("%d failures have been made good before, and +ft-max-failures allows no more", r.failures)
	}
	return ""
}

// died takes a fault of a rank.
func (r *recovery) died(w *worker, e vrank.Event) {
	w.dies = e.Core
	var v verdict
	v.event(e)
	r.failed(v.code, v.err, fmt.Sprintf("rank %d, signal %d, %s", e.Rank, e.Signal, e.Place))
}

// isUnderWay tells whether the ranks stand still because of a failure.
func (r *recovery) isUnderWay() bool {
	n := len(r.history)
	return n > 0 && r.history[n-1].took == 0
}

// ended notes that ranks run again: after a failure, and after those that came before they did.
func (r *recovery) ended() {
	for i := len(r.history) - 1; i >= 0 && r.history[i].took == 0; i-- {
		r.history[i].took = time.Since(r.history[i].when)
	}
}

// print tells what failures there were.
func (r *recovery) print(out io.Writer) {
	for i, h := range r.history {
		if i == 0 {
			fmt.Fprintf(out, "\nrecovery/ms  from\n")
		}
		fmt.Fprintf(out, "%11.1f  %s\n", 1e3*h.took.Seconds(), h.what)
	}
}

// firstLine is the first line of an error.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
