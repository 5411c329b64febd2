/* Buffered sends (MPI 5.0 section 3.6); their buffers are attached in bsend_buffer.c. Messages that nobody takes at once are copied into the rank's slice; the attached buffer
 * bounds how much that may be, and is not touched. A communicator, its session and the process may have a buffer each. */
#include "ampi/p2p/bsend.h"
#include "ampi/p2p/p2p_args.h"
#include "ampi/p2p/request.h"

/* Behind a message that waits to be received. */
struct parcel {
	struct vr_hook hook;
	struct ampi_buffer *from;
	int64_t bytes;
	uint64_t number; /* among the messages of its buffer */
};

struct ampi_buffer *ampi_buffer_of(uint64_t owner)
{
	struct ampi_buffer *b = ampi_me()->buffers;
	while (b && b->owner != owner)
		b = b->next;
	return b;
}

/* MPI 5.0 section 3.6: the communicator's buffer, else its session's, else the process's. */
static struct ampi_buffer *buffer_for(const struct ampi_comm *c)
{
	struct ampi_buffer *b = c ? ampi_buffer_of(c->handle) : NULL;
	if (!b && c && c->session)
		b = ampi_buffer_of(c->session);
	return b ? b : ampi_buffer_of(0);
}

/* ---- sending ---- */

static void flushed(struct ampi_buffer *b, uint64_t number)
{
	struct ampi_flush **at = &b->flushes, *f;
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
	int error = buffered(fn, buf, count, type, dest, tag, comm);
	if (!error)
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
