/* Requests: wait, test, free, cancel (MPI 5.0 sections 3.7 and 3.8); calls on many of them are in request_many.c. */
#include "ampi/p2p/p2p_args.h"
#include "ampi/p2p/request.h"

#include <string.h>

struct vr_request *ampi_request(MPI_Request h)
{
	uint32_t i = AMPI_INDEX(h);
	struct vr_rank *me = vr_current;
	if (vr_unlikely(!AMPI_IS(AMPI_REQUEST, h) || i >= me->nrequests || vr_request_at(me, i)->kind == VR_REQ_FREE))
		return NULL;
	return vr_request_at(me, i);
}

/* ---- statuses: the internal words hold the byte count, whether the operation was cancelled, and the communicator, which programs for AMPI
 * read (shim/include/ampi_status.h) ---- */

void ampi_status_set(MPI_Status *s, int source, int tag, int64_t bytes, uint64_t comm, int cancelled)
{
	s->MPI_SOURCE = source;
	s->MPI_TAG = tag;
	memcpy(s->MPI_internal, &bytes, sizeof bytes);
	s->MPI_internal[2] = cancelled;
	memcpy(s->MPI_internal + 3, &comm, sizeof comm);
}

int64_t ampi_status_bytes(const MPI_Status *s)
{
	int64_t bytes;
	memcpy(&bytes, s->MPI_internal, sizeof bytes);
	return bytes;
}

void ampi_status_empty(MPI_Status *s)
{
	ampi_status_set(s, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, (uint64_t)MPI_COMM_NULL, 0);
	s->MPI_ERROR = MPI_SUCCESS;
}

int ampi_request_status(struct vr_request *r, MPI_Status *s)
{
	int cancelled = !!(r->flags & VR_RQ_CANCELLED);
	struct ampi_activity *a = ampi_activity(r);
	if (vr_unlikely(a && a->class->status))
		return a->class->status(r, s);
	if (r->kind == VR_REQ_RECV && !cancelled)
		ampi_status_set(s, r->source, r->got_tag, r->bytes, r->comm, 0);
	else
		ampi_status_set(s, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, r->comm, cancelled);
	return r->error;
}

/* ---- life ---- */

struct vr_request *ampi_request_make_part(const struct ampi_request_class *class, size_t size, size_t zeroed)
{
	struct vr_request *r = vr_request_alloc(vr_current, VR_REQ_COMPOUND);
	struct ampi_activity *a = r ? vr_rank_alloc(vr_current, size) : NULL;
	if (!a) {
		if (r)
			vr_request_free(r);
		return NULL;
	}
	memset(a, 0, zeroed);
	a->class = class;
	r->extra = a;
	r->context = 0;
	r->peer = VR_NOBODY;
	r->tag = -1;
	if (class->start)
		r->flags = VR_RQ_PERSISTENT;
	return r;
}

void ampi_request_discard(struct vr_request *r)
{
	struct ampi_activity *a = ampi_activity(r);
	if (a) {
		if (a->class->release)
			a->class->release(r);
		vr_rank_free(r->rank, a);
	}
	vr_request_free(r);
}

/* Whoever completes it discards it. */
static void orphan(struct vr_request *r)
{
	struct ampi_activity *a = ampi_activity(r);
	r->flags |= VR_RQ_ORPHAN;
	if (a) {
		a->hook.completed = ampi_request_discard;
		r->flags |= VR_RQ_HOOK;
	}
}

/* The program has no handle of this request any more. */
static void abandon(struct vr_request *r)
{
	struct ampi_activity *a = ampi_activity(r);
	if (a && a->class->abandon)
		a->class->abandon(r);
	else if (ampi_request_is_active(r) && !(r->flags & VR_RQ_DONE))
		orphan(r);
	else
		ampi_request_discard(r);
}

static void retire(struct vr_request *r, MPI_Request *h)
{
	if (r->flags & VR_RQ_PERSISTENT) {
		r->flags &= ~VR_RQ_ACTIVE;
		return;
	}
	*h = MPI_REQUEST_NULL;
	if (r->index)
		ampi_request_discard(r);
}

/* Callbacks of generalized requests have a status even where the program wants none. */
static int finish_activity(struct vr_request *r, MPI_Status *s)
{
	const struct ampi_request_class *class = ampi_activity(r)->class;
	MPI_Status mine;
	int error = ampi_request_status(r, s ? s : &mine), last = class->finish ? class->finish(r) : MPI_SUCCESS;
	return error ? error : last;
}

int ampi_request_finish(struct vr_request *r, MPI_Request *h, MPI_Status *s)
{
	int error = r->error;
	if (vr_unlikely(r->extra != NULL))
		error = finish_activity(r, s);
	else if (s)
		ampi_request_status(r, s);
	r->error = 0;
	retire(r, h);
	return error;
}

int ampi_request_failed(uint64_t comm, int error, int fn)
{
	if (vr_likely(!error))
		return MPI_SUCCESS;
	const char *what = error == MPI_ERR_TRUNCATE ? "a message is longer than the buffer of its receive" :
			   error == MPI_ERR_COUNT    ? "the counts of the members of a collective operation differ" :
						       "an operation failed";
	return ampi_raise(comm ? ampi_comm((MPI_Comm)comm) : NULL, error, fn, "%s", what);
}

int ampi_bad_request(int fn, MPI_Request h)
{
	if (!ampi_running())
		return ampi_bad_comm(MPI_COMM_SELF, fn);
	if (h == MPI_REQUEST_NULL)
		return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request is MPI_REQUEST_NULL");
	return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request (handle 0x%lx) is not a request, or has completed", (unsigned long)h);
}

/* ---- one ---- */

/* NULL in *r for MPI_REQUEST_NULL. */
static inline int find_request(int fn, const MPI_Request *h, struct vr_request **r)
{
	*r = *h == MPI_REQUEST_NULL ? NULL : ampi_request(*h);
	int bad = !*r && (*h != MPI_REQUEST_NULL || !ampi_running());
	return vr_unlikely(bad) ? ampi_bad_request(fn, *h) : MPI_SUCCESS;
}

/* The same where there has to be a request. */
static int find_real(int fn, const MPI_Request *h, struct vr_request **r)
{
	int error = find_request(fn, h, r);
	return error || *r ? error : ampi_bad_request(fn, *h);
}

static int finish(int fn, struct vr_request *r, MPI_Request *h, MPI_Status *s)
{
	uint64_t comm = r->comm;
	return ampi_request_failed(comm, ampi_request_finish(r, h, s), fn);
}

int ampi_Wait(MPI_Request *h, MPI_Status *s)
{
	const int fn = AMPI_FN_MPI_Wait;
	struct vr_request *r;
	int error = find_request(fn, h, &r);
	if (vr_unlikely(error))
		return error;
	if (!ampi_request_is_active(r)) {
		if (s)
			ampi_status_empty(s);
		return MPI_SUCCESS;
	}
	if (!(r->flags & VR_RQ_DONE)) {
		ampi_in_call(fn);
		vr_request_wait(&r, 1, 1);
	}
	return finish(fn, r, h, s);
}

int ampi_Test(MPI_Request *h, int *flag, MPI_Status *s)
{
	const int fn = AMPI_FN_MPI_Test;
	struct vr_request *r;
	int error = find_request(fn, h, &r);
	if (vr_unlikely(error))
		return error;
	*flag = 1;
	if (!ampi_request_is_active(r)) {
		if (s)
			ampi_status_empty(s);
		return MPI_SUCCESS;
	}
	vr_progress();
	if (!(r->flags & VR_RQ_DONE)) {
		*flag = 0;
		vr_rank_yield();
		return MPI_SUCCESS;
	}
	return finish(fn, r, h, s);
}

int ampi_Request_get_status(MPI_Request h, int *flag, MPI_Status *s)
{
	const int fn = AMPI_FN_MPI_Request_get_status;
	struct vr_request *r;
	MPI_Status mine;
	int error = find_request(fn, &h, &r);
	if (error)
		return error;
	vr_progress();
	*flag = !ampi_request_is_active(r) || (r->flags & VR_RQ_DONE);
	if (!*flag)
		vr_rank_yield();
	else if (ampi_request_is_active(r))
		error = ampi_request_status(r, s ? s : &mine);
	else if (s)
		ampi_status_empty(s);
	return ampi_request_failed(r ? r->comm : 0, error, fn);
}

static int refuse_free(int fn, struct vr_request *r)
{
	struct ampi_activity *a = ampi_activity(r);
	int refuses = a && a->class->refuse_free && ampi_request_is_active(r);
	return refuses ? a->class->refuse_free(fn, r) : MPI_SUCCESS;
}

int ampi_Request_free(MPI_Request *h)
{
	const int fn = AMPI_FN_MPI_Request_free;
	struct vr_request *r;
	int error = find_real(fn, h, &r);
	if (error || (error = refuse_free(fn, r)))
		return error;
	*h = MPI_REQUEST_NULL;
	if (r->index)
		abandon(r);
	return MPI_SUCCESS;
}

int ampi_Cancel(MPI_Request *h)
{
	const int fn = AMPI_FN_MPI_Cancel;
	struct vr_request *r;
	if (!h)
		return ampi_bad_pointer(NULL, fn, "request");
	int error = find_real(fn, h, &r);
	if (error)
		return error;
	if (!ampi_request_is_active(r))
		return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request is not active");
	vr_progress();
	if (r->kind != VR_REQ_COMPOUND) {
		vr_request_cancel(r);
		return MPI_SUCCESS;
	}
	if (!ampi_activity(r)->class->cancel)
		return ampi_raise(ampi_comm((MPI_Comm)r->comm), MPI_ERR_REQUEST, fn, "request is of a kind that cannot be cancelled");
	return ampi_activity(r)->class->cancel(fn, r);
}

int ampi_Test_cancelled(const MPI_Status *s, int *flag)
{
	*flag = s->MPI_internal[2];
	return MPI_SUCCESS;
}
