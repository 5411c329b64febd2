/* Persistent point-to-point requests (MPI 5.0 section 3.9): the arguments are kept, each start is a send or receive. */
#include "ampi/p2p/bsend.h"
#include "ampi/p2p/p2p_args.h"
#include "ampi/p2p/request.h"

struct persistent {
	struct ampi_activity activity;
	struct vr_message m; /* of a receive: buf, count, type, context, tag; dest is the peer */
};

static int start_send(int fn, struct vr_request *r, const struct vr_message *m)
{
	struct ampi_comm *c = ampi_comm((MPI_Comm)r->comm);
	if (m->mode == VR_BUFFERED) {
		int error = ampi_bsend(c, fn, m);
		if (!error)
			vr_request_complete(r);
		return error;
	}
	return vr_send_start_on(r, m) ? ampi_no_memory(c, fn) : MPI_SUCCESS;
}

static int start(int fn, struct vr_request *r)
{
	const struct vr_message *m = &((struct persistent *)r->extra)->m;
	if (m->dest == MPI_PROC_NULL) {
		ampi_request_null(r);
		return MPI_SUCCESS;
	}
	if (r->kind == VR_REQ_SEND)
		return start_send(fn, r, m);
	r->buf = (void *)m->buf;
	r->count = m->count;
	vr_recv_start(r);
	return MPI_SUCCESS;
}

static const struct ampi_request_class persistent_class = {.start = start};

static int make(const struct ampi_transfer *t, enum vr_request_kind kind, const struct vr_message *m, MPI_Request *out)
{
	struct vr_request *r = ampi_request_make(&persistent_class, sizeof(struct persistent));
	if (!r)
		return ampi_no_memory(t->comm, t->fn);
	((struct persistent *)r->extra)->m = *m;
	r->kind = kind;
	r->type = t->type;
	r->context = m->context;
	r->peer = m->dest;
	r->peer_world = m->dest_world;
	r->tag = m->tag;
	r->comm = t->comm->handle;
	ampi_request_hold_type(r);
	*out = ampi_request_handle(r);
	return MPI_SUCCESS;
}

static int prepare(int fn, enum vr_request_kind kind, const void *buf, MPI_Count count, MPI_Datatype type, int peer, int tag,
		   MPI_Comm comm, enum vr_mode mode, MPI_Request *out)
{
	struct ampi_transfer t;
	int error = ampi_check_transfer(&t, fn, comm, buf, count, type);
	if (!error)
		error = kind == VR_REQ_RECV ? ampi_check_source(&t, peer, tag) : ampi_check_dest(&t, peer, tag);
	if (error)
		return error;
	struct vr_message m = {.buf = buf, .count = count, .type = t.type, .context = t.comm->context, .source = t.comm->rank,
			       .dest = peer, .dest_world = peer < 0 ? -1 : ampi_peer_world(t.comm, peer), .tag = tag, .mode = mode};
	return make(&t, kind, &m, out);
}

/* The started request keeps only what belongs to its handle. When it cannot be started it is inactive again. */
static int start_handle(int fn, MPI_Request h)
{
	struct vr_request *r = ampi_request(h);
	if (!r)
		return ampi_bad_request(fn, h);
	if (!(r->flags & VR_RQ_PERSISTENT))
		return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request is not a persistent request");
	if (r->flags & VR_RQ_ACTIVE)
		return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request is active already");
	r->flags = (r->flags & (VR_RQ_PERSISTENT | VR_RQ_HOLDS_TYPE)) | VR_RQ_ACTIVE;
	r->error = 0;
	r->bytes = 0;
	int error = ampi_activity(r)->class->start(fn, r);
	if (error)
		r->flags &= ~VR_RQ_ACTIVE;
	return error;
}

int ampi_Start(MPI_Request *h)
{
	return start_handle(AMPI_FN_MPI_Start, *h);
}

int ampi_Startall(int n, MPI_Request h[])
{
	const int fn = AMPI_FN_MPI_Startall;
	if (n < 0)
		return ampi_raise(NULL, MPI_ERR_COUNT, fn, "count is %d", n);
	for (int i = 0; i < n; i++) {
		int error = start_handle(fn, h[i]);
		if (error)
			return error;
	}
	return MPI_SUCCESS;
}

#define INITS(X, kind, mode, qualifier)                                                                                             \
	int ampi_##X(qualifier void *buf, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *request)       \
	{                                                                                                                             \
		return prepare(AMPI_FN_MPI_##X, kind, buf, count, type, peer, tag, comm, mode, request);                              \
	}                                                                                                                             \
	int ampi_##X##_c(qualifier void *buf, MPI_Count count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,                   \
			 MPI_Request *request)                                                                                        \
	{                                                                                                                             \
		return prepare(AMPI_FN_MPI_##X##_c, kind, buf, count, type, peer, tag, comm, mode, request);                          \
	}
INITS(Send_init, VR_REQ_SEND, VR_STANDARD, const)
INITS(Ssend_init, VR_REQ_SEND, VR_SYNCHRONOUS, const)
INITS(Rsend_init, VR_REQ_SEND, VR_READY_MODE, const)
INITS(Bsend_init, VR_REQ_SEND, VR_BUFFERED, const)
INITS(Recv_init, VR_REQ_RECV, VR_STANDARD, )
