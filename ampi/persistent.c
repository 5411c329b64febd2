/* Persistent point-to-point requests (MPI 5.0 section 3.9): the arguments are kept, each start is a send or receive. */
#include "ampi.h"

struct persistent {
	struct vr_message m; /* of a receive: buf, count, type, context, tag; source is the peer */
	int32_t null; /* the peer is MPI_PROC_NULL */
};

static int prepare(int fn, enum vr_request_kind kind, const void *buf, MPI_Count count, MPI_Datatype type, int peer, int tag,
		   MPI_Comm comm, enum vr_mode mode, MPI_Request *out)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	const struct vr_type *t = ampi_type(type);
	if (count < 0)
		return ampi_raise(c, MPI_ERR_COUNT, fn, "count is %lld", (long long)count);
	if (!t || !(t->flags & VR_TYPE_COMMITTED))
		return ampi_bad_type(c, type, fn);
	int wild = kind == VR_REQ_RECV && peer == MPI_ANY_SOURCE, n = ampi_peer_count(c);
	if ((uint32_t)peer >= (uint32_t)n && peer != MPI_PROC_NULL && !wild)
		return ampi_raise(c, MPI_ERR_RANK, fn, "%s is %d, in a communicator of %d", kind == VR_REQ_RECV ? "source" : "dest", peer, n);
	if (tag < 0 && !(kind == VR_REQ_RECV && tag == MPI_ANY_TAG))
		return ampi_raise(c, MPI_ERR_TAG, fn, "tag is %d", tag);
	struct vr_request *r = vr_request_alloc(vr_current, kind);
	struct persistent *p = r ? vr_rank_calloc(vr_current, 1, sizeof *p) : NULL;
	if (!p)
		return ampi_raise(c, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice");
	int world = peer < 0 ? -1 : c->is_inter ? c->remote_world[peer] : ampi_to_world(c, peer);
	p->null = peer == MPI_PROC_NULL;
	p->m = (struct vr_message){.buf = buf, .count = count, .type = t, .context = c->context, .source = c->rank, .dest = peer,
				   .dest_world = world, .tag = tag, .mode = mode};
	r->flags = VR_RQ_PERSISTENT;
	r->extra = p;
	r->type = t;
	r->context = c->context;
	r->peer = peer;
	r->peer_world = world;
	r->tag = tag;
	r->comm = c->handle;
	if (!(t->flags & VR_TYPE_PREDEFINED)) {
		((struct vr_type *)t)->refs++;
		r->flags |= VR_RQ_HOLDS_TYPE;
	}
	*out = ampi_request_handle(r);
	return MPI_SUCCESS;
}

static int start(int fn, struct vr_request *r)
{
	const struct persistent *p = r->extra;
	r->flags = (r->flags & (VR_RQ_PERSISTENT | VR_RQ_HOLDS_TYPE)) | VR_RQ_ACTIVE;
	r->error = 0;
	r->bytes = 0;
	if (p->null) {
		r->source = MPI_PROC_NULL;
		r->got_tag = MPI_ANY_TAG;
		r->flags |= VR_RQ_DONE;
		return MPI_SUCCESS;
	}
	if (r->kind == VR_REQ_SEND)
		return vr_send_start_on(r, &p->m) ? ampi_raise(NULL, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice") : MPI_SUCCESS;
	r->buf = (void *)p->m.buf;
	r->count = p->m.count;
	vr_recv_start(r);
	return MPI_SUCCESS;
}

static int start_handle(int fn, MPI_Request h)
{
	struct vr_request *r = ampi_request(h);
	if (!r || !(r->flags & VR_RQ_PERSISTENT))
		return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request is not a persistent request");
	if (r->flags & VR_RQ_ACTIVE)
		return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request is active already");
	return start(fn, r);
}

int ampi_Start(MPI_Request *h)
{
	return start_handle(AMPI_FN_MPI_Start, *h);
}

int ampi_Startall(int n, MPI_Request h[])
{
	if (n < 0)
		return ampi_raise(NULL, MPI_ERR_COUNT, AMPI_FN_MPI_Startall, "count is %d", n);
	for (int i = 0; i < n; i++) {
		int error = start_handle(AMPI_FN_MPI_Startall, h[i]);
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
