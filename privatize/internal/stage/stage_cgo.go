// Package stage runs private images in tests: a slice with stack, heap and thread-local block, resumed on the calling
// thread. It is the least that a program needs and no model for the runtime: memory is never freed.
package stage

/*
#cgo CFLAGS: -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wno-unused-parameter -I${SRCDIR}/../../..
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "stage.h"
*/
import "C"

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	_ "ampirun/privatize/libpthread"
)

// Layout of a slice.
const (
	ImageOffset = 4 << 20
	stackSize   = 8 << 20
	SliceSize   = 256 << 20
)

// Bound are the names that go into Options.Bind, Extra those for Fallback.
var (
	Bound = []string{"malloc", "free", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign", "exit", "_exit",
		"__cxa_atexit", "__cxa_thread_atexit_impl", "__tls_get_addr", "_dl_find_object", "dl_iterate_phdr"}
	Extra = []string{"stage_yield", "stage_yield_"}
)

// Symbol returns the address of one of the names above, 0 for others.
func Symbol(name string) uintptr {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return uintptr(C.stage_symbol(c))
}

// Bindings returns those of Bound that there are with this C library, with their addresses.
func Bindings() map[string]uintptr {
	m := map[string]uintptr{}
	for _, n := range Bound {
		if at := Symbol(n); at != 0 {
			m[n] = at
		}
	}
	return m
}

// Reserve returns the thread pointer of the thread that runs ranks and the size of the reserve below it, and an error
// when the linker put something in between.
func Reserve() (tp uintptr, size uint64, err error) {
	var pointer, end C.uintptr_t
	if e := C.stage_reserve_find(&pointer, &end); e != 0 {
		return 0, 0, syscall.Errno(e)
	}
	if pointer != end {
		return 0, 0, fmt.Errorf("thread-local reserve ends at %#x, thread pointer is %#x", end, pointer)
	}
	return uintptr(pointer), C.STAGE_RESERVE, nil
}

// Slice is a rank's memory at Base.
type Slice struct{ Base uintptr }

// Map maps n slices of a memory file at base, as every process of a job does.
func Map(f *os.File, base uintptr, n int) ([]Slice, error) {
	if err := f.Truncate(int64(n) * SliceSize); err != nil {
		return nil, err
	}
	const fixedNoReplace = 0x100000
	_, _, e := syscall.Syscall6(syscall.SYS_MMAP, base, uintptr(n*SliceSize), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_SHARED|syscall.MAP_NORESERVE|fixedNoReplace, f.Fd(), 0)
	if e != 0 {
		return nil, fmt.Errorf("map slices at %#x: %w", base, e)
	}
	s := make([]Slice, n)
	for i := range s {
		s[i].Base = base + uintptr(i)*SliceSize
	}
	return s, nil
}

// Unmap takes slices of Map away and forgets their objects.
func Unmap(base uintptr, n int) {
	C.stage_objects_clear()
	syscall.Syscall(syscall.SYS_MUNMAP, base, uintptr(n*SliceSize), 0)
}

// Images is where the slice's image area starts.
func (s Slice) Images() uintptr { return s.Base + ImageOffset }

func (s Slice) stage() *C.struct_stage {
	return *(**C.struct_stage)(unsafe.Pointer(&s.Base))
}

// Start is what a rank needs to begin.
type Start struct {
	Main, EarlyInit, CtypeInit, Fflush uintptr
	Threads, ThreadsEnd                uintptr // the image of libpthread.so.0, or 0
	Inits, Finis                       []uintptr
	TLS                                []byte
	TLSOffsets                         []uint64 // by module
	Args                               []string
	ExecStack                          bool
}

// Prepare sets the slice up so that Resume starts the rank. span is the size of the image area.
func (s Slice) Prepare(span uint64, st Start) {
	c := s.stage()
	at := (s.Base + ImageOffset + uintptr(span) + 4095) &^ 4095
	c.main, c.early_init, c.ctype_init, c.fflush = C.uintptr_t(st.Main), C.uintptr_t(st.EarlyInit), C.uintptr_t(st.CtypeInit), C.uintptr_t(st.Fflush)
	for i, f := range st.Inits {
		c.calls[i] = C.uintptr_t(f)
	}
	c.ncalls = C.int(len(st.Inits))
	for i, f := range st.Finis {
		c.finis[i] = C.uintptr_t(f)
	}
	c.threads, c.threads_size = C.uintptr_t(st.Threads), C.uintptr_t(st.ThreadsEnd-st.Threads)
	c.base, c.size = C.uintptr_t(s.Base), SliceSize
	c.nfinis = C.int(len(st.Finis))
	c.tls, c.tls_size = charAt(at), C.size_t(len(st.TLS))
	copy(bytesAt(at, len(st.TLS)), st.TLS)
	at = (at + uintptr(len(st.TLS)) + 4095) &^ 4095
	for i, off := range st.TLSOffsets {
		c.tls_offset[i] = C.uint64_t(off)
	}
	stack := at
	if st.ExecStack {
		if err := syscall.Mprotect(bytesAt(stack, stackSize), syscall.PROT_READ|syscall.PROT_WRITE|syscall.PROT_EXEC); err != nil {
			panic(err)
		}
	}
	at = s.setArgs(at+stackSize, st.Args)
	c.heap, c.heap_end = charAt(at), charAt(s.Base+SliceSize)
	C.stage_init(c, charAt(stack), stackSize)
}

// SetFlush replaces the fflush that the rank ends with.
func (s Slice) SetFlush(f uintptr) { s.stage().fflush = C.uintptr_t(f) }

// setArgs writes argv with a nil environment behind it and returns the address after.
func (s Slice) setArgs(at uintptr, args []string) uintptr {
	c := s.stage()
	vec := unsafe.Slice((*uintptr)(pointer(at)), len(args)+2)
	c.argc, c.argv = C.int(len(args)), (**C.char)(pointer(at))
	c.envp = (**C.char)(pointer(at + uintptr(len(args)+1)*8))
	at += uintptr(len(vec)) * 8
	for i, a := range args {
		vec[i] = at
		copy(bytesAt(at, len(a)+1), a+"\x00")
		at += uintptr(len(a)) + 1
	}
	return (at + 63) &^ 63
}

// Resume runs the rank until it yields or ends, and reports which.
func (s Slice) Resume() (done bool, status int) {
	c := s.stage()
	if e := C.stage_resume(c); e != 0 {
		panic(syscall.Errno(e))
	}
	return c.done != 0, int(c.status)
}

// AddObject makes an image known to the unwinder.
func AddObject(lo, hi, eh uintptr) {
	C.stage_objects_add(C.uintptr_t(lo), C.uintptr_t(hi), C.uintptr_t(eh))
}

// Memory returns the n bytes at an address of a slice.
func Memory(addr uintptr, n int) []byte { return bytesAt(addr, n) }

func pointer(a uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&a)) }
func charAt(a uintptr) *C.char         { return (*C.char)(pointer(a)) }
func bytesAt(a uintptr, n int) []byte  { return unsafe.Slice((*byte)(pointer(a)), n) }
