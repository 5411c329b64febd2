package vrank

/*
#include "vrank/migrate/balance.h"
#include "vrank/migrate/move.h"
#include "vrank/p2p/traffic.h"

static int live(void) { return atomic_load(&vr_job->live); }
*/
import "C"

import (
	"fmt"
	"time"
)

// Sampler looks at all PEs and ranks of the job from one worker, while they run. One goroutine uses it, after Config.Started.
type Sampler struct {
	pes   []C.struct_vr_pe_sample
	ranks []C.struct_vr_rank_sample
	data  int64 // bytes of a rank's images that are its own; below 0 until that is known

	before     []C.struct_vr_rank_sample // what ranks had done before, which is not told; nil: nothing
	sentBefore map[[2]int64]Traffic      // likewise, by sender and receiver
}

// Sample is what can be seen of the job at one moment: sums since its beginning, in seconds.
type Sample struct {
	At    time.Time
	PEs   []PESample
	Ranks []RankSample
}

// PESample is what a PE has done so far.
type PESample struct {
	Idle      float64
	Moving    float64 // spent on ranks that go or come
	MoveSteps uint64  // how often one did
	Thread    int     // the kernel's number of its thread
}

// RankSample is what a rank has done so far. User falls when the program has its measuring begin anew.
type RankSample struct {
	User   float64
	Moves  uint64
	Sent   uint64 // messages
	PE     int    // that has it, or is about to
	Pinned bool
	Ended  bool
	Memory int64    // bytes that a copy of it would carry, about: what it has allocated, its stack, and the data of its images
	Goes   bool     // by itself, some time after it was ordered to
	Load   *float64 // what the program says its load is; nil: nothing
}

// NewSampler readies a sampler for this job.
func NewSampler(pes, ranks int) *Sampler {
	return &Sampler{pes: make([]C.struct_vr_pe_sample, pes), ranks: make([]C.struct_vr_rank_sample, ranks), data: -1}
}

// ownData is how much of each rank's images it has for itself, in bytes.
func (w *worker) ownData() (sum int64) {
	if w.sharesLibraries {
		return 0 // or the method would have to tell
	}
	for _, r := range w.program.Ranges() {
		if !r.Shared {
			sum += int64(r.Size)
		}
	}
	return sum
}

// Take takes a sample.
func (s *Sampler) Take() *Sample {
	if s.data < 0 {
		s.data = running.ownData()
	}
	C.vr_sample(&s.pes[0], &s.ranks[0])
	out := &Sample{At: time.Now(), PEs: make([]PESample, len(s.pes)), Ranks: make([]RankSample, len(s.ranks))}
	second := ticksPerSecond()
	for i := range s.pes {
		p := &s.pes[i]
		out.PEs[i] = PESample{Idle: float64(p.idle_ticks) / second, Moving: float64(p.move_ticks) / second, MoveSteps: uint64(p.move_steps), Thread: int(p.thread)}
	}
	for i := range s.ranks {
		r := &s.ranks[i]
		if s.before != nil {
			leaveOut(r, &s.before[i])
		}
		out.Ranks[i] = RankSample{User: float64(r.user_ticks) / second, Moves: uint64(r.moves), Sent: uint64(r.sent), PE: int(r.pe), Memory: int64(r.memory) + s.data,
			Pinned: r.flags&C.VR_SAMPLE_PINNED != 0, Ended: r.flags&C.VR_SAMPLE_ENDED != 0, Goes: r.flags&C.VR_SAMPLE_GOES != 0}
		if r.flags&C.VR_SAMPLE_SET != 0 {
			load := float64(r.load)
			out.Ranks[i].Load = &load
		}
	}
	return out
}

// leaveOut takes away what a rank had done before. Its time may have been measured anew since.
func leaveOut(r, before *C.struct_vr_rank_sample) {
	r.moves -= before.moves
	r.sent -= before.sent
	if r.user_ticks >= before.user_ticks {
		r.user_ticks -= before.user_ticks
	}
}

// Traffic is what one rank has sent another so far.
type Traffic struct{ From, To, Messages, Bytes int64 }

// TakeTraffic looks at who has sent how much to whom; nothing is known without Config.Traffic. Collective operations through shared
// memory are among it as ampi counts them.
func (s *Sampler) TakeTraffic() (all []Traffic) {
	s.EachTraffic(func(t Traffic) { all = append(all, t) })
	return all
}

// EachTraffic is TakeTraffic for those who need not have it all at once.
func (s *Sampler) EachTraffic(visit func(Traffic)) {
	peers := make([]C.struct_vr_peer, 64)
	for id := range s.ranks {
		r := C.vr_rank_of(C.int32_t(id))
		n := int(C.vr_traffic_read(r, &peers[0], C.int(len(peers))))
		if n > len(peers) {
			peers = make([]C.struct_vr_peer, 2*n)
			n = int(C.vr_traffic_read(r, &peers[0], C.int(len(peers))))
		}
		for _, p := range peers[:min(n, len(peers))] {
			was := s.sentBefore[[2]int64{int64(id), int64(p.rank)}]
			visit(Traffic{int64(id), int64(p.rank), int64(p.messages) - was.Messages, int64(p.bytes) - was.Bytes})
		}
	}
}

// OrderMove asks the worker that has a rank to send it to another. The rank stays where it is if it cannot move. Any goroutine.
func OrderMove(rank, pe int) error {
	failed := C.int(0)
	outside(func() { failed = C.vr_move_order(C.vr_rank_of(C.int32_t(rank)), C.int32_t(pe)) })
	if failed != 0 {
		return fmt.Errorf("move rank %d: the memory that the workers share is full", rank)
	}
	return nil
}

// Measure has all workers account time to ranks from now on. Any goroutine.
func Measure() { outside(func() { C.vr_measure_all() }) }

// AwaitStep waits for the program to ask for a step of balancing, for so long at most: the step's number, or 0. One goroutine of
// worker 0.
func AwaitStep(d time.Duration) uint32 { return uint32(C.vr_step_await(C.int64_t(d))) }

// FinishStep lets the ranks that asked for a step go on.
func FinishStep(step uint32) { outside(func() { C.vr_step_finish(C.uint32_t(step)) }) }

// JobEnds tells whether the PEs have been told to stop, or all ranks have ended. Any goroutine.
func JobEnds() bool { return isStopped() || C.live() == 0 }
