/* Error handlers of communicators (MPI 5.0 section 9.3). */
#include "ampi.h"

static int is_predefined(MPI_Errhandler h)
{
	return h == MPI_ERRORS_ARE_FATAL || h == MPI_ERRORS_RETURN || h == MPI_ERRORS_ABORT;
}

static struct ampi_errhandler *find(MPI_Errhandler h)
{
	return ampi_lookup(&ampi_me()->errhandlers, AMPI_ERRHANDLER, (uint64_t)h);
}

void ampi_errhandler_hold(uint64_t handle)
{
	struct ampi_errhandler *h = find((MPI_Errhandler)handle);
	if (h)
		h->refs++;
}

void ampi_errhandler_release(uint64_t handle)
{
	struct ampi_errhandler *h = find((MPI_Errhandler)handle);
	if (!h || --h->refs)
		return;
	ampi_remove(&ampi_me()->errhandlers, handle);
	vr_rank_free(vr_current, h);
}

static int create(int fn, void *function, MPI_Errhandler *out)
{
	struct ampi_errhandler *h = vr_rank_calloc(vr_current, 1, sizeof *h);
	uint64_t handle = h ? ampi_enter(vr_current, &ampi_me()->errhandlers, AMPI_ERRHANDLER, h) : 0;
	if (!handle)
		return ampi_raise(NULL, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice");
	*h = (struct ampi_errhandler){.handle = handle, .refs = 1, .fn = function};
	*out = (MPI_Errhandler)handle;
	return MPI_SUCCESS;
}

int ampi_Comm_create_errhandler(MPI_Comm_errhandler_function *fn, MPI_Errhandler *out)
{
	return create(AMPI_FN_MPI_Comm_create_errhandler, fn, out);
}

int ampi_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler h)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, AMPI_FN_MPI_Comm_set_errhandler);
	if (!is_predefined(h) && !find(h))
		return ampi_raise(c, MPI_ERR_ERRHANDLER, AMPI_FN_MPI_Comm_set_errhandler, "errhandler is not an error handler, or was freed");
	ampi_errhandler_hold((uint64_t)h);
	ampi_errhandler_release(c->errhandler);
	c->errhandler = (uint64_t)h;
	return MPI_SUCCESS;
}

int ampi_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *out)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, AMPI_FN_MPI_Comm_get_errhandler);
	ampi_errhandler_hold(c->errhandler);
	*out = (MPI_Errhandler)c->errhandler;
	return MPI_SUCCESS;
}

int ampi_Errhandler_free(MPI_Errhandler *h)
{
	if (!is_predefined(*h) && !find(*h))
		return ampi_raise(NULL, MPI_ERR_ERRHANDLER, AMPI_FN_MPI_Errhandler_free, "errhandler is not an error handler, or was freed");
	ampi_errhandler_release((uint64_t)*h);
	*h = MPI_ERRHANDLER_NULL;
	return MPI_SUCCESS;
}

int ampi_Comm_call_errhandler(MPI_Comm comm, int code)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, AMPI_FN_MPI_Comm_call_errhandler);
	ampi_raise(c, code, AMPI_FN_MPI_Comm_call_errhandler, "the program raised error code %d", code);
	return MPI_SUCCESS;
}
