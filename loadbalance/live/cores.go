package live

import (
	"fmt"

	"ampirun/vrank"
)

// look is what was seen at one moment: of ranks, and of what the kernel gave to their PEs.
type look struct {
	*vrank.Sample
	schedules []Schedule
}

func (b *balancer) look() *look { return takeLook(b.job, b.Schedule) }

// takeLook looks at a job; schedule may be nil.
func takeLook(job interface{ Take() *vrank.Sample }, schedule func(thread int) Schedule) *look {
	l := &look{job.Take(), nil}
	l.schedules = make([]Schedule, len(l.PEs))
	for p := range l.PEs {
		if schedule != nil {
			l.schedules[p] = schedule(l.PEs[p].Thread)
		}
	}
	return l
}

// Schedule is how long a thread was on a core, and how long it waited for one, in nanoseconds.
type Schedule struct{ Ran, Waited float64 }

// leastShare bounds what a crowded core makes of a PE's speed.
const leastShare = 0.05

// leastRun is the time on a core below which a share would be chance, in nanoseconds.
const leastRun = 2e6

// share is the part of a core that a thread got of the time that it wanted one.
func share(from, to Schedule) float64 {
	ran, waited := to.Ran-from.Ran, to.Waited-from.Waited
	if ran < leastRun || waited < 0 {
		return 1
	}
	return max(leastShare, ran/(ran+waited))
}

// ReadSchedule asks Linux about a thread; zeroes where that does not tell.
func ReadSchedule(thread int) (s Schedule) {
	text, err := vrank.ReadProc(fmt.Sprintf("/proc/%d/schedstat", thread))
	if err == nil {
		fmt.Sscan(text, &s.Ran, &s.Waited)
	}
	return s
}
