// Package coretest gives the tests of package vrank what they need of its C core: a job without workers whose queues,
// inboxes and pools can be used one step at a time, and processes that stand for workers. One job at a time; not for use
// by several goroutines.
package coretest

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/../../..
#include "vrank/core/inbox.h"
#include "vrank/internal/coretest/harness.h"

static int poll_as(int pe) { ct_be(pe); return vr_pe_poll(); }
static struct ct_offset offset_at(int i) { return ct_offsets[i]; }
*/
import "C"

import (
	"errors"
	"testing"

	_ "ampirun/vrank" // the C core
)

// Job is a job in this process's memory.
type Job struct{ PEs, Ranks int }

// NewJob makes a job that lives as long as its test.
func NewJob(t testing.TB, pes, ranks int) *Job {
	t.Helper()
	if C.ct_job_make(C.int(pes), C.int(ranks)) != 0 {
		t.Fatal("no memory for a job")
	}
	t.Cleanup(func() { C.ct_job_drop() })
	return &Job{pes, ranks}
}

// Wait is a rank's record of what it waits for.
type Wait struct {
	Fn, Peer, Tag int
	Context       uint32
	Members       int
	Count         int
}

// Nobody is the peer of a wait that is not about one.
const Nobody = C.VR_NOBODY

// Block makes a rank one that waits.
func (*Job) Block(rank int, w Wait) {
	C.ct_rank_wait(C.int(rank), &C.struct_vr_wait{fn: C.int32_t(w.Fn), peer: C.int32_t(w.Peer), tag: C.int32_t(w.Tag),
		context: C.uint32_t(w.Context), members: C.int32_t(w.Members), count: C.uint64_t(w.Count)})
}

// Be makes this process the given PE until it is told otherwise.
func (*Job) Be(pe int) { C.ct_be(C.int(pe)) }

// Poll looks for news as the given PE does; true when there were any.
func (*Job) Poll(pe int) bool { return C.poll_as(C.int(pe)) != 0 }

// Push sends a rank a message through its inbox, from the current PE's pool; false when that is full.
func (*Job) Push(rank, source, tag int) bool {
	return C.ct_push(C.int(rank), C.int(source), C.int(tag)) == 0
}

// Take takes the oldest message that a rank has drained; ok is false when there is none.
func (*Job) Take(rank int) (source, tag int, ok bool) {
	var from C.int32_t
	tag = int(C.ct_take(C.int(rank), &from))
	return int(from), tag, tag >= 0
}

// Move makes a PE the owner of a rank, as a migration does.
func (*Job) Move(rank, pe int) { C.ct_rank_move(C.int(rank), C.int(pe)) }

// Watch makes the current PE watch a rank's inbox, -1 for none.
func (*Job) Watch(rank int) { C.ct_rank_watch(C.int(rank)) }

// OnWakeList counts a rank's places in the wake list of a PE.
func (*Job) OnWakeList(pe, rank int) int { return int(C.ct_on_wake_list(C.int(pe), C.int(rank))) }

// Inbox is the number of nodes in a rank's inbox.
func (*Job) Inbox(rank int) int { return int(C.ct_inbox_length(C.int(rank))) }

// Storm runs a process for each PE; every rank sends `each` messages of up to `most` bytes to every rank.
func (*Job) Storm(each int, most int64, seed uint64) error {
	s := C.struct_ct_storm{each: C.int(each), most: C.int64_t(most), seed: C.uint64_t(seed)}
	return failure(C.ct_storm(&s))
}

// PostStorm runs a process for each PE; all but the first post work to PE 0.
func (*Job) PostStorm(each int) error { return failure(C.ct_post_storm(C.int(each))) }

func failure(text *C.char) error {
	if text == nil {
		return nil
	}
	return errors.New(C.GoString(text))
}

// Offset is where a field lies. Field "" is the whole object: Offset is its alignment.
type Offset struct {
	Object, Field string
	Offset, Size  uint64
}

// Offsets lists the fields of the core's structures that code or performance relies on.
func Offsets() (all []Offset) {
	for p := range 1 << 10 {
		o := C.offset_at(C.int(p))
		if o.object == nil {
			break
		}
		all = append(all, Offset{C.GoString(o.object), C.GoString(o.field), uint64(o.offset), uint64(o.size)})
	}
	return all
}
