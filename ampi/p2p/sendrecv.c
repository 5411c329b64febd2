/* MPI_Sendrecv and MPI_Sendrecv_replace (MPI 5.0 section 3.11): both sides at once. */
#include "ampi/p2p/p2p_args.h"

/* Both sides of a call, checked. */
struct both {
	struct ampi_transfer out, in;
	const void *send;
	void *recv;
	MPI_Count scount, rcount;
	int dest, stag, source, rtag;
};

static int check(struct both *b, int fn, MPI_Datatype stype, MPI_Datatype rtype, MPI_Comm comm)
{
	int error = ampi_check_comm(&b->out, fn, comm);
	if (vr_unlikely(error))
		return error;
	b->in = b->out;
	if (vr_unlikely((error = ampi_check_data(&b->out, b->send, b->scount, stype)) || (error = ampi_check_dest(&b->out, b->dest, b->stag))))
		return error;
	return (error = ampi_check_data(&b->in, b->recv, b->rcount, rtype)) ? error : ampi_check_source(&b->in, b->source, b->rtag);
}

/* Nobody can have matched a receive that has not been waited for, or it is complete. */
static int undo(const struct both *b, struct vr_request *in)
{
	vr_request_cancel(in);
	vr_request_free(in);
	return ampi_no_memory(b->in.comm, b->in.fn);
}

static void wait_both(struct vr_request *in, struct vr_request *out, int fn)
{
	struct vr_request *r[2] = {in, out};
	ampi_in_call(fn);
	if (!(in->flags & VR_RQ_DONE) || (out && !(out->flags & VR_RQ_DONE)))
		vr_request_wait(r, 2, out ? 2 : 1);
	if (out)
		vr_request_free(out);
}

/* The receive is started first, so a message to oneself finds it. */
static int run(const struct both *b, MPI_Status *status)
{
	struct vr_request *in = ampi_recv_start(&b->in, b->recv, b->rcount, b->source, b->rtag);
	if (!in)
		return ampi_no_memory(b->in.comm, b->in.fn);
	struct vr_request *out = ampi_send_start(&b->out, b->send, b->scount, b->dest, b->stag, VR_STANDARD);
	if (out == VR_NO_MEMORY)
		return undo(b, in);
	wait_both(in, out, b->in.fn);
	if (status != MPI_STATUS_IGNORE)
		ampi_status_set(status, in->source, in->got_tag, in->bytes, b->in.comm->handle, 0);
	int error = in->error;
	vr_request_free(in);
	return vr_unlikely(error) ? ampi_receive_failed(b->in.comm, b->in.fn, error, b->rcount) : MPI_SUCCESS;
}

static int sendrecv(int fn, struct both *b, MPI_Datatype stype, MPI_Datatype rtype, MPI_Comm comm, MPI_Status *status)
{
	int error = check(b, fn, stype, rtype, comm);
	return vr_unlikely(error) ? error : run(b, status);
}

/* The data to send is packed away first. */
static int replace(int fn, struct both *b, MPI_Datatype type, MPI_Comm comm, MPI_Status *status)
{
	int error = check(b, fn, type, type, comm);
	if (error)
		return error;
	int64_t bytes = b->scount * b->out.type->size;
	void *copy = vr_rank_alloc(vr_current, bytes);
	if (!copy)
		return ampi_no_memory(b->out.comm, fn);
	vr_type_pack(b->out.type, b->scount, b->send, copy, bytes);
	b->send = copy;
	b->scount = bytes;
	b->out.type = vr_type_predefined((uint64_t)MPI_PACKED);
	error = run(b, status);
	vr_rank_free(vr_current, copy);
	return error;
}

#define CALLS(suffix, number)                                                                                                       \
	int ampi_Sendrecv##suffix(const void *send, number scount, MPI_Datatype stype, int dest, int stag, void *recv, number rcount,  \
				  MPI_Datatype rtype, int source, int rtag, MPI_Comm comm, MPI_Status *status)                         \
	{                                                                                                                              \
		struct both b = {.send = send, .recv = recv, .scount = scount, .rcount = rcount, .dest = dest, .stag = stag,             \
				 .source = source, .rtag = rtag};                                                                         \
		return sendrecv(AMPI_FN_MPI_Sendrecv##suffix, &b, stype, rtype, comm, status);                                            \
	}                                                                                                                              \
	int ampi_Sendrecv_replace##suffix(void *buf, number count, MPI_Datatype type, int dest, int stag, int source, int rtag,         \
					  MPI_Comm comm, MPI_Status *status)                                                              \
	{                                                                                                                              \
		struct both b = {.send = buf, .recv = buf, .scount = count, .rcount = count, .dest = dest, .stag = stag,                 \
				 .source = source, .rtag = rtag};                                                                         \
		return replace(AMPI_FN_MPI_Sendrecv_replace##suffix, &b, type, comm, status);                                             \
	}
CALLS(, int)
CALLS(_c, MPI_Count)
