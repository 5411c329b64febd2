/* Buffers for buffered sends (MPI 5.0 section 3.6): attached to the process, a communicator or a session. */
#include "ampi/comm/session.h"
#include "ampi/p2p/bsend.h"
#include "ampi/p2p/p2p_args.h"

#include <limits.h>

/* Whose buffer a call is about. */
struct owner {
	uint64_t handle; /* 0: the process */
	struct ampi_comm *comm;
	struct ampi_session *session;
};

static int fail(const struct owner *o, int klass, int fn, const char *what)
{
	if (!o->session)
		return ampi_raise(o->comm, klass, fn, "%s", what);
	struct ampi_culprit at = ampi_session_culprit(o->session);
	return ampi_raise_on(&at, klass, fn, "%s", what);
}

static int no_memory(const struct owner *o, int fn)
{
	return fail(o, MPI_ERR_NO_MEM, fn, vr_why_full(vr_current));
}

static const struct ampi_request_class flush_class = {0};

static int attach(const struct owner *o, int fn, void *buffer, MPI_Count size)
{
	int automatic = buffer == MPI_BUFFER_AUTOMATIC;
	if (size < 0 && !automatic)
		return fail(o, MPI_ERR_ARG, fn, "size is negative");
	if (!buffer && size)
		return fail(o, MPI_ERR_BUFFER, fn, "buffer is a null pointer, with a size above 0");
	if (ampi_buffer_of(o->handle))
		return fail(o, MPI_ERR_BUFFER, fn, "a buffer is attached already");
	struct ampi_buffer *b = vr_rank_calloc(vr_current, 1, sizeof *b);
	if (!b)
		return no_memory(o, fn);
	*b = (struct ampi_buffer){.next = ampi_me()->buffers, .owner = o->handle, .base = buffer, .size = automatic ? 0 : size};
	ampi_me()->buffers = b;
	return MPI_SUCCESS;
}

/* A request that is complete once all messages of now have left; NULL: the slice is full. */
static struct vr_request *flush_start(struct ampi_buffer *b)
{
	struct vr_request *r = ampi_request_make(&flush_class, sizeof(struct ampi_flush));
	if (!r)
		return NULL;
	if (!b || !b->pending) {
		r->flags |= VR_RQ_DONE;
		return r;
	}
	struct ampi_flush *f = r->extra;
	f->self = r;
	f->waiting = b->pending;
	f->up_to = b->sent;
	f->next = b->flushes;
	b->flushes = f;
	return r;
}

static int flush(const struct owner *o, int fn)
{
	vr_progress();
	struct vr_request *r = flush_start(ampi_buffer_of(o->handle));
	if (!r)
		return no_memory(o, fn);
	ampi_in_call(fn);
	if (!(r->flags & VR_RQ_DONE))
		vr_request_wait(&r, 1, 1);
	ampi_request_discard(r);
	return MPI_SUCCESS;
}

static int iflush(const struct owner *o, int fn, MPI_Request *request)
{
	if (!request)
		return fail(o, MPI_ERR_ARG, fn, "request is a null pointer");
	vr_progress();
	struct vr_request *r = flush_start(ampi_buffer_of(o->handle));
	if (!r)
		return no_memory(o, fn);
	r->comm = o->comm ? o->comm->handle : 0;
	*request = ampi_request_handle(r);
	return MPI_SUCCESS;
}

static void remove_buffer(struct ampi_buffer *b)
{
	struct ampi_buffer **at = &ampi_me()->buffers;
	while (*at != b)
		at = &(*at)->next;
	*at = b->next;
	vr_rank_free(vr_current, b);
}

/* Where none is attached, a buffer of no size at no address is (MPI 5.0 section 3.6). */
static int detach(const struct owner *o, int fn, void *address, MPI_Count *size)
{
	struct ampi_buffer *b = ampi_buffer_of(o->handle);
	if (!address || !size)
		return fail(o, MPI_ERR_ARG, fn, address ? "size is a null pointer" : "buffer_addr is a null pointer");
	int error = flush(o, fn);
	if (error)
		return error;
	*(void **)address = b ? b->base : NULL;
	*size = b ? b->size : 0;
	if (b)
		remove_buffer(b);
	return MPI_SUCCESS;
}

void ampi_buffer_drop(uint64_t owner, int fn)
{
	struct owner o = {.handle = owner};
	struct ampi_buffer *b = ampi_buffer_of(owner);
	if (b && !flush(&o, fn))
		remove_buffer(b);
}

static int of_process(int fn, struct owner *o)
{
	*o = (struct owner){0};
	return ampi_running() ? MPI_SUCCESS : ampi_bad_comm(MPI_COMM_SELF, fn);
}

static int of_comm(int fn, MPI_Comm comm, struct owner *o)
{
	*o = (struct owner){.comm = ampi_comm(comm), .handle = (uint64_t)comm};
	return o->comm ? MPI_SUCCESS : ampi_bad_comm(comm, fn);
}

static int of_session(int fn, MPI_Session session, struct owner *o)
{
	*o = (struct owner){.session = ampi_session(session), .handle = (uint64_t)session};
	return o->session ? MPI_SUCCESS : ampi_bad_session(session, fn);
}

/* The calls of one kind of owner: PARAM is how it is given, FIND(fn) looks it up. */
#define COMMA ,
#define BUFFER_CALLS(ATTACH, DETACH, FLUSH, IFLUSH, PARAM, SEP, VOID, FIND)                                                         \
	int ampi_##ATTACH(PARAM SEP void *buffer, int size)                                                                            \
	{                                                                                                                              \
		struct owner o;                                                                                                        \
		int error = FIND(AMPI_FN_MPI_##ATTACH);                                                                                \
		return error ? error : attach(&o, AMPI_FN_MPI_##ATTACH, buffer, size);                                           \
	}                                                                                                                              \
	int ampi_##ATTACH##_c(PARAM SEP void *buffer, MPI_Count size)                                                                  \
	{                                                                                                                              \
		struct owner o;                                                                                                        \
		int error = FIND(AMPI_FN_MPI_##ATTACH##_c);                                                                            \
		return error ? error : attach(&o, AMPI_FN_MPI_##ATTACH##_c, buffer, size);                                       \
	}                                                                                                                              \
	int ampi_##DETACH(PARAM SEP void *buffer_addr, int *size)                                                                      \
	{                                                                                                                              \
		struct owner o;                                                                                                        \
		MPI_Count n = 0;                                                                                                       \
		int error = FIND(AMPI_FN_MPI_##DETACH);                                                                                \
		if (!error && !(error = detach(&o, AMPI_FN_MPI_##DETACH, buffer_addr, size ? &n : NULL)))                        \
			*size = n > INT_MAX ? MPI_UNDEFINED : (int)n;                                                                  \
		return error;                                                                                                          \
	}                                                                                                                              \
	int ampi_##DETACH##_c(PARAM SEP void *buffer_addr, MPI_Count *size)                                                            \
	{                                                                                                                              \
		struct owner o;                                                                                                        \
		int error = FIND(AMPI_FN_MPI_##DETACH##_c);                                                                            \
		return error ? error : detach(&o, AMPI_FN_MPI_##DETACH##_c, buffer_addr, size);                                  \
	}                                                                                                                              \
	int ampi_##FLUSH(VOID)                                                                                                         \
	{                                                                                                                              \
		struct owner o;                                                                                                        \
		int error = FIND(AMPI_FN_MPI_##FLUSH);                                                                                 \
		return error ? error : flush(&o, AMPI_FN_MPI_##FLUSH);                                                           \
	}                                                                                                                              \
	int ampi_##IFLUSH(PARAM SEP MPI_Request *request)                                                                              \
	{                                                                                                                              \
		struct owner o;                                                                                                        \
		int error = FIND(AMPI_FN_MPI_##IFLUSH);                                                                                \
		return error ? error : iflush(&o, AMPI_FN_MPI_##IFLUSH, request);                                                \
	}
#define FIND_PROCESS(fn) of_process(fn, &o)
#define FIND_COMM(fn) of_comm(fn, comm, &o)
#define FIND_SESSION(fn) of_session(fn, session, &o)
BUFFER_CALLS(Buffer_attach, Buffer_detach, Buffer_flush, Buffer_iflush, , , void, FIND_PROCESS)
BUFFER_CALLS(Comm_attach_buffer, Comm_detach_buffer, Comm_flush_buffer, Comm_iflush_buffer, MPI_Comm comm, COMMA, MPI_Comm comm, FIND_COMM)
BUFFER_CALLS(Session_attach_buffer, Session_detach_buffer, Session_flush_buffer, Session_iflush_buffer, MPI_Session session, COMMA,
	     MPI_Session session, FIND_SESSION)
