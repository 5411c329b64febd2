package vrank

/*
#include "vrank/core/job.h"
#include "vrank/core/timeline.h"
#include "vrank/migrate/balance.h"

static int is_started(const void *control)
{
	const struct vr_job *job = control;
	return ((volatile const struct vr_job *)job)->magic == VR_JOB_MAGIC && atomic_load(&job->started) == job->pes;
}
static const struct vr_timeline *timeline_of(int pe) { return vr_job->pe[pe].timeline; }
static void look_at(void *control) { vr_job = control; }
*/
import "C"

import (
	"fmt"
	"time"

	"ampirun/isomalloc"
)

// Observer looks at a job from a process that runs none of its ranks: it sees what the workers' memory says, also when they have ended.
// There is one in a process; one goroutine uses it.
type Observer struct {
	*Sampler
	region *isomalloc.Region
	buffer []C.struct_vr_moment
}

// MomentKind says what a moment is about.
type MomentKind int

// The kinds of moments.
const (
	MomentRun      MomentKind = C.VR_MOMENT_RUN      // Rank ran
	MomentIdle     MomentKind = C.VR_MOMENT_IDLE     // there was nothing to run
	MomentMany     MomentKind = C.VR_MOMENT_MANY     // Amount runs of Busy ticks in all, and what was between them
	MomentSent     MomentKind = C.VR_MOMENT_SENT     // Rank sent Amount bytes to rank Peer
	MomentReceived MomentKind = C.VR_MOMENT_RECEIVED // Rank has the message of the same Flow
	MomentLeft     MomentKind = C.VR_MOMENT_LEFT     // Rank goes to PE Peer; Flow is how often it has moved before
	MomentCame     MomentKind = C.VR_MOMENT_CAME     // it is here, on Peer
)

// Moment is something that a PE did. Times are in ticks, see Observer.Ticks.
type Moment struct {
	Kind       MomentKind
	At, Length uint64
	Busy, Flow uint64
	Amount     int64
	Rank, Peer int
	Fn         int // of a run: number of the MPI function in which the rank then waited; -1: none
}

// Observe maps the region of a job, whose descriptor it takes over. Seen can be only what PEs have said after Started.
func Observe(fd int, layout isomalloc.Config, pes int) (*Observer, error) {
	region, err := isomalloc.Attach(fd, layout)
	if err != nil {
		return nil, fmt.Errorf("map the region: %w", err)
	}
	o := &Observer{Sampler: NewSampler(pes, layout.Slices), region: region, buffer: make([]C.struct_vr_moment, 1024)}
	o.data = 0 // images are the workers' to know
	return o, nil
}

// Started tells whether the ranks of all workers exist. Nothing else may be called before it has said so.
func (o *Observer) Started() bool {
	control := at(o.region.Base() + privateSize)
	if C.is_started(control) == 0 {
		return false
	}
	C.look_at(control)
	return true
}

// ForgetPast has all that is told from now on be about what ranks do from now on: the region holds a job that was saved, and is about to go on.
func (o *Observer) ForgetPast() {
	C.look_at(at(o.region.Base() + privateSize))
	defer C.look_at(nil)
	before := NewSampler(int(C.vr_job.pes), len(o.ranks))
	C.vr_sample(&before.pes[0], &before.ranks[0])
	o.before = before.ranks
	o.sentBefore = map[[2]int64]Traffic{}
	before.EachTraffic(func(t Traffic) { o.sentBefore[[2]int64{t.From, t.To}] = t })
}

// Began is when all ranks existed, in ticks.
func (o *Observer) Began() uint64 { return uint64(C.vr_job.began_at) }

// Renew notes that the job has other workers, so many, and has not Started.
func (o *Observer) Renew(pes int) {
	o.Sampler = NewSampler(pes, o.region.Config().Slices)
	o.data = 0
}

// Ticks reads the time-stamp counter, whose frequency is not exactly known.
func (o *Observer) Ticks() uint64 { return uint64(C.vr_ticks()) }

// TickTime is about how long n ticks are.
func (o *Observer) TickTime(n uint64) time.Duration {
	return time.Duration(float64(n) / ticksPerSecond() * float64(time.Second))
}

// Moments takes what a PE has recorded since it was last asked, in the order of its ends.
func (o *Observer) Moments(pe int, visit func(*Moment)) {
	for n := len(o.buffer); n == len(o.buffer); {
		n = int(C.vr_timeline_read(C.int(pe), &o.buffer[0], C.int(len(o.buffer))))
		o.visit(n, visit)
	}
}

// Rest takes what a PE that has ended was in the middle of, until `now`.
func (o *Observer) Rest(pe int, now uint64, visit func(*Moment)) {
	o.visit(int(C.vr_timeline_rest(C.int(pe), C.uint64_t(now), &o.buffer[0])), visit)
}

// visit leaves out what makes no sense: workers may write anything into their memory.
func (o *Observer) visit(n int, visit func(*Moment)) {
	pes, ranks := int(C.vr_job.pes), int(C.vr_job.ranks)
	for _, m := range o.buffer[:n] {
		v := Moment{Kind: MomentKind(m.kind), At: uint64(m.at), Length: uint64(m.length), Flow: uint64(m.flow), Amount: int64(m.amount),
			Rank: int(m.rank), Peer: int(m.peer), Fn: int(m.fn)}
		hasRank := v.Rank >= 0 && v.Rank < ranks
		switch v.Kind {
		case MomentIdle:
		case MomentMany:
			v.Busy, v.Flow = v.Flow, 0
		case MomentRun, MomentReceived:
			if !hasRank {
				continue
			}
		case MomentSent:
			if !hasRank || v.Peer < 0 || v.Peer >= ranks {
				continue
			}
		case MomentLeft, MomentCame:
			if !hasRank || v.Peer < 0 || v.Peer >= pes {
				continue
			}
		default:
			continue
		}
		visit(&v)
	}
}

// Unrecorded is what the limits of the timeline left out: messages; and moves, for which there was no room.
func (o *Observer) Unrecorded(pe int) (messages, moves uint64) {
	t := C.timeline_of(C.int(pe))
	return uint64(t.unrecorded), uint64(t.lost)
}

// Close ends the looking.
func (o *Observer) Close() error {
	C.look_at(nil)
	return o.region.Close()
}
