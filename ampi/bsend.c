/* Buffered sends (MPI 5.0 section 3.6). Messages that nobody takes at once are copied into the rank's slice; the attached buffer
 * bounds how much that may be, and is not touched. A communicator, its session and the process may have a buffer each. */
#include "bsend.h"
#include "p2p_args.h"
#include "request.h"

#include <limits.h>

/* An attached buffer, or what is left of one: its messages may outlive a flush, never a detach. */
struct ampi_buffer {
	struct ampi_buffer *next; /* of this rank */
	uint64_t owner; /* handle of the communicator or session; 0: the process */
	void *base;
	int64_t size, used;
	int64_t pending; /* messages that nobody has received yet */
	uint64_t sent; /* messages that ever were pending */
	struct flush *flushes;
};

/* Behind a message that waits to be received. */
struct parcel {
	struct vr_hook hook;
	struct ampi_buffer *from;
	int64_t bytes;
	uint64_t number; /* among the messages of its buffer */
};

/* MPI_*_iflush: waits for the messages up to a number. */
struct flush {
	struct ampi_activity activity;
	struct vr_request *self;
	struct flush *next;
	int64_t waiting;
	uint64_t up_to;
};

static const struct ampi_request_class flush_class = {0};

static struct ampi_buffer *find_buffer(uint64_t owner)
{
	struct ampi_buffer *b = ampi_me()->buffers;
	while (b && b->owner != owner)
		b = b->next;
	return b;
}

/* MPI 5.0 section 3.6: the communicator's buffer, else its session's, else the process's. */
static struct ampi_buffer *buffer_for(const struct ampi_comm *c)
{
	struct ampi_buffer *b = c ? find_buffer(c->handle) : NULL;
	return b ? b : find_buffer(0);
}

/* ---- sending ---- */

static void flushed(struct ampi_buffer *b, uint64_t number)
{
	struct flush **at = &b->flushes, *f;
	while ((f = *at)) {
		if (number > f->up_to || --f->waiting) {
			at = &f->next;
			continue;
		}
		*at = f->next;
		vr_request_complete(f->self);
	}
}

/* Somebody has received a message: its space comes back. */
static void received(struct vr_request *r)
{
	struct parcel *p = r->extra;
	struct ampi_buffer *b = p->from;
	uint64_t number = p->number;
	b->used -= p->bytes;
	b->pending--;
	vr_rank_free(r->rank, p);
	vr_request_free(r);
	flushed(b, number);
}

static int64_t room(const struct ampi_buffer *b)
{
	if (!b)
		return 0;
	return b->base == MPI_BUFFER_AUTOMATIC ? INT64_MAX : b->size - b->used;
}

/* The message waits in the slice, at the cost of the buffer. */
static void keep(struct ampi_buffer *b, struct vr_request *r, struct parcel *p, int64_t bytes)
{
	*p = (struct parcel){.hook = {received}, .from = b, .bytes = bytes, .number = ++b->sent};
	b->used += bytes;
	b->pending++;
	r->extra = p;
	r->flags |= VR_RQ_HOOK;
}

int ampi_bsend(struct ampi_comm *c, int fn, const struct vr_message *m)
{
	struct ampi_buffer *b = buffer_for(c);
	int64_t bytes = m->count * m->type->size + MPI_BSEND_OVERHEAD;
	vr_progress();
	if (!b)
		return ampi_raise(c, MPI_ERR_BUFFER, fn, "no buffer is attached");
	if (bytes > room(b))
		return ampi_raise(c, MPI_ERR_BUFFER, fn, "the attached buffer of %lld bytes has no room for %lld more", (long long)b->size,
				  (long long)bytes);
	struct parcel *p = vr_rank_alloc(vr_current, sizeof *p);
	struct vr_request *r = p ? vr_send_start(m) : VR_NO_MEMORY;
	if (r && r != VR_NO_MEMORY && !(r->flags & VR_RQ_DONE)) {
		keep(b, r, p, bytes);
		return MPI_SUCCESS;
	}
	vr_rank_free(vr_current, p);
	if (r == VR_NO_MEMORY)
		return ampi_no_memory(c, fn);
	if (r)
		vr_request_free(r);
	return MPI_SUCCESS;
}

static int buffered(int fn, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	struct ampi_transfer t;
	struct vr_message m;
	int error = ampi_check_transfer(&t, fn, comm, buf, count, type);
	if (error || (error = ampi_check_dest(&t, dest, tag)) || dest == MPI_PROC_NULL)
		return error;
	ampi_message(&m, &t, buf, count, dest, tag, VR_BUFFERED);
	return ampi_bsend(t.comm, fn, &m);
}

static int ibuffered(int fn, const void *buf, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *request)
{
	int error = ampi_check_out(ampi_comm(comm), fn, "request", request);
	if (!error && !(error = buffered(fn, buf, count, type, dest, tag, comm)))
		*request = ampi_done_request();
	return error;
}

#define BSENDS(suffix, number)                                                                                                      \
	int ampi_Bsend##suffix(const void *buf, number count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)                     \
	{                                                                                                                              \
		return buffered(AMPI_FN_MPI_Bsend##suffix, buf, count, type, dest, tag, comm);                                         \
	}                                                                                                                              \
	int ampi_Ibsend##suffix(const void *buf, number count, MPI_Datatype type, int dest, int tag, MPI_Comm comm, MPI_Request *r)    \
	{                                                                                                                              \
		return ibuffered(AMPI_FN_MPI_Ibsend##suffix, buf, count, type, dest, tag, comm, r);                                    \
	}
BSENDS(, int)
BSENDS(_c, MPI_Count)

/* ---- buffers ---- */

static int attach(uint64_t owner, struct ampi_comm *c, int fn, void *buffer, MPI_Count size)
{
	int automatic = buffer == MPI_BUFFER_AUTOMATIC;
	if (size < 0 && !automatic)
		return ampi_raise(c, MPI_ERR_ARG, fn, "size is %lld", (long long)size);
	if (!buffer && size)
		return ampi_raise(c, MPI_ERR_BUFFER, fn, "buffer is a null pointer, with a size above 0");
	if (find_buffer(owner))
		return ampi_raise(c, MPI_ERR_BUFFER, fn, "a buffer is attached already");
	struct ampi_buffer *b = vr_rank_calloc(vr_current, 1, sizeof *b);
	if (!b)
		return ampi_no_memory(c, fn);
	*b = (struct ampi_buffer){.next = ampi_me()->buffers, .owner = owner, .base = buffer, .size = automatic ? 0 : size};
	ampi_me()->buffers = b;
	return MPI_SUCCESS;
}

/* A request that is complete once all messages of now have left; NULL: the slice is full. */
static struct vr_request *flush_start(struct ampi_buffer *b)
{
	struct vr_request *r = ampi_request_make(&flush_class, sizeof(struct flush));
	if (!r)
		return NULL;
	if (!b || !b->pending) {
		r->flags |= VR_RQ_DONE;
		return r;
	}
	struct flush *f = r->extra;
	f->self = r;
	f->waiting = b->pending;
	f->up_to = b->sent;
	f->next = b->flushes;
	b->flushes = f;
	return r;
}

static int flush(uint64_t owner, struct ampi_comm *c, int fn)
{
	vr_progress();
	struct vr_request *r = flush_start(find_buffer(owner));
	if (!r)
		return ampi_no_memory(c, fn);
	ampi_in_call(fn);
	if (!(r->flags & VR_RQ_DONE))
		vr_request_wait(&r, 1, 1);
	ampi_request_discard(r);
	return MPI_SUCCESS;
}

static int iflush(uint64_t owner, struct ampi_comm *c, int fn, MPI_Request *request)
{
	int error = ampi_check_out(c, fn, "request", request);
	if (error)
		return error;
	vr_progress();
	struct vr_request *r = flush_start(find_buffer(owner));
	if (!r)
		return ampi_no_memory(c, fn);
	r->comm = c ? c->handle : 0;
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
static int detach(uint64_t owner, struct ampi_comm *c, int fn, void *address, MPI_Count *size)
{
	struct ampi_buffer *b = find_buffer(owner);
	int error = ampi_check_out(c, fn, "buffer_addr", address);
	if (error || (error = ampi_check_out(c, fn, "size", size)) || (error = flush(owner, c, fn)))
		return error;
	*(void **)address = b ? b->base : NULL;
	*size = b ? b->size : 0;
	if (b)
		remove_buffer(b);
	return MPI_SUCCESS;
}

void ampi_buffer_drop(uint64_t owner, int fn)
{
	struct ampi_buffer *b = find_buffer(owner);
	if (!b || flush(owner, NULL, fn))
		return;
	remove_buffer(b);
}

/* Whose buffer a call is about: its handle (0: the process's) and the communicator whose handler takes errors. */
static int of_process(int fn, uint64_t *owner, struct ampi_comm **c)
{
	*owner = 0;
	*c = NULL;
	return vr_current->mpi_state == VR_MPI_RUNNING ? MPI_SUCCESS : ampi_bad_comm(MPI_COMM_SELF, fn);
}

static int of_comm(int fn, MPI_Comm comm, uint64_t *owner, struct ampi_comm **c)
{
	*c = ampi_comm(comm);
	*owner = (uint64_t)comm;
	return *c ? MPI_SUCCESS : ampi_bad_comm(comm, fn);
}

/* The calls of one kind of owner: PARAM is how it is given, FIND(fn, owner, c) looks it up. */
#define COMMA ,
#define BUFFER_CALLS(ATTACH, DETACH, FLUSH, IFLUSH, PARAM, SEP, VOID, FIND)                                                         \
	int ampi_##ATTACH(PARAM SEP void *buffer, int size)                                                                            \
	{                                                                                                                              \
		struct ampi_comm *c;                                                                                                   \
		uint64_t owner;                                                                                                        \
		int error = FIND(AMPI_FN_MPI_##ATTACH);                                                                                \
		return error ? error : attach(owner, c, AMPI_FN_MPI_##ATTACH, buffer, size);                                           \
	}                                                                                                                              \
	int ampi_##ATTACH##_c(PARAM SEP void *buffer, MPI_Count size)                                                                  \
	{                                                                                                                              \
		struct ampi_comm *c;                                                                                                   \
		uint64_t owner;                                                                                                        \
		int error = FIND(AMPI_FN_MPI_##ATTACH##_c);                                                                            \
		return error ? error : attach(owner, c, AMPI_FN_MPI_##ATTACH##_c, buffer, size);                                       \
	}                                                                                                                              \
	int ampi_##DETACH(PARAM SEP void *buffer_addr, int *size)                                                                      \
	{                                                                                                                              \
		struct ampi_comm *c;                                                                                                   \
		uint64_t owner;                                                                                                        \
		MPI_Count n = 0;                                                                                                       \
		int error = FIND(AMPI_FN_MPI_##DETACH);                                                                                \
		if (!error && !(error = detach(owner, c, AMPI_FN_MPI_##DETACH, buffer_addr, size ? &n : NULL)))                        \
			*size = n > INT_MAX ? MPI_UNDEFINED : (int)n;                                                                  \
		return error;                                                                                                          \
	}                                                                                                                              \
	int ampi_##DETACH##_c(PARAM SEP void *buffer_addr, MPI_Count *size)                                                            \
	{                                                                                                                              \
		struct ampi_comm *c;                                                                                                   \
		uint64_t owner;                                                                                                        \
		int error = FIND(AMPI_FN_MPI_##DETACH##_c);                                                                            \
		return error ? error : detach(owner, c, AMPI_FN_MPI_##DETACH##_c, buffer_addr, size);                                  \
	}                                                                                                                              \
	int ampi_##FLUSH(VOID)                                                                                                         \
	{                                                                                                                              \
		struct ampi_comm *c;                                                                                                   \
		uint64_t owner;                                                                                                        \
		int error = FIND(AMPI_FN_MPI_##FLUSH);                                                                                 \
		return error ? error : flush(owner, c, AMPI_FN_MPI_##FLUSH);                                                           \
	}                                                                                                                              \
	int ampi_##IFLUSH(PARAM SEP MPI_Request *request)                                                                              \
	{                                                                                                                              \
		struct ampi_comm *c;                                                                                                   \
		uint64_t owner;                                                                                                        \
		int error = FIND(AMPI_FN_MPI_##IFLUSH);                                                                                \
		return error ? error : iflush(owner, c, AMPI_FN_MPI_##IFLUSH, request);                                                \
	}
#define FIND_PROCESS(fn) of_process(fn, &owner, &c)
#define FIND_COMM(fn) of_comm(fn, comm, &owner, &c)
BUFFER_CALLS(Buffer_attach, Buffer_detach, Buffer_flush, Buffer_iflush, , , void, FIND_PROCESS)
BUFFER_CALLS(Comm_attach_buffer, Comm_detach_buffer, Comm_flush_buffer, Comm_iflush_buffer, MPI_Comm comm, COMMA, MPI_Comm comm, FIND_COMM)
