// Package segtest lets tests make tables of segments without ranks.
package segtest

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -D_GNU_SOURCE -I${SRCDIR}/../../..
#include <stdlib.h>
#include "codeseg/codeseg.h"

static enum cs_outcome resolve(const struct cs_table *t, const struct cs_token *k, uint64_t *address)
{
	return cs_resolve(t, k, address);
}

static enum cs_outcome tokenize(struct cs_table *t, uint64_t address, int by_hash, struct cs_token *k)
{
	return cs_tokenize(t, address, by_hash, k, NULL);
}

// Addresses of segments by turns, so that the one that was found last is never the next one.
static uint64_t there_and_back(struct cs_table *t, int by_hash, uint64_t times)
{
	uint64_t sum = 0;
	uint32_t at = 0;
	for (uint64_t i = 0; i < times; i++) {
		struct cs_token k;
		uint64_t back = 0;
		at = at + 7 < t->n ? at + 7 : at + 7 - t->n;
		cs_tokenize(t, t->start[at] + (i & 0xff), by_hash, &k, NULL);
		cs_resolve(t, &k, &back);
		sum += back;
	}
	return sum;
}

// The same for one segment.
static uint64_t again_and_again(struct cs_table *t, int by_hash, uint64_t times)
{
	uint64_t sum = 0;
	for (uint64_t i = 0; i < times; i++) {
		struct cs_token k;
		uint64_t back = 0;
		cs_tokenize(t, t->start[50] + (i & 0xff), by_hash, &k, NULL);
		cs_resolve(t, &k, &back);
		sum += back;
	}
	return sum;
}
*/
import "C"

import (
	"bytes"
	"unsafe"

	_ "ampirun/codeseg"
	_ "ampirun/vrank" // the C core
)

// Flags of segments.
const (
	Active   = C.CS_ACTIVE
	Verified = C.CS_VERIFIED
	Bad      = C.CS_BAD
	Own      = C.CS_OWN
	Code     = C.CS_CODE
	MaxIndex = C.CS_INDEX_MAX
	Identity = C.CS_IDENTITY
)

// Outcomes of translations.
const (
	OK        = C.CS_OK
	Nowhere   = C.CS_NOWHERE
	Closed    = C.CS_CLOSED
	Stale     = C.CS_STALE
	Duplicate = C.CS_DUPLICATE
	Outside   = C.CS_OUTSIDE
)

// Segment is a part of an image.
type Segment struct {
	Start, End uint64
	Identity   [Identity]byte
	Epoch      uint32
	Flags      int
	Index      int
}

// Token is what travels.
type Token struct{ t C.struct_cs_token }

// Word is what a short token consists of.
func (k *Token) Word() uint64 { return uint64(k.t.word) }

// TokenOf makes a short token.
func TokenOf(word uint64) *Token { return &Token{C.struct_cs_token{word: C.uint64_t(word)}} }

// Size is the number of bytes that travel.
func (k *Token) Size() int { return int(C.cs_token_size(&k.t)) }

// Table is a rank's.
type Table struct{ t *C.struct_cs_table }

// New makes a table. Call Free.
func New(list []Segment, indexes int) *Table {
	segments := make([]C.struct_cs_segment, len(list)+1)
	for i, s := range list {
		segments[i] = C.struct_cs_segment{start: C.uint64_t(s.Start), end: C.uint64_t(s.End), epoch: C.uint32_t(s.Epoch),
			flags: C.uint16_t(s.Flags), index: C.uint32_t(s.Index)}
		for j, b := range s.Identity {
			segments[i].identity[j] = C.uchar(b)
		}
	}
	memory := C.malloc(C.cs_table_size(C.uint32_t(len(list)), C.uint32_t(indexes)))
	return &Table{C.cs_table_make(memory, &segments[0], C.uint32_t(len(list)), C.uint32_t(indexes))}
}

// Free gives the memory back.
func (t *Table) Free() { C.free(unsafe.Pointer(t.t)) }

// Retire says that a number is no longer in use.
func (t *Table) Retire(index int) { C.cs_table_retire(t.t, C.uint32_t(index)) }

// FlagsAt are the flags of the segment at an address, -1 where there is none.
func (t *Table) FlagsAt(address uint64) int {
	s := C.cs_find(t.t, C.uint64_t(address))
	if s == nil {
		return -1
	}
	return int(s.flags)
}

// Tokenize makes a token of an address.
func (t *Table) Tokenize(address uint64, byHash bool) (*Token, int) {
	k := new(Token)
	return k, int(C.tokenize(t.t, C.uint64_t(address), hashFlag(byHash), &k.t))
}

// Resolve is the address that a token means in this table.
func (t *Table) Resolve(k *Token) (uint64, int) {
	var at C.uint64_t
	outcome := C.resolve(t.t, &k.t, &at)
	return uint64(at), int(outcome)
}

// ThereAndBack translates addresses of all segments by turns.
func (t *Table) ThereAndBack(byHash bool, times int) uint64 {
	return uint64(C.there_and_back(t.t, hashFlag(byHash), C.uint64_t(times)))
}

// AgainAndAgain translates addresses of one segment.
func (t *Table) AgainAndAgain(byHash bool, times int) uint64 {
	return uint64(C.again_and_again(t.t, hashFlag(byHash), C.uint64_t(times)))
}

func hashFlag(byHash bool) C.int {
	if byHash {
		return 1
	}
	return 0
}

// IdentityOf is the identity of a segment of a file with this build ID, or hash.
func IdentityOf(file []byte, number int) (id [Identity]byte) {
	var out [Identity]C.uchar
	in := bytes.Clone(append(file, 0)) // never empty
	C.cs_identity(&out[0], (*C.uchar)(unsafe.Pointer(&in[0])), C.size_t(len(file)), C.uint16_t(number))
	for i, b := range out {
		id[i] = byte(b)
	}
	return id
}

// IdentityOfName is that of a segment that is known by its file's name.
func IdentityOfName(name string, number int) (id [Identity]byte) {
	var out [Identity]C.uchar
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	C.cs_identity_of_name(&out[0], text, C.uint16_t(number))
	for i, b := range out {
		id[i] = byte(b)
	}
	return id
}
