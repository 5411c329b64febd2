/* MPI_Isendrecv and MPI_Isendrecv_replace (MPI 5.0 section 3.11): a send and a receive behind one request, whose status is
 * that of the receive. */
#include "ampi/p2p/p2p_args.h"
#include "ampi/p2p/request.h"

struct both {
	struct ampi_activity activity;
	struct vr_hook half; /* extra of both requests */
	struct vr_request *self, *in, *out; /* out: NULL when the send was complete at once */
	int pending;
	void *copy; /* what is sent, when one buffer is used for both */
};

static void half_done(struct vr_request *r)
{
	struct both *b = (struct both *)((char *)r->extra - offsetof(struct both, half));
	if (--b->pending == 0)
		vr_request_complete(b->self);
}

static int status(struct vr_request *r, MPI_Status *s)
{
	const struct vr_request *in = ((struct both *)r->extra)->in;
	ampi_status_set(s, in->source, in->got_tag, in->bytes, r->comm, 0);
	return in->error;
}

static void release(struct vr_request *r)
{
	struct both *b = r->extra;
	if (b->in)
		vr_request_free(b->in);
	if (b->out)
		vr_request_free(b->out);
	vr_rank_free(r->rank, b->copy);
}

static const struct ampi_request_class both_class = {.status = status, .release = release};

static void await(struct both *b, struct vr_request *r)
{
	if (!r || (r->flags & VR_RQ_DONE))
		return;
	r->extra = &b->half;
	r->flags |= VR_RQ_HOOK;
	b->pending++;
}

static int give_up(struct both *b, const struct ampi_transfer *t)
{
	if (b->in)
		vr_request_cancel(b->in);
	b->out = NULL;
	ampi_request_discard(b->self);
	return ampi_no_memory(t->comm, t->fn);
}

/* What is to be sent and received, and the request for it. */
struct exchange {
	struct ampi_transfer out, in;
	const void *send;
	void *recv;
	MPI_Count scount, rcount;
	int dest, stag, source, rtag;
	MPI_Request *request;
};

static int check(struct exchange *x, int fn, MPI_Datatype stype, MPI_Datatype rtype, MPI_Comm comm)
{
	int error = ampi_check_comm(&x->out, fn, comm);
	if (error)
		return error;
	x->in = x->out;
	if ((error = ampi_check_data(&x->out, x->send, x->scount, stype)) || (error = ampi_check_dest(&x->out, x->dest, x->stag)) ||
	    (error = ampi_check_data(&x->in, x->recv, x->rcount, rtype)))
		return error;
	return ampi_check_source(&x->in, x->source, x->rtag);
}

/* With one buffer, the data to send are packed away first. */
static int pack_migrated(struct exchange *x, struct both *b)
{
	int64_t bytes = x->scount * x->out.type->size;
	if (!(b->copy = vr_rank_alloc(vr_current, bytes)))
		return -1;
	vr_type_pack(x->out.type, x->scount, x->send, b->copy, bytes);
	x->send = b->copy;
	x->scount = bytes;
	x->out.type = vr_type_predefined((uint64_t)MPI_PACKED);
	return 0;
}

/* The types live as long as the halves. */
static int start_halves(const struct exchange *x, struct both *b)
{
	if (!(b->in = ampi_recv_start(&x->in, x->recv, x->rcount, x->source, x->rtag)))
		return -1;
	ampi_request_hold_type(b->in);
	b->out = ampi_send_start(&x->out, x->send, x->scount, x->dest, x->stag, VR_STANDARD);
	if (b->out == VR_NO_MEMORY)
		return -1;
	if (b->out) {
		b->out->type = x->out.type;
		ampi_request_hold_type(b->out);
	}
	return 0;
}

static int run(struct exchange *x)
{
	struct vr_request *r = ampi_request_make(&both_class, sizeof(struct both));
	if (!r)
		return ampi_no_memory(x->out.comm, x->out.fn);
	struct both *b = r->extra;
	*b = (struct both){.activity = {.class = &both_class}, .half = {half_done}, .self = r};
	r->comm = x->out.comm->handle;
	if ((x->send == x->recv && pack_migrated(x, b)) || start_halves(x, b))
		return give_up(b, &x->out);
	r->context = b->in->context;
	r->peer = x->source;
	r->tag = x->rtag;
	await(b, b->in);
	await(b, b->out);
	if (!b->pending)
		r->flags |= VR_RQ_DONE;
	*x->request = ampi_request_handle(r);
	return MPI_SUCCESS;
}

static int isendrecv(int fn, struct exchange *x, MPI_Datatype stype, MPI_Datatype rtype, MPI_Comm comm)
{
	int error = check(x, fn, stype, rtype, comm);
	return error ? error : run(x);
}

#define CALLS(suffix, number)                                                                                                       \
	int ampi_Isendrecv##suffix(const void *send, number scount, MPI_Datatype stype, int dest, int stag, void *recv, number rcount, \
				   MPI_Datatype rtype, int source, int rtag, MPI_Comm comm, MPI_Request *request)                      \
	{                                                                                                                              \
		struct exchange x = {.send = send, .recv = recv, .scount = scount, .rcount = rcount, .dest = dest, .stag = stag,         \
				     .source = source, .rtag = rtag, .request = request};                                                \
		return isendrecv(AMPI_FN_MPI_Isendrecv##suffix, &x, stype, rtype, comm);                                                  \
	}                                                                                                                              \
	int ampi_Isendrecv_replace##suffix(void *buf, number count, MPI_Datatype type, int dest, int stag, int source, int rtag,         \
					   MPI_Comm comm, MPI_Request *request)                                                          \
	{                                                                                                                              \
		struct exchange x = {.send = buf, .recv = buf, .scount = count, .rcount = count, .dest = dest, .stag = stag,             \
				     .source = source, .rtag = rtag, .request = request};                                                \
		return isendrecv(AMPI_FN_MPI_Isendrecv_replace##suffix, &x, type, type, comm);                                            \
	}
CALLS(, int)
CALLS(_c, MPI_Count)
