/* Calls of AMPI that have nothing to do with balancing. docs/porting.md lists what each means here. */
#include "ampi/ampi.h"

/* ---- waiting for each other ---- */

/* A rank that is resumed before it suspends itself does not sleep: otherwise it would depend on chance whether it ever goes on. */
enum ampi_suspension { AWAKE, SUSPENDED, RESUMED };

int ampi_AMPI_Suspend(void)
{
	const int fn = AMPI_FN_AMPI_Suspend;
	struct ampi_rank *me = ampi_me();
	int32_t awake = AWAKE;
	int error = ampi_check_running(fn);
	if (error)
		return error;
	me->suspended = vr_context;
	if (atomic_compare_exchange_strong(&me->suspension, &awake, SUSPENDED))
		do {
			vr_context->wait = (struct vr_wait){.fn = fn, .peer = VR_NOBODY};
			vr_rank_block();
		} while (atomic_load(&me->suspension) == SUSPENDED);
	atomic_store(&me->suspension, AWAKE);
	return MPI_SUCCESS;
}

int ampi_AMPI_Resume(int dest, MPI_Comm comm)
{
	const int fn = AMPI_FN_AMPI_Resume;
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	int size = c->is_inter ? c->remote_size : c->size;
	if (dest < 0 || dest >= size)
		return ampi_raise(c, MPI_ERR_RANK, fn, "dest is %d, and the communicator has %d ranks there", dest, size);
	struct ampi_rank *other = vr_rank_of(ampi_peer_world(c, dest))->mpi;
	if (atomic_exchange(&other->suspension, RESUMED) == SUSPENDED)
		vr_rank_wake(other->suspended);
	return MPI_SUCCESS;
}

/* ---- collective operations that choose their algorithm there ---- */

int ampi_AMPI_Alltoall_medium(void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	return ampi_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int ampi_AMPI_Alltoall_long(void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, MPI_Comm comm)
{
	return ampi_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

/* ---- others ---- */

int ampi_AMPI_Get_argc(void)
{
	return vr_current->argc;
}

char **ampi_AMPI_Get_argv(void)
{
	return vr_current->argv;
}

/* They bracket what Projections is to show, and do nothing in AMPI's programs that are not linked for it either. */
int ampi_AMPI_Trace_begin(void)
{
	return MPI_SUCCESS;
}

int ampi_AMPI_Trace_end(void)
{
	return MPI_SUCCESS;
}

int ampi_AMPI_Yield(void)
{
	vr_rank_yield();
	return MPI_SUCCESS;
}

int ampi_AMPI_Print(const char *str)
{
	vr_out_printf(vr_current->id, 1, "[%d] %s\n", vr_current->id, str);
	return MPI_SUCCESS;
}

int ampi_AMPI_Type_is_contiguous(MPI_Datatype datatype, int *flag)
{
	const struct vr_type *t = ampi_type(datatype);
	if (!t)
		return ampi_bad_type(NULL, datatype, AMPI_FN_AMPI_Type_is_contiguous);
	*flag = (t->flags & VR_TYPE_CONTIGUOUS) != 0;
	return MPI_SUCCESS;
}
