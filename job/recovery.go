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

// recovery is what the manager knows of the failures of its workers.
type recovery struct {
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
func (m *manager) failed(code int, err error, fault string) {
	if m.renewal != nil {
		return // all are being replaced
	}
	if m.opt.FT != nil {
		m.recovery.note(wayOf(code, err), m.checkpointer.point())
	}
	why := m.cannotRecover(fault)
	if why != "" {
		err = fmt.Errorf("%w\n%s", err, why)
	}
	if m.opt.FT == nil || why != "" || m.stage != stageRun {
		m.giveUp(code, err)
		return
	}
	m.recovery.failures++
	m.recovery.fault = fault
	workers := m.opt.Workers
	if m.opt.FT.Shrink && workers > 1 {
		workers--
	}
	m.say([]string{fmt.Sprintf("%v; %s, with %d workers", firstLine(err), m.checkpointer.goingBack(), workers)})
	m.recovery.history = append(m.recovery.history, recovered{what: firstLine(err), when: time.Now()})
	m.renew(&renewal{workers: workers})
}

// isLost takes that a worker, whose process may live, is of no use any more.
func (m *manager) isLost(w *worker, err error) {
	switch {
	case !slices.Contains(m.workers, w): // others have taken the place of those before
	case m.renewal == nil:
		m.failed(1, err, "")
	case m.isToLeave():
		m.failsToLeave(1, err)
	}
}

// cannotRecover is why one more failure is not made good, for the user; "": it is, or nobody has asked for that.
func (m *manager) cannotRecover(fault string) string {
	ft, r := m.opt.FT, &m.recovery
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
func (m *manager) died(w *worker, e vrank.Event) {
	w.dies = e.Core
	var v verdict
	v.event(e)
	m.failed(v.code, v.err, fmt.Sprintf("rank %d, signal %d, %s", e.Rank, e.Signal, e.Place))
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
