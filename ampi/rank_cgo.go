package ampi

/*
#include "ampi/ampi.h"

static struct ampi_comm *comm_of(struct vr_rank *r, uint64_t handle)
{
	struct ampi_rank *m = r->mpi;
	if (handle == (uint64_t)MPI_COMM_WORLD || handle == (uint64_t)MPI_COMM_SELF) {
		struct ampi_comm *c = handle == (uint64_t)MPI_COMM_WORLD ? &m->world : &m->self;
		return r->mpi_state == VR_MPI_RUNNING ? c : NULL;
	}
	return ampi_lookup(&m->comms, AMPI_COMM, handle);
}

static int is_self(struct vr_rank *r, struct ampi_comm *c)
{
	return c == &((struct ampi_rank *)r->mpi)->self;
}

static int open_sessions(struct vr_rank *r)
{
	return ((struct ampi_rank *)r->mpi)->open_sessions;
}

static int thread_level(struct vr_rank *r)
{
	return ((struct ampi_rank *)r->mpi)->thread_level;
}

static int last_code(struct vr_rank *r, int32_t set)
{
	struct ampi_rank *m = r->mpi;
	if (set)
		m->last_error_code = set;
	return m->last_error_code;
}
*/
import "C"

import (
	"slices"
	"unsafe"

	"ampirun/ampi/mpi"
	"ampirun/shim"
	"ampirun/vrank"
)

// Calls of the C core for itself: enum ampi_internal.
const (
	fnGroupRanks   shim.Function = C.AMPI_FN_GROUP_RANKS
	fnGroupMake    shim.Function = C.AMPI_FN_GROUP_MAKE
	fnErrorText    shim.Function = C.AMPI_FN_ERROR_TEXT
	fnCommHints    shim.Function = C.AMPI_FN_COMM_HINTS
	fnCommInfo     shim.Function = C.AMPI_FN_COMM_INFO
	fnWinHints     shim.Function = C.AMPI_FN_WIN_HINTS
	fnWinInfo      shim.Function = C.AMPI_FN_WIN_INFO
	fnTypeElements shim.Function = C.AMPI_FN_TYPE_ELEMENTS
	fnTypeBytes    shim.Function = C.AMPI_FN_TYPE_BYTES
	fnEnd                        = C.AMPI_FN_END
)

// notRunning is the error of a call that needs MPI running when it is not.
func notRunning(c *vrank.Call) error {
	r := rankOf(c)
	switch {
	case r.mpi_state == C.VR_MPI_RUNNING, C.open_sessions(r) > 0:
		return nil
	case r.mpi_state == C.VR_MPI_BEFORE:
		return mpi.Errorf(mpi.ErrOther, "it is called before MPI_Init")
	}
	return mpi.Errorf(mpi.ErrOther, "it is called after MPI_Finalize")
}

// members is a communicator's local or remote group. The ranks must not be changed.
func (c *call) members(handle uint64, remote bool) (Group, error) {
	comm := C.comm_of(rankOf(c.Call), C.uint64_t(handle))
	switch {
	case handle == mpi.CommNull:
		return Group{}, mpi.Errorf(mpi.ErrComm, "comm is MPI_COMM_NULL")
	case comm == nil:
		return Group{}, mpi.Errorf(mpi.ErrComm, "comm (handle %#x) is not a communicator, or was freed", handle)
	case remote && comm.is_inter == 0:
		return Group{}, &mpi.Fault{Class: mpi.ErrComm, Comm: handle, Text: "comm is not an intercommunicator"}
	case remote:
		return Group{worldRanks(comm.remote_world, comm.remote_size), uint32(comm.session)}, nil
	case C.is_self(rankOf(c.Call), comm) != 0:
		return Group{Ranks: []int32{int32(c.Rank)}}, nil
	case comm.world == nil:
		return Group{c.server.allRanks(int(comm.size)), uint32(comm.session)}, nil
	}
	return Group{worldRanks(comm.world, comm.size), uint32(comm.session)}, nil
}

func worldRanks(at *C.int32_t, n C.int32_t) []int32 {
	return slices.Clone(unsafe.Slice((*int32)(unsafe.Pointer(at)), int(n)))
}

// threadLevel is what MPI_Init_thread provided.
func (c *call) threadLevel() int { return int(C.thread_level(rankOf(c.Call))) }

// setLastCode tells C the value of MPI_LASTUSEDCODE.
func (c *call) setLastCode(code int) { C.last_code(rankOf(c.Call), C.int32_t(code)) }

// told is what the last error of a class was, "" when the last one was another.
func (c *call) told(class int) string {
	m := (*C.struct_ampi_rank)(rankOf(c.Call).mpi)
	if m == nil || m.told == nil || int(m.told_class) != class {
		return ""
	}
	return C.GoString(m.told)
}
