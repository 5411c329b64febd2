/* Calls from threads that a rank has started. The core is for the rank's first thread alone: what it keeps is not locked, and a call may switch
 * stacks. So from its first pthread_create on a rank calls through a table that looks who calls (guard_gen_amd64.S); until then nobody pays. */
#include <unistd.h>

#include "ampi.h"

extern void *const ampi_guards[AMPI_FN_COUNT];

const struct ampi_shim_table *ampi_table_guarded(void)
{
	static struct ampi_shim_table guarded;
	if (!guarded.count) {
		guarded = *ampi_table();
		for (int i = 0; i < AMPI_FN_COUNT; i++)
			guarded.fn[i] = ampi_guards[i];
	}
	return &guarded;
}

static const char *level_name(int level)
{
	return level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED";
}

/* On the thread that calls function fn. The rank itself may be anywhere, so nothing of it is touched: where errors are returned this one is,
 * else the worker ends. */
int ampi_thread_refuse(int fn)
{
	struct vr_rank *r = vr_current;
	struct ampi_rank *me = ampi_me();
	uint64_t handler = me->self_handled ? me->self.errhandler : me->world.errhandler;
	if (r->mpi_state == VR_MPI_RUNNING && handler == (uint64_t)MPI_ERRORS_RETURN)
		return MPI_ERR_OTHER;
	vr_out_printf(r->id, 2, "ampirun: rank %d: %s failed: it is called by a thread that the rank has started, and the thread level is %s: "
		      "only the first thread calls MPI (MPI_ERR_OTHER)\n", r->id, ampi_name(fn), level_name(ampi_me()->thread_level));
	_exit(MPI_ERR_OTHER);
}

void ampi_thread_abort(int code)
{
	int id = vr_current->id;
	vr_out_printf(id, 2, "ampirun: rank %d: called MPI_Abort with code %d, in a thread that it has started\n", id, code);
	_exit(code & 0xff);
}
