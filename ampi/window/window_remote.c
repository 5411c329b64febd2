/* Operations on memory that only the target's worker has: thread-local variables, initialised data that is still a mapping of the program's file,
 * mapped files, memory outside of slices. The origin sends what is to be done to the inbox of the target, whose worker does it when it looks there,
 * and sleeps meanwhile. What is the origin's own is copied to its heap, which all workers have. */
#include "ampi/window/accumulate.h"

struct remote {
	struct vr_work work; /* in the inbox of the target */
	void (*run)(struct remote *);
	struct vr_context *asker;
	const struct ampi_rma *rma;
	struct vr_data here; /* bytes of the origin, dense */
	struct ampi_combine combine;
	struct ampi_swap swap;
	int32_t failed;
};

static const struct vr_type *bytes_type(void)
{
	return vr_type_predefined((uint64_t)MPI_BYTE);
}

/* In the target's worker. The asker may be gone as soon as it is awake. */
static void arrived(struct vr_work *w)
{
	struct remote *r = (struct remote *)w;
	r->run(r);
	vr_rank_wake(r->asker);
}

/* A target that computes is preempted for it, as a window is open. */
static void ask(struct remote *r, const struct ampi_rma *o, void (*run)(struct remote *))
{
	r->work.run = arrived;
	r->work.node.kind = VR_NODE_RUN;
	r->run = run;
	r->asker = vr_context;
	r->rma = o;
	vr_context->wait = (struct vr_wait){.fn = o->fn, .peer = o->rank, .tag = VR_WAITS_FOR_OPERATION, .context = o->win->comm->context};
	vr_inbox_push(o->target->rank, &r->work.node);
	vr_rank_block();
}

static struct vr_data there(const struct remote *r)
{
	struct vr_data d = r->rma->there;
	d.buf = vr_live(d.buf);
	return d;
}

static void run_put(struct remote *r)
{
	vr_type_copy(there(r), r->here, r->here.count);
}

static void run_get(struct remote *r)
{
	vr_type_copy(r->here, there(r), r->here.count);
}

static void run_combine(struct remote *r)
{
	r->failed = ampi_combine_run(&r->combine, r->rma->target, there(r), r->rma->target->rank);
}

static void run_swap(struct remote *r)
{
	ampi_swap_run(&r->swap, r->rma->target, there(r).buf);
}

static int here_open(struct remote *r, const struct ampi_rma *o, int64_t bytes)
{
	*r = (struct remote){.here = {vr_rank_alloc(vr_current, bytes), bytes, bytes_type()}};
	return r->here.buf ? MPI_SUCCESS : ampi_win_no_memory(o->win, o->fn);
}

int ampi_rma_remote_put(const struct ampi_rma *o, struct vr_data from, int64_t bytes)
{
	struct remote r;
	int error = here_open(&r, o, bytes);
	if (error)
		return error;
	vr_type_copy(r.here, from, bytes);
	ask(&r, o, run_put);
	vr_rank_free(vr_current, r.here.buf);
	return MPI_SUCCESS;
}

int ampi_rma_remote_get(const struct ampi_rma *o, struct vr_data to, int64_t bytes)
{
	struct remote r;
	int error = here_open(&r, o, bytes);
	if (error)
		return error;
	ask(&r, o, run_get);
	vr_type_copy(to, r.here, bytes);
	vr_rank_free(vr_current, r.here.buf);
	return MPI_SUCCESS;
}

/* Both arrays go, one behind the other. */
int ampi_combine_remote(const struct ampi_rma *o, const struct ampi_combine *c)
{
	int64_t bytes = c->n * c->element->extent;
	struct remote r;
	int error = here_open(&r, o, 2 * bytes);
	if (error)
		return error;
	char *in = r.here.buf, *result = in + bytes;
	r.combine = *c;
	if (c->in)
		r.combine.in = memcpy(in, c->in, bytes);
	if (c->result)
		r.combine.result = result;
	ask(&r, o, run_combine);
	if (c->result && !r.failed)
		memcpy(c->result, result, bytes);
	vr_rank_free(vr_current, in);
	return r.failed ? ampi_win_no_memory(o->win, o->fn) : MPI_SUCCESS;
}

void ampi_swap_remote(const struct ampi_rma *o, const struct ampi_swap *s)
{
	struct {
		alignas(32) char byte[32];
	} origin, compare, result;
	struct remote r = {.swap = {&origin, &compare, &result, s->bytes}};
	memcpy(&origin, s->origin, s->bytes);
	memcpy(&compare, s->compare, s->bytes);
	ask(&r, o, run_swap);
	memcpy(s->result, &result, s->bytes);
}
