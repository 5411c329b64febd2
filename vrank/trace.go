package vrank

import (
	"fmt"
	"slices"
	"time"

	"ampirun/internal/unwind"
)

// Trace says where the ranks of one worker are, without names: File and Address of a Place are for whoever has the time to look
// symbols up.
type Trace struct {
	PE      int
	Files   [][]byte // paths; "" is the worker's own program
	Stacks  []Stack
	Handles bool   // a rank of this worker has a handler for SIGUSR1
	Problem string // why there are no stacks
	Unasked bool   // the worker was asked by a signal, not by the manager
}

// Stack is where ranks are that are at the same place.
type Stack struct {
	Ranks  []int
	State  string   // of all of them: "waits in MPI_Recv"
	Notes  []string // what each of them waits for, in the order of Ranks; "" for nothing to say
	Places []Place  // from the innermost call on
}

// Place is an address of a file, inside of the instruction meant.
type Place struct {
	File    int // index in Files; -1: in none
	Address uint64
}

// maxFrames bounds what is kept of one stack.
const maxFrames = 200

// add puts a rank to those that are at the same place, if there are any.
func (t *Trace) add(rank int, state, note string, places []Place) {
	for i := range t.Stacks {
		s := &t.Stacks[i]
		if s.State == state && slices.Equal(s.Places, places) {
			s.Ranks, s.Notes = append(s.Ranks, rank), append(s.Notes, note)
			return
		}
	}
	t.Stacks = append(t.Stacks, Stack{[]int{rank}, state, []string{note}, places})
}

// file returns the index of a path.
func (t *Trace) file(path string) int {
	for i, f := range t.Files {
		if string(f) == path {
			return i
		}
	}
	t.Files = append(t.Files, []byte(path))
	return len(t.Files) - 1
}

// parkTime is how long a PE may take to stand still; stepTime, after which it is seen whether it has left its loop meanwhile.
const (
	parkTime = 10 * time.Second
	stepTime = 50 * time.Millisecond
)

// TakeTrace has the PE stand still for a moment and says where its ranks are. Any goroutine but the PE's.
func TakeTrace() *Trace {
	tracing.Lock()
	defer tracing.Unlock()
	w := running
	if w == nil || !w.placed.Load() {
		return &Trace{Problem: "has not started its ranks yet"}
	}
	t := &Trace{PE: w.cfg.PE, Handles: handlesUserSignal()}
	for until := time.Now().Add(parkTime); time.Now().Before(until); {
		if w.quiet.Load() {
			w.trace(t, unwind.Registers{})
			return t
		}
		if parkPE(stepTime) {
			w.trace(t, parkedRegisters())
			releasePE()
			return t
		}
	}
	t.Problem = fmt.Sprintf("does not answer for %v: it may be in a call that cannot be interrupted", parkTime)
	return t
}
