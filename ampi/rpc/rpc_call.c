/* AMPI_Rpc_ff, AMPI_Rpc, AMPI_Irpc. */
#include "ampi/p2p/p2p_args.h"
#include "ampi/p2p/request.h"
#include "ampi/rpc/rpc.h"

#include "vrank/core/callback.h"
#include "vrank/p2p/active.h"

/* A call that is being made. */
struct call {
	int fn;
	struct ampi_comm *comm;
	int rank;
	const void *function, *arg;
	size_t size;
	void *reply;
	size_t *reply_size;
};

static int check(struct call *c, MPI_Comm comm)
{
	struct ampi_transfer t;
	int error = ampi_check_comm(&t, c->fn, comm);
	if (error)
		return error;
	c->comm = t.comm;
	if (vr_unlikely((uint32_t)c->rank >= (uint32_t)ampi_peer_count(c->comm) && c->rank != MPI_PROC_NULL))
		return ampi_bad_peer(&t, "rank", c->rank);
	if (vr_unlikely(!c->function))
		return ampi_null(c->comm, c->fn, "fn");
	if (vr_unlikely(!c->arg && c->size))
		return ampi_null(c->comm, c->fn, "arg");
	if (vr_unlikely(c->size > INT64_MAX / 2))
		return ampi_raise(c->comm, MPI_ERR_COUNT, c->fn, "size is %zu", c->size);
	return MPI_SUCCESS;
}

static int check_reply(struct call *c, MPI_Comm comm)
{
	int error = check(c, comm);
	if (error)
		return error;
	if (vr_unlikely(!c->reply_size))
		return ampi_null(c->comm, c->fn, "reply_size");
	if (vr_unlikely(!c->reply && *c->reply_size))
		return ampi_null(c->comm, c->fn, "reply");
	if (vr_unlikely(*c->reply_size > INT64_MAX / 2))
		return ampi_raise(c->comm, MPI_ERR_COUNT, c->fn, "*reply_size is %zu", *c->reply_size);
	return MPI_SUCCESS;
}

/* tag: the request that waits for the answer, or 0. The class that was raised, or 0. */
static int start(const struct call *c, int32_t tag, size_t capacity)
{
	int32_t dest = ampi_peer_world(c->comm, c->rank);
	int is_world = c->comm->context == AMPI_CONTEXT_WORLD;
	struct ampi_rpc_call call = {.capacity = capacity, .origin = c->comm->rank};
	char room[VR_LINE];
	int error = ampi_rpc_token(c->comm, c->fn, c->function, dest, 1, &call.token);
	if (vr_unlikely(error))
		return error;
	uint32_t n = ampi_rpc_pack(&call, is_world, room);
	struct vr_active m = {.context = c->comm->context, .source = vr_current->id, .tag = tag, .dest_world = dest, .data = c->arg, .bytes = c->size,
			      .trailer = room + VR_LINE - n, .trailer_bytes = n, .stays = tag != 0};
	return vr_likely(!vr_active_send(vr_current, &m)) ? MPI_SUCCESS : ampi_no_memory(c->comm, c->fn);
}

int ampi_AMPI_Rpc_ff(int rank, AMPI_Rpc_fn fn, const void *arg, size_t size, MPI_Comm comm)
{
	struct call c = {.fn = AMPI_FN_AMPI_Rpc_ff, .rank = rank, .function = (const void *)fn, .arg = arg, .size = size};
	int error = check(&c, comm);
	if (error || rank == MPI_PROC_NULL)
		return error;
	error = start(&c, 0, 0);
	vr_progress(); /* calls to itself run here at the latest */
	return error;
}

/* ---- with an answer ---- */

/* A receive for the answer, and the call; NULL when the error `*error` was raised. */
static struct vr_request *ask(const struct call *c, int *error)
{
	struct vr_request *r = vr_request_alloc(vr_current, VR_REQ_RECV);
	if (!r) {
		*error = ampi_no_memory(c->comm, c->fn);
		return NULL;
	}
	r->context = AMPI_RPC_ANSWER;
	r->peer = r->peer_world = ampi_peer_world(c->comm, c->rank);
	r->tag = (int32_t)r->index;
	r->buf = c->reply;
	r->type = vr_type_predefined((uint64_t)MPI_BYTE);
	r->count = *c->reply_size;
	vr_recv_start(r);
	if (!(*error = start(c, r->tag, *c->reply_size)))
		return r;
	vr_match_unpost(&vr_current->matcher, r);
	vr_request_free(r);
	return NULL;
}

static int failed(struct ampi_comm *c, int fn, int class)
{
	const struct ampi_rpc *s = ampi_me()->rpc;
	return ampi_raise(c, class, fn, "%s", s ? s->failure : "the call failed");
}

int ampi_AMPI_Rpc(int rank, AMPI_Rpc_reply_fn fn, const void *arg, size_t size, void *reply, size_t *reply_size, MPI_Comm comm)
{
	struct call c = {.fn = AMPI_FN_AMPI_Rpc, .rank = rank, .function = (const void *)fn, .arg = arg, .size = size, .reply = reply,
			 .reply_size = reply_size};
	int error = check_reply(&c, comm);
	if (error)
		return error;
	if (rank == MPI_PROC_NULL) {
		*reply_size = 0;
		return MPI_SUCCESS;
	}
	if (vr_unlikely(vr_in_callbacks))
		return ampi_raise(c.comm, MPI_ERR_OTHER, c.fn, "a function that another rank has called waits for nothing: see AMPI_Irpc");
	struct vr_request *r = ask(&c, &error);
	if (!r)
		return error;
	ampi_in_call(c.fn);
	if (!(r->flags & VR_RQ_DONE))
		vr_request_wait(&r, 1, 1);
	error = r->error;
	*reply_size = r->bytes;
	vr_request_free(r);
	return vr_unlikely(error) ? failed(c.comm, c.fn, error) : MPI_SUCCESS;
}

/* ---- behind a request ---- */

struct pending {
	struct ampi_activity activity;
	struct vr_hook half; /* extra of the receive */
	struct vr_request *self, *in;
	size_t *reply_size; /* a canonical address */
};

static void answered(struct vr_request *in)
{
	struct pending *p = (struct pending *)((char *)in->extra - offsetof(struct pending, half));
	*(size_t *)vr_live(p->reply_size) = in->bytes;
	p->self->error = in->error;
	vr_request_complete(p->self);
}

static int status(struct vr_request *r, MPI_Status *s)
{
	const struct pending *p = r->extra;
	ampi_status_set(s, r->peer, 0, p->in ? p->in->bytes : 0, r->comm, 0);
	return r->error;
}

static void release(struct vr_request *r)
{
	struct pending *p = r->extra;
	if (p->in)
		vr_request_free(p->in);
}

static const struct ampi_request_class pending_class = {.status = status, .release = release};

static int start_pending(struct call *c, struct vr_request *r)
{
	struct pending *p = r->extra;
	int error = MPI_SUCCESS;
	r->comm = c->comm->handle;
	r->peer = c->rank;
	p->self = r;
	p->half.completed = answered;
	p->reply_size = vr_canonical(vr_current, c->reply_size);
	if (c->rank == MPI_PROC_NULL) {
		*c->reply_size = 0;
		r->flags |= VR_RQ_DONE;
		return MPI_SUCCESS;
	}
	struct vr_request *in = ask(c, &error);
	if (!in)
		return error;
	p->in = in;
	in->extra = &p->half;
	if (!(in->flags & VR_RQ_DONE)) {
		in->flags |= VR_RQ_HOOK;
	} else {
		*c->reply_size = in->bytes;
		r->error = in->error;
		r->flags |= VR_RQ_DONE;
	}
	return MPI_SUCCESS;
}

int ampi_AMPI_Irpc(int rank, AMPI_Rpc_reply_fn fn, const void *arg, size_t size, void *reply, size_t *reply_size, MPI_Comm comm, MPI_Request *request)
{
	struct call c = {.fn = AMPI_FN_AMPI_Irpc, .rank = rank, .function = (const void *)fn, .arg = arg, .size = size, .reply = reply,
			 .reply_size = reply_size};
	int error = check_reply(&c, comm);
	if (error)
		return error;
	if (vr_unlikely(!request))
		return ampi_null(c.comm, c.fn, "request");
	struct vr_request *r = ampi_request_make(&pending_class, sizeof(struct pending));
	if (!r)
		return ampi_no_memory(c.comm, c.fn);
	if ((error = start_pending(&c, r))) {
		ampi_request_discard(r);
		return error;
	}
	*request = ampi_request_handle(r);
	vr_progress();
	return MPI_SUCCESS;
}

/* ---- where calls run ---- */

int ampi_AMPI_Rpc_progress(int how)
{
	const int fn = AMPI_FN_AMPI_Rpc_progress;
	int error = ampi_check_running(fn);
	if (error)
		return error;
	if (how != AMPI_RPC_IN_CALLS)
		return ampi_raise(NULL, how == AMPI_RPC_PREEMPT ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_ERR_ARG, fn, how == AMPI_RPC_PREEMPT ?
				  "AMPI_RPC_PREEMPT is not served: calls run inside of calls of MPI" : "how is neither AMPI_RPC_IN_CALLS nor AMPI_RPC_PREEMPT");
	vr_rank_yield();
	vr_progress();
	return MPI_SUCCESS;
}
