package vrank

/*
#include <stdlib.h>
#include <string.h>
#include "isomalloc/heap.h"
#include "vrank/core/access.h"
#include "vrank/core/isolate.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/tls.h"
#include "vrank/libc/allocation.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/bindings.h"
#include "vrank/libc/keys.h"
#include "vrank/libc/ldso_getopt.h"
#include "vrank/libc/life.h"
#include "vrank/libc/objects.h"
#include "vrank/libc/pinning.h"
#include "vrank/libc/rank_threads.h"
#include "vrank/libc/tools.h"

static const char *libc_name(int i) { return vr_libc_names[i]; }
*/
import "C"

import (
	"fmt"
	"unsafe"

	"ampirun/privatize"
	"ampirun/shim"
)

// describeProgram tells the core what it must know of the program's images, which are alike in all ranks.
func describeProgram(p *privatize.Program) {
	objects := p.Objects()
	list := unsafe.Slice((*C.struct_vr_object)(C.calloc(C.size_t(len(objects)), C.sizeof_struct_vr_object)), len(objects))
	for i, o := range objects {
		list[i] = describeObject(&o, C.CString(o.Path))
		if o.Copy != "" {
			list[i].copy = C.CString(o.Copy)
		}
	}
	if p.BringsAllocator() && p.Defines("mallctl") {
		C.vr_links_threads = 1
	}
	C.vr_objects_set(&list[0], C.int(len(objects)))
	if C.vr_job.layout.tls_size > 0 {
		C.vr_tls_live = C.uint64_t(p.TLSSize())
	}
	describeMemory(p)
	describeTools(p)
	describeGetopt(p)
	describeStays(p)
}

// describeStays tells where the C library has the functions behind vr_pinning_bindings.
func describeStays(p *privatize.Program) {
	for i := C.int(0); C.vr_pinning_name(i) != nil; i++ {
		off, _ := p.Symbol(C.GoString(C.vr_pinning_name(i)))
		C.vr_pinning_place(i, C.uint64_t(off))
	}
}

// describeGetopt tells where ranks have variables of getopt's of their own, if they do.
func describeGetopt(p *privatize.Program) {
	place := func(name string) C.uint64_t { return C.uint64_t(p.OptionVariable(name)) }
	C.vr_getopt_places = C.struct_vr_getopt_places{optarg: place("optarg"), optind: place("optind"), opterr: place("opterr"), optopt: place("optopt")}
}

func describeObject(o *privatize.Object, name *C.char) C.struct_vr_object {
	return C.struct_vr_object{
		name: name, bias: C.uint64_t(o.Bias), offset: C.uint64_t(o.Offset), span: C.uint64_t(o.Size),
		phdrs: C.uint64_t(o.Phdrs), nphdrs: C.uint64_t(o.PhdrCount), eh_frame_hdr: C.uint64_t(o.EhFrameHdr),
		dynamic: C.uint64_t(o.Dynamic), tls_module: C.uint64_t(o.TLSModule),
		tls_image: C.uint64_t(o.TLSImage), tls_filesz: C.uint64_t(o.TLSFileSize),
	}
}

func describeTools(p *privatize.Program) {
	var tools []C.struct_vr_tool
	for fn := range shim.Count {
		if offset, ok := p.Interposed(shim.Function(fn).String()); ok {
			tools = append(tools, C.struct_vr_tool{fn: C.int32_t(fn), offset: C.uint64_t(offset)})
		}
	}
	if len(tools) == 0 {
		return
	}
	list := unsafe.Slice((*C.struct_vr_tool)(C.calloc(C.size_t(len(tools)), C.sizeof_struct_vr_tool)), len(tools))
	copy(list, tools)
	C.vr_tools_set(&list[0], C.int(len(tools)))
}

func describeMemory(p *privatize.Program) {
	var ranges, all []C.uint64_t
	for _, r := range p.Ranges() {
		if r.Shared {
			continue
		}
		part := []C.uint64_t{C.uint64_t(r.Offset), C.uint64_t(r.Offset + r.Size)}
		if all = append(all, part...); !r.OnWrite {
			ranges = append(ranges, part...)
		}
	}
	C.vr_images_writable((*C.uint64_t)(unsafe.Pointer(&ranges[0])), C.int(len(ranges)/2))
	hasCode := C.int(0)
	if p.ExecStack() {
		hasCode = 1
	}
	C.vr_isolate_images((*C.uint64_t)(unsafe.Pointer(&all[0])), C.int(len(all)/2), hasCode)
}

// protect sets what this process may do with parts of a rank's slice.
func (w *worker) protect(id int) error {
	slice := w.region.Slice(id).Lo
	guard := slice + uintptr(w.layout.guard)
	if err := w.region.Guard(guard, guard+uintptr(w.layout.guardSize)); err != nil {
		return fmt.Errorf("guard the stack of rank %d (see vm.max_map_count): %w", id, err)
	}
	if !w.program.ExecStack() {
		return nil
	}
	stack := slice + uintptr(w.layout.stack)
	if C.vr_stack_allow_code(at(stack), C.uint64_t(w.layout.images-w.layout.stack)) != 0 {
		return fmt.Errorf("the stack of rank %d cannot be made executable, which the program asks for (nested functions)", id)
	}
	return nil
}

// reach lets this process touch what the rank has allocated, and nothing else of its slice that is not in use.
func (w *worker) reach(r *rank) error {
	if C.vr_access_enter(&r.c) != 0 {
		return fmt.Errorf("map the memory of rank %d (see vm.max_map_count)", r.number())
	}
	return nil
}

// closeHoles makes what lies between the segments of the rank's images inaccessible.
func (w *worker) closeHoles(r *rank) error {
	for _, h := range w.holes {
		lo := r.imageArea() + uintptr(h.Offset)
		if err := w.region.Guard(lo, lo+uintptr(h.Size)); err != nil {
			return fmt.Errorf("close what is between the segments of rank %d: %w", r.number(), err)
		}
	}
	return nil
}

// place makes rank id of this worker in its slice, ready to run.
func (w *worker) place(id int) error {
	if err := w.protect(id); err != nil {
		return err
	}
	w.attached[id] = true
	r := rankAt(id)
	var flags C.uint
	if w.cfg.HeapCheck {
		flags = C.ISO_HEAP_CHECK
	}
	if C.vr_rank_init(&r.c, C.int(id), flags) != 0 {
		return fmt.Errorf("rank %d: no room for a heap: raise +slice", id)
	}
	if err := w.reach(r); err != nil {
		return err
	}
	for m := 1; m <= w.program.TLSModules() && m < tlsModules; m++ {
		r.c.tls_offset[m] = C.uint64_t(w.program.TLSOffset(m))
	}
	C.vr_placing = &r.c
	placed, err := w.images.Place(r.imageArea())
	C.vr_placing = nil
	if err != nil {
		return fmt.Errorf("load the program for rank %d: %w", id, err)
	}
	if placed.Base == r.imageArea() {
		if err := w.closeHoles(r); err != nil {
			return err
		}
	}
	w.give(r, &placed)
	w.noteImages(r)
	if len(w.attached) == 1 && !w.cfg.HostHeap {
		w.prepareProbe(placed.Base)
	}
	if !w.movable {
		r.pin("under +privatize " + w.cfg.Method)
	}
	if w.cfg.HostHeap {
		r.pin("its heap is the C library's (+heap)")
	}
	w.mpi.NewRank(unsafe.Pointer(r))
	w.introduced = true // it does so itself
	C.vr_rank_start(&r.c)
	return nil
}

// give lets a rank use the images that it got. Those who share images share the heap too.
func (w *worker) give(r *rank, p *privatize.Placed) {
	if p.First {
		w.heap = r.c.heap
	}
	if p.Base != r.imageArea() {
		r.c.heap = w.heap
	}
	if w.layout.tlsSize > 0 {
		size := w.program.TLSSize()
		w.program.FillTLS(p.Base, unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&r.c), -int(size))), size))
	}
	w.enter(r, p)
	s := &r.c.entry
	C.vr_stdio_patch(C.uint64_t(p.Stdio.Jumps), C.int(p.Stdio.Words), s.file_read, s.file_write, s.file_close)
}

// enter fills in where the rank begins, its arguments and its environment. The first rank in its images runs their
// initialisation and their end.
func (w *worker) enter(r *rank, p *privatize.Placed) {
	r.c.images = C.uint64_t(p.Base)
	w.point(r, p)
	e := p.Entry
	if !p.First {
		r.c.entry.early_init, r.c.entry.environ_var, e.Preinits, e.Inits, e.Finis = 0, 0, nil, nil, nil
	}
	inits := append(append([]uintptr(nil), e.Preinits...), e.Inits...)
	r.c.entry.inits, r.c.entry.ninits = addresses(r, inits), C.uint32_t(len(inits))
	r.c.entry.finis, r.c.entry.nfinis = addresses(r, e.Finis), C.uint32_t(len(e.Finis))
	r.c.argc = C.int32_t(len(w.cfg.Args))
	r.c.argv = stringVector(r, w.cfg.Args)
	r.c.envp = stringVector(r, w.environment(r.number()))
}

// point tells the core where it finds functions and variables in a rank's images, and in libraries that they share.
func (w *worker) point(r *rank, p *privatize.Placed) {
	e, old := &p.Entry, r.c.entry
	symbol := func(name string) C.uint64_t { return C.uint64_t(p.Symbol(name)) }
	u := func(a uintptr) C.uint64_t { return C.uint64_t(a) }
	r.c.entry = C.struct_vr_entry{
		main: u(e.Main), early_init: u(e.EarlyInit), ctype_init: u(e.CtypeInit), fflush: u(e.Fflush),
		threads: u(e.Threads), threads_size: u(e.ThreadsEnd - e.Threads),
		environ_var: u(e.Environ), progname_full: u(e.Progname), progname: u(e.ProgShort),
		freopen: symbol("freopen"), errno_location: symbol("__errno_location"), single_threaded: symbol("__libc_single_threaded"), single_threaded_inside: u(e.SingleThreaded),
		backtrace:   symbol("_Unwind_Backtrace"),
		shim_unpack: symbol("ampi_shim_unpack"), shim_error: symbol("ampi_shim_error"),
		file_read: u(p.Stdio.Read), file_write: u(p.Stdio.Write), file_close: u(p.Stdio.Close),
	}
	for i := range r.c.entry.libc {
		r.c.entry.libc[i] = symbol(C.GoString(C.libc_name(C.int(i))))
	}
	if !e.CanRedirect {
		r.c.entry.libc[C.VR_LIBC_MMAP], r.c.entry.libc[C.VR_LIBC_MUNMAP] = 0, 0
	}
	r.c.entry.inits, r.c.entry.ninits, r.c.entry.finis, r.c.entry.nfinis = old.inits, old.ninits, old.finis, old.nfinis
}

// addresses copies a list of addresses into the rank's slice.
func addresses(r *rank, list []uintptr) *C.uint64_t {
	p := C.vr_rank_calloc(&r.c, C.size_t(len(list)+1), 8)
	copy(unsafe.Slice((*uintptr)(p), len(list)), list)
	return (*C.uint64_t)(p)
}

// stringVector makes a NULL-terminated vector of C strings in the rank's slice, in one block.
func stringVector(r *rank, list []string) **C.char {
	pointers := (len(list) + 1) * 8
	size := pointers
	for _, s := range list {
		size += len(s) + 1
	}
	p := C.vr_rank_calloc(&r.c, 1, C.size_t(size))
	block := unsafe.Slice((*byte)(p), size)
	vector := unsafe.Slice((*uintptr)(p), len(list))
	for i, pos := 0, pointers; i < len(list); i++ {
		vector[i] = uintptr(p) + uintptr(pos)
		pos += copy(block[pos:], list[i]) + 1
	}
	return (**C.char)(p)
}
