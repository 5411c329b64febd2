package vrank

/*
#include "vrank/core/park.h"
#include "vrank/core/schedule.h"

static void spin_set(_Bool spins) { atomic_store(&vr_pe->spins, spins); }
static int spin_is_over(void) { return !atomic_load(&vr_job->live) || atomic_load(&vr_job->stop); }
*/
import "C"

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	stdstrings "strings"
	"time"

	"ampirun/internal/unwind"
)

// A loop that only looks at a variable calls nothing that could be counted. Its registers and its stack tell: they are as they have been before,
// again and again, which in a computation they are not.

const (
	spinSamples = 8 // of a look
	spinMost    = spinSamples / 4
	spinStates  = 64 // that a loop may go through

	spinPatience = time.Second // with a PE that gets no processor
)

// spinWatch knows what states the PE has been found in.
type spinWatch struct{ seen map[uint64]bool }

// look takes samples. Does the PE do over and over the same?
func (s *spinWatch) look(sample func() (state uint64, ok bool)) bool {
	if len(s.seen) > spinStates || s.seen == nil {
		s.seen = map[uint64]bool{}
	}
	before := len(s.seen)
	for range spinSamples {
		state, ok := sample()
		if !ok {
			s.seen = nil
			return false
		}
		s.seen[state] = true
	}
	return len(s.seen)-before <= spinMost
}

// watchForSpin tells watchForStall about this worker's PE.
func (w *worker) watchForSpin(limit time.Duration) {
	pause := limit / stallLooks
	own := fmt.Sprintf("/proc/self/task/%d/stat", int(C.vr_pe.thread))
	var watch spinWatch
	seed := maphash.MakeSeed()
	sample := func() (uint64, bool) {
		time.Sleep(pause / (4 * spinSamples))
		return w.stateOfPE(seed)
	}
	for before := lookAtPE(w.cfg.PE); C.spin_is_over() == 0; {
		time.Sleep(pause / 2)
		now := lookAtPE(w.cfg.PE)
		if now.thread == before.thread && now.switches == before.switches {
			continue // it has had no processor
		}
		C.spin_set(C._Bool(now.runs(&before) && isRunning(own) && watch.look(sample)))
		before = now
	}
}

// stateOfPE sums up the registers and the uppermost part of the stack of the rank that runs; false when none does.
func (w *worker) stateOfPE(seed maphash.Seed) (state uint64, ok bool) {
	tracing.Lock()
	defer tracing.Unlock()
	if !parkPE(spinPatience) {
		return 0, false
	}
	defer releasePE()
	regs := parkedRegisters()
	var h maphash.Hash
	h.SetSeed(seed)
	binary.Write(&h, binary.LittleEndian, regs)
	binary.Write(&h, binary.LittleEndian, uint64(C.vr_park_vectors))
	const redZone = 128
	top := regs[unwind.RSP] - redZone
	for memory, end := newPeeker(), top&^(page-1)+2*page; top < end; top = top&^(page-1) + page {
		part := make([]byte, page-top%page)
		memory.read(top, part) // behind the stack's end there is nothing
		h.Write(part)
	}
	return h.Sum64(), regs[unwind.RSP] != 0
}

// isRunning reads the state of proc_pid_stat(5): on a processor or waiting for one. A system call is not disturbed, since not all are repeated.
func isRunning(path string) bool {
	text, _ := ReadProc(path)
	return stdstrings.HasPrefix(text[max(stdstrings.LastIndexByte(text, ')'), 0):], ") R")
}
