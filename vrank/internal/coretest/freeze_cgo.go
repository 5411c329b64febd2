package coretest

/*
#include "vrank/freeze/freeze.h"
#include "vrank/internal/coretest/harness.h"

static int is_due(int pe) { ct_be(pe); return vr_freeze_is_due(); }
static int forgo(int pe) { ct_be(pe); return vr_freeze_forgo(); }
*/
import "C"

// AskFreeze has all PEs told, by their next polls, that the job is to freeze; false when that is under way already.
func (*Job) AskFreeze() bool { return C.vr_freeze_ask(0) != 0 }

// MayRest tells whether a PE may come to rest now.
func (*Job) MayRest(pe int) bool { return C.is_due(C.int(pe)) != 0 }

// Forgo has a PE leave for good; false: it may not, since all are about to come to rest.
func (*Job) Forgo(pe int) bool { return C.forgo(C.int(pe)) != 0 }
