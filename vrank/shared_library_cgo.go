package vrank

/*
#include <stdio.h>
#include <stdlib.h>
#include "vrank/core/tls.h"
#include "vrank/libc/ldso_fortran.h"
#include "vrank/libc/ldso_getopt.h"
#include "vrank/libc/life.h"
#include "vrank/libc/pinning.h"
#include "vrank/libc/shared_memory.h"

static int is_loaded(const struct vr_rank *r) { return vr_loaded == r; }

// What Fortran prints goes out line by line: its library would keep the lines of all ranks in one buffer.
static void prepare_fortran(void) { setenv("GFORTRAN_UNBUFFERED_PRECONNECTED", "y", 1); }

// hold notes why a rank stays for now, for +stats; NULL for nothing.
static void hold(struct vr_rank *r, const char *why)
{
	if (!atomic_load(&r->is_pinned))
		snprintf(r->pinned, sizeof r->pinned, why ? "for a while: %s" : "", why);
}
*/
import "C"

import "ampirun/privatize"

// openedShared notes a library that the ranks of this worker share. The first one is the C library.
func (w *worker) openedShared(l privatize.SharedLibrary) {
	symbol := func(name string) C.uint64_t { return C.uint64_t(l.Symbol(name)) }
	if len(w.shared) == 0 {
		describeSharedLibc(&l)
		C.prepare_fortran()
	}
	if at := symbol("_gfortran_st_read"); at != 0 {
		C.vr_fortran_library = C.struct_vr_fortran_library{read: at, read_done: symbol("_gfortran_st_read_done"),
			write: symbol("_gfortran_st_write"), write_done: symbol("_gfortran_st_write_done")}
	}
	for i := C.int(0); C.vr_pinning_name(i) != nil; i++ {
		if C.vr_pinning_has_place(i) == 0 {
			C.vr_pinning_place(i, symbol(C.GoString(C.vr_pinning_name(i))))
		}
	}
	w.shared = append(w.shared, l)
	C.vr_shared_library(C.CString(l.Name), C.uint64_t(l.Base), C.uint64_t(uint64(l.Base)+l.Size))
}

// sharedLibrary is the one that ld.so knows by a file's name, if that is a copy; or nil.
func (w *worker) sharedLibrary(file string) *privatize.SharedLibrary {
	for i := range w.shared {
		if l := &w.shared[i]; l.Agreed && l.File == file {
			return l
		}
	}
	return nil
}

func describeSharedLibc(l *privatize.SharedLibrary) {
	symbol := func(name string) C.uint64_t { return C.uint64_t(l.Symbol(name)) }
	number := func(name string) *C.int { return (*C.int)(at(l.Symbol(name))) }
	C.vr_shared_setup(&C.struct_vr_shared_heap{malloc: symbol("malloc"), calloc: symbol("calloc"), realloc: symbol("realloc"), free: symbol("free"),
		memalign: symbol("memalign"), usable: symbol("malloc_usable_size")})
	C.vr_getopt_library = C.struct_vr_getopt_library{getopt: symbol("getopt"), posix_getopt: symbol("__posix_getopt"),
		getopt_long: symbol("getopt_long"), getopt_long_only: symbol("getopt_long_only"),
		optarg: (**C.char)(at(l.Symbol("optarg"))), optind: number("optind"), opterr: number("opterr"), optopt: number("optopt")}
	C.vr_shared_streams((**C.FILE)(at(l.Symbol("stdout"))), symbol("setvbuf"))
}

// introduce gives the libraries of this worker the environment of the first rank that they serve, where that has begun elsewhere.
func (w *worker) introduce(r *rank) {
	if !w.introduced {
		C.vr_rank_introduce(&r.c)
	}
	w.introduced = true
}

// sharedHold is why a rank stays that shares libraries with the others of this worker, for now or for good; "" if it can go.
func (w *worker) sharedHold(r *rank) string {
	if len(w.shared) == 0 {
		return ""
	}
	for _, l := range w.shared {
		if !l.Agreed {
			r.pin("its library " + l.Name + " lies at another address in each worker")
			return r.pinned()
		}
	}
	if C.is_loaded(&r.c) != 0 {
		C.vr_tls_unload()
	}
	why := C.vr_shared_hold(&r.c, C.int(w.region.FD()), C.uint64_t(w.region.Base()))
	C.hold(&r.c, why)
	if why == nil {
		return ""
	}
	return C.GoString(why)
}
