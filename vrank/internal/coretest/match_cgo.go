package coretest

/*
#include <stdlib.h>
#include "vrank/core/job.h"
#include "vrank/internal/coretest/harness.h"
*/
import "C"

import "unsafe"

// Wildcards of receives and probes.
const (
	AnySource = -1
	AnyTag    = -2
)

// Key is what a message or receive is matched by.
type Key struct {
	Context     uint32
	Source, Tag int32
}

// Matcher is the matching queues of a rank, its entries known by numbers that the test gives.
type Matcher struct {
	m        *C.struct_vr_matcher
	requests map[int]*C.struct_vr_request
	messages map[int]*C.struct_vr_env
}

// Matcher gives the queues of a rank.
func (*Job) Matcher(rank int) *Matcher {
	return &Matcher{&C.vr_rank_of(C.int32_t(rank)).matcher, map[int]*C.struct_vr_request{}, map[int]*C.struct_vr_env{}}
}

// Post posts a receive.
func (m *Matcher) Post(id int, k Key) {
	r := (*C.struct_vr_request)(C.calloc(1, C.sizeof_struct_vr_request))
	r.index, r.context, r.peer, r.tag = C.uint32_t(id), C.uint32_t(k.Context), C.int32_t(k.Source), C.int32_t(k.Tag)
	m.requests[id] = r
	C.vr_match_post(m.m, r)
}

// Unpost takes a receive back.
func (m *Matcher) Unpost(id int) {
	C.vr_match_unpost(m.m, m.requests[id])
	m.forget(id)
}

func (m *Matcher) forget(id int) {
	C.free(unsafe.Pointer(m.requests[id]))
	delete(m.requests, id)
}

// Arrived takes the receive that a message matches out of the queue; -1 when there is none.
func (m *Matcher) Arrived(k Key) int {
	r := C.vr_match_arrived(m.m, C.uint32_t(k.Context), C.int32_t(k.Source), C.int32_t(k.Tag))
	if r == nil {
		return -1
	}
	id := int(r.index)
	m.forget(id)
	return id
}

// Keep puts an unexpected message into the queue.
func (m *Matcher) Keep(id int, k Key) {
	e := (*C.struct_vr_env)(C.calloc(1, C.sizeof_struct_vr_env))
	e.node.context, e.source, e.tag, e.bytes = C.uint32_t(k.Context), C.int32_t(k.Source), C.int32_t(k.Tag), C.int64_t(id)
	m.messages[id] = e
	C.vr_match_enqueue_unexpected(m.m, e)
}

// Find is the message that a receive or probe finds; -1 when there is none.
func (m *Matcher) Find(k Key) int {
	e := C.vr_match_find(m.m, C.uint32_t(k.Context), C.int32_t(k.Source), C.int32_t(k.Tag))
	if e == nil {
		return -1
	}
	return int(e.bytes)
}

// Take takes a message out of the queue.
func (m *Matcher) Take(id int) {
	C.vr_match_remove_unexpected(m.m, m.messages[id])
	C.free(unsafe.Pointer(m.messages[id]))
	delete(m.messages, id)
}

// Counts are the queues' own: posted receives, unexpected messages, buckets.
func (m *Matcher) Counts() (posted, unexpected, buckets int) {
	return int(m.m.nposted), int(m.m.nunexpected), int(m.m.buckets)
}
