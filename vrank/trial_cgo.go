package vrank

/*
#include <stdlib.h>
#include <sys/mman.h>
#include "vrank/libc/trial.h"

static uint64_t this_pointer(void)
{
	uint64_t tp;
	__asm__("movq %%fs:0x10, %0" : "=r"(tp));
	return tp;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"ampirun/privatize"
)

// IsTrial tells whether this process is one that TryLibc has started.
func IsTrial() bool { return len(os.Args) > 0 && os.Args[0] == trialName }

// Trial is the main function of such a process: it makes one copy of the C library and asks it to do what ranks rely on. It returns the
// process's exit code; what it writes to standard output is for TryLibc.
func Trial() int {
	runtime.LockOSThread() // its reserve holds the copy's thread-local variables
	err := runTrial()
	var refused *privatize.Refusal
	switch {
	case errors.As(err, &refused):
		fmt.Printf("bad\n%s\n", refused.What)
	case err != nil:
		fmt.Printf("bad\n%v\n", err)
	}
	return 0
}

func runTrial() error {
	fmt.Println(trialLoads)
	o := privatize.Options{TLSTop: uintptr(C.this_pointer()), TLSReserve: tlsReserveSize()}
	p, err := privatize.LoadCLibrary(o)
	if err != nil {
		return err
	}
	size := p.Span() + p.Align()
	area := C.mmap(nil, C.size_t(size), C.PROT_READ|C.PROT_WRITE, C.MAP_PRIVATE|C.MAP_ANONYMOUS|C.MAP_NORESERVE, -1, 0)
	base := (uintptr(area) + uintptr(p.Align()) - 1) &^ (uintptr(p.Align()) - 1)
	if err := p.Instance(base); err != nil {
		return err
	}
	p.FillTLS(base, unsafe.Slice((*byte)(at(o.TLSTop-uintptr(p.TLSSize()))), p.TLSSize()))
	e, s := p.Entry(base), p.Stdio(base)
	u := func(a uintptr) C.uint64_t { return C.uint64_t(a) }
	symbol := func(name string) C.uint64_t {
		found, _ := p.Address(base, privatize.Sought{Name: name})
		return u(found.Address)
	}
	t := (*C.struct_vr_trial)(C.calloc(1, C.sizeof_struct_vr_trial))
	*t = C.struct_vr_trial{
		early_init: u(e.EarlyInit), ctype_init: u(e.CtypeInit), single_threaded: u(e.SingleThreaded), environ_var: u(e.Environ),
		jumps: u(s.Jumps), words: C.uint64_t(s.Words), file_write: u(s.Write), out: symbol("stdout"),
		setjmp: symbol("_setjmp"), errno_location: symbol("__errno_location"), close: symbol("close"), snprintf: symbol("snprintf"),
		strtod: symbol("strtod"), ctype_table: symbol("__ctype_b_loc"), malloc: symbol("malloc"), free: symbol("free"), fputs: symbol("fputs"),
		fflush: u(e.Fflush), time: symbol("time"), clock_gettime: symbol("clock_gettime"), getenv: symbol("getenv"), random: symbol("getrandom"), cpu: symbol("sched_getcpu"),
		threads: u(e.Threads), threads_size: u(e.ThreadsEnd - e.Threads), images: u(base), images_size: C.uint64_t(p.Span()),
		block_size: C.uint64_t(p.ThreadBlockSize()),
	}
	inits := append(append([]uintptr(nil), e.Preinits...), e.Inits...)
	list := (*C.uint64_t)(C.calloc(C.size_t(len(inits)+1), 8))
	for i, f := range inits {
		unsafe.Slice(list, len(inits))[i] = u(f)
	}
	t.inits, t.ninits = list, C.uint64_t(len(inits))
	C.vr_trial_run(t)
	return nil
}
