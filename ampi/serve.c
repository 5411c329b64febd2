/* Handing calls to Go: the call record lies in the rank control block, the PE loop takes it from there. */
#include "ampi/ampi.h"

static struct ampi_comm *comm_of(uint64_t handle)
{
	return handle ? ampi_comm((MPI_Comm)handle) : NULL;
}

static struct vr_call *serve(int fn, uint64_t *args, int n)
{
	struct vr_call *c = &vr_context->call;
	c->fn = fn;
	c->nargs = n;
	c->args = args;
	c->ret = 0;
	c->klass = MPI_SUCCESS;
	atomic_store_explicit(&vr_context->state, VR_SERVED, memory_order_relaxed);
	vr_rank_leave(VR_SERVE);
	return c;
}

int ampi_serve_class(int fn, uint64_t *args, int n)
{
	return serve(fn, args, n)->klass;
}

int64_t ampi_serve_as(int name, int fn, uint64_t *args, int n)
{
	struct vr_call *c = serve(fn, args, n);
	if (vr_unlikely(c->klass != MPI_SUCCESS))
		return ampi_raise(comm_of(c->comm), c->klass, name, "%s", c->text);
	return c->ret;
}

int64_t ampi_serve(int fn, uint64_t *args, int n)
{
	return ampi_serve_as(fn, fn, args, n);
}
