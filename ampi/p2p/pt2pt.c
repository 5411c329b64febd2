/* Sends and receives, blocking and not (MPI 5.0 sections 3.2, 3.4 and 3.7); buffered sends are in bsend.c. */
#include "ampi/p2p/p2p_args.h"

/* ---- sends ---- */

static inline struct vr_request *start_send(const struct ampi_transfer *t, const void *buf, MPI_Count count, int dest, int tag,
					    enum vr_mode mode)
{
	struct vr_message m;
	if (vr_unlikely(dest == MPI_PROC_NULL))
		return NULL;
	ampi_message(&m, t, buf, count, dest, tag, mode);
	return vr_send_start(&m);
}

struct vr_request *ampi_send_start(const struct ampi_transfer *t, const void *buf, MPI_Count count, int dest, int tag, enum vr_mode mode)
{
	return start_send(t, buf, count, dest, tag, mode);
}

static int send(int fn, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, enum vr_mode mode)
{
	struct ampi_transfer t;
	int error = ampi_check_transfer(&t, fn, comm, buf, count, type);
	if (vr_unlikely(error || (error = ampi_check_dest(&t, dest, tag))))
		return error;
	struct vr_request *r = start_send(&t, buf, count, dest, tag, mode);
	if (vr_likely(!r))
		return MPI_SUCCESS;
	if (r == VR_NO_MEMORY)
		return ampi_no_memory(t.comm, fn);
	ampi_in_call(fn);
	if (!(r->flags & VR_RQ_DONE))
		vr_request_wait(&r, 1, 1);
	vr_request_free(r);
	return MPI_SUCCESS;
}

static int isend(int fn, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, enum vr_mode mode,
		 MPI_Request *out)
{
	struct ampi_transfer t;
	int error = ampi_check_transfer(&t, fn, comm, buf, count, type);
	if (vr_unlikely(error || (error = ampi_check_dest(&t, dest, tag))))
		return error;
	*out = ampi_done_request();
	struct vr_request *r = start_send(&t, buf, count, dest, tag, mode);
	if (!r)
		return MPI_SUCCESS;
	if (r == VR_NO_MEMORY)
		return ampi_no_memory(t.comm, fn);
	r->comm = t.comm->handle;
	r->type = t.type;
	ampi_request_hold_type(r);
	*out = ampi_request_handle(r);
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

/* ---- receives ---- */

static inline struct vr_request *start_recv(const struct ampi_transfer *t, void *buf, MPI_Count count, int source, int tag)
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
	if (vr_unlikely(source == MPI_PROC_NULL))
		ampi_request_null(r);
	else
		vr_recv_start(r);
	return r;
}

struct vr_request *ampi_recv_start(const struct ampi_transfer *t, void *buf, MPI_Count count, int source, int tag)
{
	return start_recv(t, buf, count, source, tag);
}

static int recv(int fn, void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	struct ampi_transfer t;
	int error = ampi_check_transfer(&t, fn, comm, buf, count, type);
	if (vr_unlikely(error || (error = ampi_check_source(&t, source, tag))))
		return error;
	struct vr_request *r = start_recv(&t, buf, count, source, tag);
	if (vr_unlikely(!r))
		return ampi_no_memory(t.comm, fn);
	if (!(r->flags & VR_RQ_DONE)) {
		ampi_in_call(fn);
		vr_request_wait(&r, 1, 1);
	}
	if (status != MPI_STATUS_IGNORE)
		ampi_status_set(status, r->source, r->got_tag, r->bytes, (uint64_t)comm, 0);
	error = r->error;
	vr_request_free(r);
	return vr_unlikely(error) ? ampi_receive_failed(ampi_comm(comm), fn, error, count) : MPI_SUCCESS;
}

static int irecv(int fn, void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *out)
{
	struct ampi_transfer t;
	int error = ampi_check_transfer(&t, fn, comm, buf, count, type);
	if (vr_unlikely(error || (error = ampi_check_source(&t, source, tag))))
		return error;
	struct vr_request *r = start_recv(&t, buf, count, source, tag);
	if (vr_unlikely(!r))
		return ampi_no_memory(t.comm, fn);
	ampi_request_hold_type(r);
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
	return irecv(AMPI_FN_MPI_Irecv, buf, count, type, source, tag, comm, request);
}

int ampi_Irecv_c(void *buf, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
	return irecv(AMPI_FN_MPI_Irecv_c, buf, count, type, source, tag, comm, request);
}
