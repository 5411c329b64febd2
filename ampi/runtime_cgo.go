package ampi

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/..
#cgo CFLAGS: -I${SRCDIR}/../shim/include -I${SRCDIR}/../shim
#include "ampi/ampi.h"
#include "ampi/rpc/rpc.h"
#include "vrank/libc/life.h"
*/
import "C"

import (
	"unsafe"

	"ampirun/shim"

	// The C core.
	_ "ampirun/ampi/coll"
	_ "ampirun/ampi/comm"
	_ "ampirun/ampi/p2p"
	_ "ampirun/ampi/rpc"
	_ "ampirun/ampi/window"
	_ "ampirun/codeseg"
)

// Table is the address of the function table that programs' shims unpack.
func (s *Server) Table() uintptr {
	C.ampi_rpc_setup()
	C.vr_shim_guarded = unsafe.Pointer(C.ampi_table_guarded()) // ranks that are restarted have it already
	return uintptr(unsafe.Pointer(C.ampi_table()))
}

// Function is the address of an MPI function by its name, MPI_ or PMPI_, for programs that bind it themselves; 0 when it is
// not one. Threads that such a program starts are told apart from the first one.
func (s *Server) Function(name string) uintptr {
	if fn, ok := functionNumbers()[name]; ok {
		return uintptr(C.ampi_table_guarded().fn[fn])
	}
	return 0
}

// Name is the MPI name of a function by its number.
func (s *Server) Name(fn int) string {
	if fn < 0 || fn >= shim.Count {
		return "a call outside of MPI"
	}
	return shim.Function(fn).String()
}

// NewRank gives a rank its MPI state.
func (s *Server) NewRank(rcb unsafe.Pointer) { C.ampi_rank_init((*C.struct_vr_rank)(rcb)) }

// coreServes tells whether C serves a function.
func coreServes(fn shim.Function) bool { return C.ampi_core_serves(C.int(fn)) != 0 }
