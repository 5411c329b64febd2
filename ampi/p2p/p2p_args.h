/* What all point-to-point calls are given, and its checks (MPI 5.0 section 3.2). The checks are inline, what they say when
 * one fails is in p2p_args.c. Everything here is for a rank's stack; checks may call the program's error handler. */
#ifndef AMPI_P2P_ARGS_H
#define AMPI_P2P_ARGS_H

#include "ampi/ampi.h"
#include "ampi/buffer.h"

/* A buffer's worth of data in a call on a communicator, checked. */
struct ampi_transfer {
	struct ampi_comm *comm;
	const struct vr_type *type;
	int fn;
};

/* Raise what is wrong with an argument; each returns the class. */
int ampi_bad_count(struct ampi_comm *c, int fn, MPI_Count count);
int ampi_bad_buffer(struct ampi_comm *c, int fn, const void *buf);
int ampi_bad_peer(const struct ampi_transfer *t, const char *name, int peer);
int ampi_bad_tag(const struct ampi_transfer *t, int tag);
int ampi_bad_pointer(struct ampi_comm *c, int fn, const char *name);

/* A communicator is there (or NULL: the call has none); count elements of a type at buf. No elements of no type are let pass:
 * programs send them, and MPICH does not mind. */
static inline int ampi_check_data(struct ampi_transfer *t, const void *buf, MPI_Count count, MPI_Datatype type)
{
	t->type = ampi_type(type);
	if (vr_unlikely(!t->type || !(t->type->flags & VR_TYPE_COMMITTED))) {
		if (count || type != MPI_DATATYPE_NULL)
			return ampi_bad_type(t->comm, type, t->fn);
		t->type = vr_type_predefined((uint64_t)MPI_BYTE);
	}
	if (ampi_is_no_count(count, t->type))
		return ampi_bad_count(t->comm, t->fn, count);
	if (ampi_is_no_buffer(buf, count, t->type))
		return ampi_bad_buffer(t->comm, t->fn, buf);
	return MPI_SUCCESS;
}

static inline int ampi_check_comm(struct ampi_transfer *t, int fn, MPI_Comm comm)
{
	t->fn = fn;
	t->comm = ampi_comm(comm);
	return vr_unlikely(!t->comm) ? ampi_bad_comm(comm, fn) : MPI_SUCCESS;
}

static inline int ampi_check_transfer(struct ampi_transfer *t, int fn, MPI_Comm comm, const void *buf, MPI_Count count, MPI_Datatype type)
{
	int error = ampi_check_comm(t, fn, comm);
	return vr_unlikely(error) ? error : ampi_check_data(t, buf, count, type);
}

static inline int ampi_check_dest(const struct ampi_transfer *t, int dest, int tag)
{
	if (vr_unlikely((uint32_t)dest >= (uint32_t)ampi_peer_count(t->comm) && dest != MPI_PROC_NULL))
		return ampi_bad_peer(t, "dest", dest);
	return vr_unlikely(tag < 0) ? ampi_bad_tag(t, tag) : MPI_SUCCESS;
}

static inline int ampi_check_source(const struct ampi_transfer *t, int source, int tag)
{
	if (vr_unlikely((uint32_t)source >= (uint32_t)ampi_peer_count(t->comm) && source != MPI_ANY_SOURCE && source != MPI_PROC_NULL))
		return ampi_bad_peer(t, "source", source);
	return vr_unlikely(tag < 0 && tag != MPI_ANY_TAG) ? ampi_bad_tag(t, tag) : MPI_SUCCESS;
}

/* Where a result goes, when the table's own checks (shim/gen/needs.go) do not see to it. */
static inline int ampi_check_out(struct ampi_comm *c, int fn, const char *name, const void *out)
{
	return vr_unlikely(!out) ? ampi_bad_pointer(c, fn, name) : MPI_SUCCESS;
}

/* What a deadlock report says of a rank that sleeps in this call. */
static inline void ampi_in_call(int fn)
{
	vr_context->wait.fn = fn;
}

/* A request that outlives its call keeps a derived type alive. */
static inline void ampi_request_hold_type(struct vr_request *r)
{
	if (r->type->flags & VR_TYPE_PREDEFINED)
		return;
	((struct vr_type *)r->type)->refs++;
	r->flags |= VR_RQ_HOLDS_TYPE;
}

/* The status of anything that concerns MPI_PROC_NULL: it is complete. */
static inline void ampi_request_null(struct vr_request *r)
{
	r->source = MPI_PROC_NULL;
	r->got_tag = MPI_ANY_TAG;
	r->flags |= VR_RQ_DONE;
}

/* ---- starting, with checked arguments: pt2pt.c ---- */

/* NULL: the send is complete. VR_NO_MEMORY: the slice is full. Else the request to wait for. */
struct vr_request *ampi_send_start(const struct ampi_transfer *t, const void *buf, MPI_Count count, int dest, int tag, enum vr_mode mode);

/* NULL: the slice is full. Else the request, which may be complete. */
struct vr_request *ampi_recv_start(const struct ampi_transfer *t, void *buf, MPI_Count count, int source, int tag);

static inline void ampi_message(struct vr_message *m, const struct ampi_transfer *t, const void *buf, MPI_Count count, int dest, int tag,
				enum vr_mode mode)
{
	*m = (struct vr_message){.buf = buf, .count = count, .type = t->type, .context = t->comm->context, .source = t->comm->rank,
				 .dest = dest, .dest_world = ampi_peer_world(t->comm, dest), .tag = tag, .mode = mode};
}

/* Raise the error of a receive that was waited for: a message too long, nearly always. */
int ampi_receive_failed(struct ampi_comm *c, int fn, int error, MPI_Count count);

#endif
