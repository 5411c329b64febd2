package vrank

/*
#include "vrank/core/schedule.h"

#define LOOK(x) (*(const volatile __typeof__(x) *)&(x))

struct pe_look { uint64_t switches; int32_t is_idle, spins, thread; };

// What only grows when something has come of what a PE or a rank does. Reads what other workers write.
static uint64_t stall_deeds(void)
{
	uint64_t sum = atomic_load(&vr_job->live);
	for (int i = 0; i < vr_job->pes; i++)
		sum += LOOK(vr_job->pe[i].blocks);
	for (int i = 0; i < vr_job->ranks; i++) {
		const struct vr_rank *r = vr_rank_of(i);
		sum += LOOK(r->counters.sent) + LOOK(r->counters.received) + LOOK(r->counters.written[0]) + LOOK(r->counters.written[1]);
	}
	return sum;
}

// Does a rank sleep for longer than loops do that look for something in between, or wait for a child?
static int stall_will_go_on(int64_t nanoseconds)
{
	int64_t until = vr_now() + nanoseconds;
	for (int i = 0; i < vr_job->ranks; i++) {
		const struct vr_rank *r = vr_rank_of(i);
		uint32_t state = atomic_load(&r->context.state);
		if (state != VR_ENDED && (LOOK(r->children) || (state == VR_SLEEPING && LOOK(r->context.wake_at) > until)))
			return 1;
	}
	return 0;
}

static struct pe_look stall_look(int i)
{
	const struct vr_pe *pe = &vr_job->pe[i];
	return (struct pe_look){LOOK(pe->switches), LOOK(pe->idle_since) != 0, atomic_load(&pe->spins), LOOK(pe->thread)};
}

static uint32_t stall_freezes(void) { return atomic_load(&vr_job->freeze.done); }
static int stall_has_ended(void) { return !atomic_load(&vr_job->live) || atomic_load(&vr_job->stop); }
*/
import "C"

import (
	"fmt"
	"strconv"
	stdstrings "strings"
	"time"
)

// A stall is a job of which nothing has come for a time, although it is not certain that nothing can. It is looked for by one goroutine of one
// worker, now and then, in what the PEs and the kernel count anyway, so that nothing is paid for it where ranks run.

// stallLooks is how many looks in a row find nothing until that is called a stall.
const stallLooks = 12

// longSleep is a sleep behind which there is a purpose other than to look for something again.
const longSleep = 5 * time.Second

// userHZ is how many ticks of processor time the kernel counts in a second.
const userHZ = 100

// peLook is what has been seen of a PE and its worker's process, as sums since it began.
type peLook struct {
	switches       uint64
	idle           bool
	spins          bool   // its rank computes nothing: watchForSpin
	thread, others uint64 // ticks of processor time: of the PE's thread, and of the process's others
	bytes          uint64 // that the PE's thread has read and written by system calls; others serve the runtime as well
}

// stallWatch compares one look with the one before.
type stallWatch struct {
	deeds   uint64
	freezes uint32
	pes     []peLook
}

// watchForStalls begins to watch.
func (w *worker) watchForStalls() {
	go w.watchForSpin(w.cfg.Stall)
	if w.cfg.PE == 0 {
		go w.watchForStall(w.cfg.Stall)
	}
}

// watchForStall reports the first stall of the job.
func (w *worker) watchForStall(limit time.Duration) {
	pause := limit / stallLooks
	watch := stallWatch{pes: make([]peLook, w.cfg.PEs)}
	watch.progress(pause)
	for in := 0; in < stallLooks; in++ {
		time.Sleep(pause)
		if C.stall_has_ended() != 0 {
			return
		}
		if watch.progress(pause) {
			in = -1
		}
	}
	w.send(Event{Kind: EventStalled, Rank: -1, Text: w.stallReport()})
}

// progress looks again. Is there anything new, or anything that will be without a message?
func (s *stallWatch) progress(pause time.Duration) bool {
	deeds, freezes := uint64(C.stall_deeds()), uint32(C.stall_freezes())
	found := deeds != s.deeds || C.stall_will_go_on(C.int64_t(longSleep)) != 0
	wasFrozen := freezes != s.freezes // saving a job reads much
	s.deeds, s.freezes = deeds, freezes
	for i := range s.pes {
		now := lookAtPE(i)
		found = now.worked(&s.pes[i], pause, !wasFrozen) || found
		s.pes[i] = now
	}
	return found
}

// worked: has a rank computed all the time, have its threads, or has the process read or written?
func (p *peLook) worked(before *peLook, pause time.Duration, heedBytes bool) bool {
	most := uint64(pause.Seconds() * userHZ)
	return p.runs(before) && !p.spins || p.others > before.others+max(1, most/5) || heedBytes && p.bytes != before.bytes
}

// runs: have ranks had the PE for long, one after the other? Those that look for something by calls have it for microseconds.
func (p *peLook) runs(before *peLook) bool {
	const turns = 4 // in a tick
	spent := p.thread - before.thread
	return !p.idle && p.thread > before.thread && p.switches-before.switches <= turns*spent
}

func lookAtPE(pe int) peLook {
	c := C.stall_look(C.int(pe))
	thread := int(c.thread)
	p := peLook{switches: uint64(c.switches), idle: c.is_idle != 0, spins: c.spins != 0}
	p.thread = processorTime(fmt.Sprintf("/proc/%d/task/%d/stat", thread, thread))
	p.others = processorTime(fmt.Sprintf("/proc/%d/stat", thread))
	p.others -= min(p.thread, p.others)
	p.bytes = bytesMoved(fmt.Sprintf("/proc/%d/task/%d/io", thread, thread))
	return p
}

// processorTime reads the two sums of proc_pid_stat(5) behind the name, which may hold anything.
func processorTime(path string) (sum uint64) {
	text, _ := ReadProc(path) // of a process that may be gone
	_, behind, _ := stdstrings.Cut(text[max(stdstrings.LastIndexByte(text, ')'), 0):], " ")
	fields := stdstrings.Fields(behind)
	for i := 11; i < 13 && i < len(fields); i++ {
		n, _ := strconv.ParseUint(fields[i], 10, 64)
		sum += n
	}
	return sum
}

// bytesMoved reads proc_pid_io(5).
func bytesMoved(path string) uint64 {
	var read, written uint64
	text, _ := ReadProc(path)
	fmt.Sscanf(text, "rchar: %d\nwchar: %d", &read, &written)
	return read + written
}
