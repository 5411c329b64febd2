package vrank

/*
#include <stdlib.h>
#include <string.h>
#include "../isomalloc/heap.h"
#include "bind.h"
#include "core.h"
#include "life.h"
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
	}
	C.vr_objects_set(&list[0], C.int(len(objects)))
	if C.vr_job.layout.tls_size > 0 {
		C.vr_tls_live = C.uint64_t(p.TLSSize())
	}
	describeMemory(p)
	describeStdio(p)
	describeTools(p)
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
	var ranges []C.uint64_t
	for _, r := range p.Ranges() {
		if !r.Shared {
			ranges = append(ranges, C.uint64_t(r.Offset), C.uint64_t(r.Offset+r.Size))
		}
	}
	C.vr_images_writable((*C.uint64_t)(unsafe.Pointer(&ranges[0])), C.int(len(ranges)/2))
}

func describeStdio(p *privatize.Program) {
	jumps, ok1 := p.Symbol("_IO_file_jumps")
	read, ok2 := p.Symbol("_IO_file_read")
	write, ok3 := p.Symbol("_IO_file_write")
	closer, ok4 := p.Symbol("_IO_file_close")
	if ok1 && ok2 && ok3 && ok4 {
		C.vr_stdio = C.struct_vr_stdio{jumps: C.uint64_t(jumps), read: C.uint64_t(read), write: C.uint64_t(write), close: C.uint64_t(closer)}
	}
}

// place makes rank id of this worker in its slice, ready to run.
func (w *worker) place(id int) error {
	slice := w.region.Slice(id).Lo
	guard := slice + uintptr(w.layout.guard)
	if err := w.region.Guard(guard, guard+uintptr(w.layout.guardSize)); err != nil {
		return fmt.Errorf("guard the stack of rank %d (see vm.max_map_count): %w", id, err)
	}
	if w.program.ExecStack() {
		stack := slice + uintptr(w.layout.stack)
		if C.vr_stack_allow_code(at(stack), C.uint64_t(w.layout.images-w.layout.stack)) != 0 {
			return fmt.Errorf("the stack of rank %d cannot be made executable, which the program asks for (nested functions)", id)
		}
	}
	r := rankAt(id)
	var flags C.uint
	if w.cfg.HeapCheck {
		flags = C.ISO_HEAP_CHECK
	}
	if C.vr_rank_init(&r.c, C.int(id), flags) != 0 {
		return fmt.Errorf("rank %d: no room for a heap: raise +slice", id)
	}
	if err := w.method.give(w, r); err != nil {
		return fmt.Errorf("load the program for rank %d: %w", id, err)
	}
	for m := 1; m <= w.program.TLSModules() && m < tlsModules; m++ {
		r.c.tls_offset[m] = C.uint64_t(w.program.TLSOffset(m))
	}
	w.mpi.NewRank(unsafe.Pointer(r))
	C.vr_rank_start(&r.c)
	return nil
}

// private is the method "pie": images, thread-local block and heap of its own for every rank.
type private struct{}

// tlsSurplus is room for thread-local variables of libraries opened at run time whose code wants them at a fixed place; it is in every
// rank's shadow, but switches copy it only once it is in use.
const tlsSurplus = 1536

func (private) tlsSize(p *privatize.Program) uint64 {
	return min(p.TLSSize()+tlsSurplus, tlsReserveSize())
}

func (private) give(w *worker, r *rank) error {
	images := r.imageArea()
	if err := w.program.Instance(images); err != nil {
		return err
	}
	size := w.program.TLSSize()
	w.program.FillTLS(images, unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(r.c.tls), w.layout.tlsSize-size)), size))
	C.vr_stdio_patch(C.uint64_t(images))
	w.enter(r, images, true)
	return nil
}

// shared is the method "none": all ranks of a worker use the images and the heap of its first rank, which runs the
// initialisation, as threads of one process would. The thread-local block is that of the PE thread.
type shared struct{ first *rank }

func (*shared) tlsSize(*privatize.Program) uint64 { return 0 }

func (m *shared) give(w *worker, r *rank) error {
	if m.first == nil {
		m.first = r
		images := r.imageArea()
		if err := w.program.Instance(images); err != nil {
			return err
		}
		size := w.program.TLSSize()
		w.program.FillTLS(images, unsafe.Slice((*byte)(at(threadPointer()-uintptr(size))), size))
		C.vr_stdio_patch(C.uint64_t(images))
	}
	r.c.heap = m.first.c.heap
	w.enter(r, m.first.imageArea(), r == m.first)
	return nil
}

// enter fills in where the rank begins, its arguments and its environment. The rank that starts the images up runs their
// initialisation and their end.
func (w *worker) enter(r *rank, images uintptr, starts bool) {
	r.c.images = C.uint64_t(images)
	e := w.program.Entry(images)
	u := func(a uintptr) C.uint64_t { return C.uint64_t(a) }
	r.c.entry = C.struct_vr_entry{
		main: u(e.Main), early_init: u(e.EarlyInit), ctype_init: u(e.CtypeInit), fflush: u(e.Fflush),
		environ_var: u(e.Environ), progname_full: u(e.Progname), progname: u(e.ProgShort),
		freopen: w.symbol("freopen", images), errno_location: w.symbol("__errno_location", images), single_threaded: w.symbol("__libc_single_threaded", images),
		shim_unpack: w.symbol("ampi_shim_unpack", images), shim_error: w.symbol("ampi_shim_error", images),
	}
	if !starts {
		r.c.entry.early_init, r.c.entry.environ_var, e.Preinits, e.Inits, e.Finis = 0, 0, nil, nil, nil
	}
	inits := append(append([]uintptr(nil), e.Preinits...), e.Inits...)
	r.c.entry.inits, r.c.entry.ninits = addresses(r, inits), C.uint32_t(len(inits))
	r.c.entry.finis, r.c.entry.nfinis = addresses(r, e.Finis), C.uint32_t(len(e.Finis))
	r.c.argc = C.int32_t(len(w.cfg.Args))
	r.c.argv = stringVector(r, w.cfg.Args)
	r.c.envp = stringVector(r, w.environment(r.number()))
}

func (w *worker) symbol(name string, images uintptr) C.uint64_t {
	if off, ok := w.program.Symbol(name); ok {
		return C.uint64_t(images) + C.uint64_t(off)
	}
	return 0
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
