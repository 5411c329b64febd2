package vrank

/*
#include <stdlib.h>
#include "vrank/libc/probe.h"

static const char *const *probe_names(void) { return vr_probe_names; }
*/
import "C"

import (
	"path/filepath"
	"slices"
	"strings"
	"unsafe"

	"ampirun/privatize"
)

// HeapLevel says how much of what a program does with memory reaches the heaps in slices. The words are those that memory hooks
// of MPI implementations use.
type HeapLevel uint8

// The bits of a HeapLevel.
const (
	HeapFree   HeapLevel = C.VR_HEAP_FREE   // every allocation, and every free
	HeapMunmap HeapLevel = C.VR_HEAP_MUNMAP // anonymous mappings, and their ends
	HeapChunk  HeapLevel = C.VR_HEAP_CHUNK  // memory that an allocator of the program takes in chunks; not single frees
)

// String lists the bits: "FREE|MUNMAP", or "none".
func (l HeapLevel) String() string {
	var words []string
	for _, bit := range []struct {
		level HeapLevel
		word  string
	}{{HeapFree, "FREE"}, {HeapChunk, "CHUNK"}, {HeapMunmap, "MUNMAP"}} {
		if l&bit.level != 0 {
			words = append(words, bit.word)
		}
	}
	if words == nil {
		return "none"
	}
	return strings.Join(words, "|")
}

// HeapReport is what the self test of heap interception found in a rank.
type HeapReport struct {
	Level  HeapLevel
	Missed []string // functions that give or take memory past the slice: "malloc (called by prog)"
}

// probed keeps what the test was about, for the report.
var probed []privatize.Slot

// prepareProbe has the first rank of this worker test its heap, which lies in its slice.
func (w *worker) prepareProbe(base uintptr) {
	names := probeNames()
	probed = w.program.Slots(names)
	if method, err := privatize.FindMethod(w.cfg.Method); err == nil && !method.Facts().LoadedByLd {
		probed = append(probed, w.uncalled(names, base)...)
	}
	list := unsafe.Slice((*C.struct_vr_probe_slot)(C.calloc(C.size_t(len(probed)+1), C.sizeof_struct_vr_probe_slot)), len(probed))
	for i, s := range probed {
		image := slices.IndexFunc(probed, func(o privatize.Slot) bool { return o.Image == s.Image })
		list[i] = C.struct_vr_probe_slot{kind: C.int32_t(slices.Index(names, s.Name)), image: C.int32_t(image)}
		if s.Image != "" {
			list[i].word = C.uint64_t(s.Offset)
		} else {
			list[i].address = C.uint64_t(s.Offset)
		}
	}
	C.vr_probe.slots, C.vr_probe.nslots, C.vr_probe.wanted = unsafe.SliceData(list), C.int32_t(len(list)), 1
}

// endBeforeMain has all ranks of this worker end when their programs are initialised.
func endBeforeMain() { C.vr_probe.only = 1 }

// uncalled finds functions that no image calls in the usual way, as dlsym would: slots without an image, whose Offset is an
// address.
func (w *worker) uncalled(names []string, base uintptr) (found []privatize.Slot) {
	for _, name := range names {
		if slices.ContainsFunc(probed, func(s privatize.Slot) bool { return s.Name == name }) {
			continue
		}
		if f, ok := w.program.Address(base, privatize.Sought{Name: name, Handle: w.program.Handle(0, nil)}); ok && f.Module == 0 {
			found = append(found, privatize.Slot{Name: name, Offset: uint64(f.Address)})
		}
	}
	return found
}

func probeNames() (names []string) {
	for list := unsafe.Slice(C.probe_names(), 1<<10); list[len(names)] != nil; {
		names = append(names, C.GoString(list[len(names)]))
	}
	return names
}

// heapReport is what the test found, nil when there was none.
func heapReport() *HeapReport {
	if C.vr_probe.done == 0 {
		return nil
	}
	report := &HeapReport{Level: HeapLevel(C.vr_probe.level)}
	for i, s := range unsafe.Slice(C.vr_probe.slots, int(C.vr_probe.nslots)) {
		if s.missed == 0 {
			continue
		}
		text := probed[i].Name
		if probed[i].Image != "" {
			text += " (called by " + filepath.Base(probed[i].Image) + ")"
		}
		report.Missed = append(report.Missed, text)
	}
	return report
}
