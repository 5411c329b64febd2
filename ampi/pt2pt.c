/* Point-to-point calls: argument checks, then the core (MPI 5.0 chapter 3). */
#include "ampi.h"

/* What all sends and receives are given, checked. */
struct transfer {
	struct ampi_comm *comm;
	const struct vr_type *type;
	int fn;
};

static int check(struct transfer *t, int fn, MPI_Comm comm, MPI_Count count, MPI_Datatype type)
{
	t->fn = fn;
	t->comm = ampi_comm(comm);
	if (vr_unlikely(!t->comm))
		return ampi_bad_comm(comm, fn);
	t->type = ampi_type(type);
	if (vr_unlikely(count < 0))
		return ampi_raise(t->comm, MPI_ERR_COUNT, fn, "count is %lld", (long long)count);
	if (vr_unlikely(!t->type || !(t->type->flags & VR_TYPE_COMMITTED)))
		return ampi_bad_type(t->comm, type, fn);
	return MPI_SUCCESS;
}

static int bad_peer(const struct transfer *t, const char *name, int peer)
{
	return ampi_raise(t->comm, MPI_ERR_RANK, t->fn, "%s is %d, in a communicator of %d", name, peer, ampi_peer_count(t->comm));
}

static int check_dest(const struct transfer *t, int dest, int tag)
{
	if (vr_unlikely((uint32_t)dest >= (uint32_t)ampi_peer_count(t->comm) && dest != MPI_PROC_NULL))
		return bad_peer(t, "dest", dest);
	if (vr_unlikely(tag < 0))
		return ampi_raise(t->comm, MPI_ERR_TAG, t->fn, "tag is %d", tag);
	return MPI_SUCCESS;
}

static int check_source(const struct transfer *t, int source, int tag)
{
	if (vr_unlikely((uint32_t)source >= (uint32_t)ampi_peer_count(t->comm) && source != MPI_ANY_SOURCE && source != MPI_PROC_NULL))
		return bad_peer(t, "source", source);
	if (vr_unlikely(tag < 0 && tag != MPI_ANY_TAG))
		return ampi_raise(t->comm, MPI_ERR_TAG, t->fn, "tag is %d", tag);
	return MPI_SUCCESS;
}

static int32_t peer_world(const struct ampi_comm *c, int32_t peer)
{
	return vr_unlikely(c->is_inter) ? c->remote_world[peer] : ampi_to_world(c, peer);
}

static int no_memory(const struct transfer *t)
{
	return ampi_raise(t->comm, MPI_ERR_NO_MEM, t->fn, "the rank's slice is full: see +slice");
}

static void hold_type(struct vr_request *r)
{
	if (r->type->flags & VR_TYPE_PREDEFINED)
		return;
	((struct vr_type *)r->type)->refs++;
	r->flags |= VR_RQ_HOLDS_TYPE;
}

/* What a deadlock report says of a rank that sleeps in this call. */
static inline void in_call(int fn)
{
	vr_current->wait.fn = fn;
}

/* ---- sends ---- */

static void message(struct vr_message *m, const struct transfer *t, const void *buf, MPI_Count count, int dest, int tag, enum vr_mode mode)
{
	*m = (struct vr_message){.buf = buf, .count = count, .type = t->type, .context = t->comm->context, .source = t->comm->rank,
				 .dest = dest, .dest_world = peer_world(t->comm, dest), .tag = tag, .mode = mode};
}

static int send(int fn, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, enum vr_mode mode)
{
	struct transfer t;
	struct vr_message m;
	int error = check(&t, fn, comm, count, type);
	if (vr_unlikely(error || (error = check_dest(&t, dest, tag)) || dest == MPI_PROC_NULL))
		return error;
	message(&m, &t, buf, count, dest, tag, mode);
	struct vr_request *r = vr_send_start(&m);
	if (vr_likely(!r))
		return MPI_SUCCESS;
	if (r == VR_NO_MEMORY)
		return no_memory(&t);
	in_call(fn);
	if (!(r->flags & VR_RQ_DONE))
		vr_request_wait(&r, 1, 1);
	vr_request_free(r);
	return MPI_SUCCESS;
}

/* The request that sends which are already complete share. */
static MPI_Request done_request(void)
{
	return (MPI_Request)AMPI_HANDLE(AMPI_REQUEST, 0);
}

static int isend(int fn, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, enum vr_mode mode,
		 MPI_Request *out)
{
	struct transfer t;
	struct vr_message m;
	int error = check(&t, fn, comm, count, type);
	if (vr_unlikely(error || (error = check_dest(&t, dest, tag))))
		return error;
	*out = done_request();
	if (vr_unlikely(dest == MPI_PROC_NULL))
		return MPI_SUCCESS;
	message(&m, &t, buf, count, dest, tag, mode);
	struct vr_request *r = vr_send_start(&m);
	if (!r)
		return MPI_SUCCESS;
	if (r == VR_NO_MEMORY)
		return no_memory(&t);
	r->comm = t.comm->handle;
	r->type = t.type;
	hold_type(r);
	*out = ampi_request_handle(r);
	return MPI_SUCCESS;
}

/* ---- buffered sends (MPI 5.0 section 3.6): the message is copied into the slice; the attached buffer bounds how much ---- */

static void sweep_buffered(struct ampi_rank *me)
{
	struct vr_request **at = &me->buffered, *r;
	while ((r = *at)) {
		if (!(r->flags & VR_RQ_DONE)) {
			at = (struct vr_request **)&r->extra;
			continue;
		}
		*at = r->extra;
		me->attached_used -= r->bytes;
		vr_request_free(r);
	}
}

static int buffered(int fn, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	struct transfer t;
	struct vr_message m;
	struct ampi_rank *me = ampi_me();
	int error = check(&t, fn, comm, count, type);
	if (error || (error = check_dest(&t, dest, tag)) || dest == MPI_PROC_NULL)
		return error;
	int64_t bytes = count * t.type->size + MPI_BSEND_OVERHEAD;
	sweep_buffered(me);
	if (me->attached != MPI_BUFFER_AUTOMATIC && me->attached_used + bytes > me->attached_size)
		return ampi_raise(t.comm, MPI_ERR_BUFFER, fn, "the attached buffer of %lld bytes has no room for %lld more",
				  (long long)me->attached_size, (long long)bytes);
	message(&m, &t, buf, count, dest, tag, VR_BUFFERED);
	struct vr_request *r = vr_send_start(&m);
	if (r == VR_NO_MEMORY)
		return no_memory(&t);
	if (!r)
		return MPI_SUCCESS;
	r->bytes = bytes;
	r->extra = me->buffered;
	me->buffered = r;
	me->attached_used += bytes;
	return MPI_SUCCESS;
}

static int attach(int fn, void *buffer, MPI_Count size)
{
	struct ampi_rank *me = ampi_me();
	if (size < 0)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "size is %lld", (long long)size);
	if (me->attached)
		return ampi_raise(NULL, MPI_ERR_BUFFER, fn, "a buffer is attached already");
	me->attached = buffer;
	me->attached_size = size;
	me->attached_used = 0;
	return MPI_SUCCESS;
}

/* Waits until all messages have left the buffer. */
static void drain_buffer(struct ampi_rank *me, int fn)
{
	in_call(fn);
	for (sweep_buffered(me); me->buffered; sweep_buffered(me)) {
		struct vr_request *r = me->buffered;
		vr_request_wait(&r, 1, 1);
	}
}

static int64_t detach(int fn, void *buffer_addr)
{
	struct ampi_rank *me = ampi_me();
	int64_t size = me->attached_size;
	drain_buffer(me, fn);
	*(void **)buffer_addr = me->attached;
	me->attached = NULL;
	me->attached_size = 0;
	return size;
}

int ampi_Buffer_attach(void *buffer, int size)
{
	return attach(AMPI_FN_MPI_Buffer_attach, buffer, size);
}

int ampi_Buffer_attach_c(void *buffer, MPI_Count size)
{
	return attach(AMPI_FN_MPI_Buffer_attach_c, buffer, size);
}

int ampi_Buffer_detach(void *buffer_addr, int *size)
{
	*size = (int)detach(AMPI_FN_MPI_Buffer_detach, buffer_addr);
	return MPI_SUCCESS;
}

int ampi_Buffer_detach_c(void *buffer_addr, MPI_Count *size)
{
	*size = detach(AMPI_FN_MPI_Buffer_detach_c, buffer_addr);
	return MPI_SUCCESS;
}

int ampi_Buffer_flush(void)
{
	drain_buffer(ampi_me(), AMPI_FN_MPI_Buffer_flush);
	return MPI_SUCCESS;
}

#define SENDS(X, mode)                                                                                                              \
	int ampi_##X(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)                                 \
	{                                                                                                                             \
		return send(AMPI_FN_MPI_##X, buf, count, type, dest, tag, comm, mode);                                                \
	}                                                                                                                             \
	int ampi_##X##_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)                       \
	{                                                                                                                             \
		return send(AMPI_FN_MPI_##X##_c, buf, count, type, dest, tag, comm, mode);                                            \
	}
SENDS(Send, VR_STANDARD)
SENDS(Ssend, VR_SYNCHRONOUS)
SENDS(Rsend, VR_READY_MODE)

#define ISENDS(X, mode)                                                                                                             \
	int ampi_##X(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)           \
	{                                                                                                                             \
		return isend(AMPI_FN_MPI_##X, buf, count, type, dest, tag, comm, mode, request);                                      \
	}                                                                                                                             \
	int ampi_##X##_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request) \
	{                                                                                                                             \
		return isend(AMPI_FN_MPI_##X##_c, buf, count, type, dest, tag, comm, mode, request);                                  \
	}
ISENDS(Isend, VR_STANDARD)
ISENDS(Issend, VR_SYNCHRONOUS)
ISENDS(Irsend, VR_READY_MODE)

int ampi_Bsend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	return buffered(AMPI_FN_MPI_Bsend, buf, count, type, dest, tag, comm);
}

int ampi_Bsend_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	return buffered(AMPI_FN_MPI_Bsend_c, buf, count, type, dest, tag, comm);
}

int ampi_Ibsend(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	*request = done_request();
	return buffered(AMPI_FN_MPI_Ibsend, buf, count, type, dest, tag, comm);
}

int ampi_Ibsend_c(const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	*request = done_request();
	return buffered(AMPI_FN_MPI_Ibsend_c, buf, count, type, dest, tag, comm);
}

/* ---- receives ---- */

static struct vr_request *recv_request(const struct transfer *t, void *buf, MPI_Count count, int source, int tag)
{
	struct vr_request *r = vr_request_alloc(vr_current, VR_REQ_RECV);
	if (vr_unlikely(!r))
		return NULL;
	r->buf = buf;
	r->count = count;
	r->type = t->type;
	r->context = t->comm->context;
	r->peer = source;
	r->tag = tag;
	r->comm = t->comm->handle;
	return r;
}

static int irecv(int fn, void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, struct vr_request **out)
{
	struct transfer t;
	int error = check(&t, fn, comm, count, type);
	if (vr_unlikely(error || (error = check_source(&t, source, tag))))
		return error;
	struct vr_request *r = recv_request(&t, buf, count, source, tag);
	if (vr_unlikely(!r))
		return no_memory(&t);
	*out = r;
	if (vr_unlikely(source == MPI_PROC_NULL)) {
		r->source = MPI_PROC_NULL;
		r->got_tag = MPI_ANY_TAG;
		r->flags |= VR_RQ_DONE;
		return MPI_SUCCESS;
	}
	vr_recv_start(r);
	return MPI_SUCCESS;
}

static int recv(int fn, void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	struct vr_request *r;
	int error = irecv(fn, buf, count, type, source, tag, comm, &r);
	if (vr_unlikely(error))
		return error;
	if (!(r->flags & VR_RQ_DONE)) {
		in_call(fn);
		vr_request_wait(&r, 1, 1);
	}
	if (status != MPI_STATUS_IGNORE)
		ampi_status_set(status, r->source, r->got_tag, r->bytes, 0);
	error = r->error;
	vr_request_free(r);
	if (vr_unlikely(error))
		return ampi_raise(ampi_comm(comm), error, fn, "the message is longer than the buffer of %lld elements", (long long)count);
	return MPI_SUCCESS;
}

static int irecv_handle(int fn, void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *out)
{
	struct vr_request *r;
	int error = irecv(fn, buf, count, type, source, tag, comm, &r);
	if (error)
		return error;
	hold_type(r);
	*out = ampi_request_handle(r);
	return MPI_SUCCESS;
}

int ampi_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	return recv(AMPI_FN_MPI_Recv, buf, count, type, source, tag, comm, status);
}

int ampi_Recv_c(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	return recv(AMPI_FN_MPI_Recv_c, buf, count, type, source, tag, comm, status);
}

int ampi_Irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	return irecv_handle(AMPI_FN_MPI_Irecv, buf, count, type, source, tag, comm, request);
}

int ampi_Irecv_c(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	return irecv_handle(AMPI_FN_MPI_Irecv_c, buf, count, type, source, tag, comm, request);
}
