/* Requests: wait, test, free, cancel (MPI 5.0 sections 3.7 and 3.8). */
#include "plan.h"

#include <string.h>

struct vr_request *ampi_request(MPI_Request h)
{
	uint32_t i = AMPI_INDEX(h);
	struct vr_rank *me = vr_current;
	if (vr_unlikely(!AMPI_IS(AMPI_REQUEST, h) || i >= me->nrequests || vr_request_at(me, i)->kind == VR_REQ_FREE))
		return NULL;
	return vr_request_at(me, i);
}

/* ---- statuses: the internal words hold the byte count and whether the operation was cancelled ---- */

void ampi_status_set(MPI_Status *s, int source, int tag, int64_t bytes, int cancelled)
{
	s->MPI_SOURCE = source;
	s->MPI_TAG = tag;
	memcpy(s->MPI_internal, &bytes, sizeof bytes);
	s->MPI_internal[2] = cancelled;
}

int64_t ampi_status_bytes(const MPI_Status *s)
{
	int64_t bytes;
	memcpy(&bytes, s->MPI_internal, sizeof bytes);
	return bytes;
}

static void status_empty(MPI_Status *s)
{
	ampi_status_set(s, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0);
	s->MPI_ERROR = MPI_SUCCESS;
}

static void status_of(const struct vr_request *r, MPI_Status *s)
{
	int cancelled = !!(r->flags & VR_RQ_CANCELLED);
	if (r->kind == VR_REQ_RECV && !cancelled)
		ampi_status_set(s, r->source, r->got_tag, r->bytes, 0);
	else
		ampi_status_set(s, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, cancelled);
}

/* ---- completing ---- */

/* Waited for: nothing to wait for when null or inactive. */
static int is_active(const struct vr_request *r)
{
	return r && !((r->flags & VR_RQ_PERSISTENT) && !(r->flags & VR_RQ_ACTIVE));
}

static void retire(struct vr_request *r, MPI_Request *h)
{
	if (r->flags & VR_RQ_PERSISTENT) {
		r->flags &= ~VR_RQ_ACTIVE;
		return;
	}
	*h = MPI_REQUEST_NULL;
	if (r->kind == VR_REQ_PLAN)
		ampi_plan_free(r->extra);
	if (r->index)
		vr_request_free(r);
}

int ampi_request_finish(struct vr_request *r, MPI_Request *h, MPI_Status *s)
{
	int error = r->error;
	if (s)
		status_of(r, s);
	r->error = 0;
	retire(r, h);
	return error;
}

/* The error of a completed request goes to the handler of its communicator. */
static int raise_late(uint64_t comm, int error, int fn)
{
	if (vr_likely(!error))
		return MPI_SUCCESS;
	const char *what = error == MPI_ERR_TRUNCATE ? "a message is longer than the buffer of its receive" : "an operation failed";
	return ampi_raise(comm ? ampi_comm((MPI_Comm)comm) : NULL, error, fn, "%s", what);
}

static int bad_request(int fn, MPI_Request h)
{
	if (!ampi_running())
		return ampi_bad_comm(MPI_COMM_SELF, fn);
	return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request (handle 0x%lx) is not a request, or has completed", (unsigned long)h);
}

static MPI_Status *at(MPI_Status *statuses, int i)
{
	return statuses == MPI_STATUSES_IGNORE ? NULL : &statuses[i];
}

/* ---- one ---- */

/* NULL in *r for MPI_REQUEST_NULL. */
static inline int find(int fn, MPI_Request h, struct vr_request **r)
{
	*r = h == MPI_REQUEST_NULL ? NULL : ampi_request(h);
	return vr_unlikely(!*r && h != MPI_REQUEST_NULL) ? bad_request(fn, h) : MPI_SUCCESS;
}

static int finish(int fn, struct vr_request *r, MPI_Request *h, MPI_Status *s)
{
	uint64_t comm = r->comm;
	return raise_late(comm, ampi_request_finish(r, h, s), fn);
}

int ampi_Wait(MPI_Request *h, MPI_Status *s)
{
	const int fn = AMPI_FN_MPI_Wait;
	struct vr_request *r;
	int error = find(fn, *h, &r);
	if (vr_unlikely(error))
		return error;
	if (!is_active(r)) {
		if (s)
			status_empty(s);
		return MPI_SUCCESS;
	}
	if (!(r->flags & VR_RQ_DONE)) {
		vr_current->wait.fn = fn;
		vr_request_wait(&r, 1, 1);
	}
	return finish(fn, r, h, s);
}

int ampi_Test(MPI_Request *h, int *flag, MPI_Status *s)
{
	const int fn = AMPI_FN_MPI_Test;
	struct vr_request *r;
	int error = find(fn, *h, &r);
	if (vr_unlikely(error))
		return error;
	*flag = 1;
	if (!is_active(r)) {
		if (s)
			status_empty(s);
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
	struct vr_request *r;
	int error = find(AMPI_FN_MPI_Request_get_status, h, &r);
	if (error)
		return error;
	vr_progress();
	*flag = !is_active(r) || (r->flags & VR_RQ_DONE);
	if (!*flag)
		vr_rank_yield();
	else if (s && is_active(r))
		status_of(r, s);
	else if (s)
		status_empty(s);
	return MPI_SUCCESS;
}

/* Only the request of a persistent collective that is not active may be freed (MPI 5.0 sections 6.12 and 6.13). */
static int free_plan(MPI_Request *h, struct vr_request *r)
{
	if (is_active(r))
		return ampi_raise(NULL, MPI_ERR_REQUEST, AMPI_FN_MPI_Request_free, "request is of a collective operation (%s) that is not complete: wait for it",
				  ampi_name(r->tag));
	ampi_plan_free(r->extra);
	vr_request_free(r);
	*h = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}

int ampi_Request_free(MPI_Request *h)
{
	struct vr_request *r = ampi_request(*h);
	if (!r)
		return bad_request(AMPI_FN_MPI_Request_free, *h);
	if (r->kind == VR_REQ_PLAN)
		return free_plan(h, r);
	*h = MPI_REQUEST_NULL;
	if (!r->index)
		return MPI_SUCCESS;
	if (r->flags & VR_RQ_PERSISTENT)
		vr_rank_free(vr_current, r->extra);
	if (is_active(r) && !(r->flags & VR_RQ_DONE))
		r->flags |= VR_RQ_ORPHAN;
	else
		vr_request_free(r);
	return MPI_SUCCESS;
}

int ampi_Cancel(MPI_Request *h)
{
	struct vr_request *r = ampi_request(*h);
	if (!r)
		return bad_request(AMPI_FN_MPI_Cancel, *h);
	if (r->kind == VR_REQ_PLAN)
		return ampi_raise(NULL, MPI_ERR_REQUEST, AMPI_FN_MPI_Cancel, "request is of a collective operation (%s), which cannot be cancelled", ampi_name(r->tag));
	vr_progress();
	vr_request_cancel(r);
	return MPI_SUCCESS;
}

int ampi_Test_cancelled(const MPI_Status *s, int *flag)
{
	*flag = s->MPI_internal[2];
	return MPI_SUCCESS;
}

/* ---- many ---- */

/* The requests behind an array of handles: NULL for null and inactive ones. */
struct set {
	struct vr_request **r;
	int n, active;
	struct vr_request *few[64];
};

static int set_open(struct set *s, int fn, int n, const MPI_Request *h)
{
	s->n = n;
	s->active = 0;
	s->r = s->few;
	if (n < 0)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "count is %d", n);
	if (n > 64 && !(s->r = vr_rank_alloc(vr_current, n * sizeof *s->r)))
		return ampi_raise(NULL, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice");
	for (int i = 0; i < n; i++) {
		s->r[i] = h[i] == MPI_REQUEST_NULL ? NULL : ampi_request(h[i]);
		if (!s->r[i] && h[i] != MPI_REQUEST_NULL)
			return bad_request(fn, h[i]);
		if (!is_active(s->r[i]))
			s->r[i] = NULL;
		s->active += s->r[i] != NULL;
	}
	return MPI_SUCCESS;
}

static void set_close(struct set *s)
{
	if (s->r != s->few)
		vr_rank_free(vr_current, s->r);
}

static int done(const struct vr_request *r)
{
	return r && (r->flags & VR_RQ_DONE);
}

static int count_done(const struct set *s)
{
	int k = 0;
	for (int i = 0; i < s->n; i++)
		k += done(s->r[i]);
	return k;
}

static void set_wait(struct set *s, int fn, int need)
{
	vr_current->wait.fn = fn;
	if (count_done(s) < need)
		vr_request_wait(s->r, s->n, need);
}

/* Retire all; MPI_ERR_IN_STATUS and per-request errors when any failed (MPI 5.0 section 3.7.5). */
static int finish_all(struct set *s, int fn, MPI_Request *h, MPI_Status *statuses)
{
	int failed = 0;
	uint64_t comm = 0;
	for (int i = 0; i < s->n; i++) {
		MPI_Status *out = at(statuses, i);
		uint64_t c = s->r[i] ? s->r[i]->comm : 0;
		int error = 0;
		if (s->r[i])
			error = ampi_request_finish(s->r[i], &h[i], out);
		else if (out)
			status_empty(out);
		if (out)
			out->MPI_ERROR = error;
		if (error && !failed++)
			comm = c;
	}
	return failed ? ampi_raise(ampi_comm((MPI_Comm)comm), MPI_ERR_IN_STATUS, fn, "%d of %d operations failed", failed, s->n) : MPI_SUCCESS;
}

int ampi_Waitall(int n, MPI_Request h[], MPI_Status statuses[])
{
	const int fn = AMPI_FN_MPI_Waitall;
	struct set s;
	int error = set_open(&s, fn, n, h);
	if (!error) {
		set_wait(&s, fn, s.active);
		error = finish_all(&s, fn, h, statuses);
	}
	set_close(&s);
	return error;
}

int ampi_Testall(int n, MPI_Request h[], int *flag, MPI_Status statuses[])
{
	const int fn = AMPI_FN_MPI_Testall;
	struct set s;
	vr_progress();
	int error = set_open(&s, fn, n, h);
	*flag = !error && count_done(&s) == s.active;
	if (*flag)
		error = finish_all(&s, fn, h, statuses);
	else if (!error)
		vr_rank_yield();
	set_close(&s);
	return error;
}

static int first_done(const struct set *s)
{
	for (int i = 0; i < s->n; i++)
		if (done(s->r[i]))
			return i;
	return MPI_UNDEFINED;
}

static int finish_one(struct set *s, int fn, int i, MPI_Request *h, MPI_Status *status)
{
	if (i == MPI_UNDEFINED) {
		if (status)
			status_empty(status);
		return MPI_SUCCESS;
	}
	return finish(fn, s->r[i], &h[i], status);
}

int ampi_Waitany(int n, MPI_Request h[], int *index, MPI_Status *status)
{
	const int fn = AMPI_FN_MPI_Waitany;
	struct set s;
	int error = set_open(&s, fn, n, h);
	if (!error) {
		if (s.active)
			set_wait(&s, fn, 1);
		*index = first_done(&s);
		error = finish_one(&s, fn, *index, h, status);
	}
	set_close(&s);
	return error;
}

int ampi_Testany(int n, MPI_Request h[], int *index, int *flag, MPI_Status *status)
{
	const int fn = AMPI_FN_MPI_Testany;
	struct set s;
	vr_progress();
	int error = set_open(&s, fn, n, h);
	if (!error) {
		*index = first_done(&s);
		*flag = *index != MPI_UNDEFINED || !s.active;
		if (*flag)
			error = finish_one(&s, fn, *index, h, status);
		else
			vr_rank_yield();
	}
	set_close(&s);
	return error;
}

/* Retire those that are done, their places in indices, their statuses packed. */
static int finish_some(struct set *s, int fn, MPI_Request *h, int *out, int *indices, MPI_Status *statuses)
{
	int k = 0, failed = 0;
	uint64_t comm = 0;
	for (int i = 0; i < s->n; i++) {
		if (!done(s->r[i]))
			continue;
		uint64_t c = s->r[i]->comm;
		MPI_Status *status = at(statuses, k);
		int error = ampi_request_finish(s->r[i], &h[i], status);
		if (status)
			status->MPI_ERROR = error;
		if (error && !failed++)
			comm = c;
		indices[k++] = i;
	}
	*out = k;
	return failed ? ampi_raise(ampi_comm((MPI_Comm)comm), MPI_ERR_IN_STATUS, fn, "%d of %d operations failed", failed, k) : MPI_SUCCESS;
}

static int some(int fn, int wait, int n, MPI_Request *h, int *out, int *indices, MPI_Status *statuses)
{
	struct set s;
	vr_progress();
	int error = set_open(&s, fn, n, h);
	if (!error && !s.active) {
		*out = MPI_UNDEFINED;
	} else if (!error) {
		if (wait)
			set_wait(&s, fn, 1);
		error = finish_some(&s, fn, h, out, indices, statuses);
		if (!wait && !*out)
			vr_rank_yield();
	}
	set_close(&s);
	return error;
}

int ampi_Waitsome(int n, MPI_Request h[], int *out, int indices[], MPI_Status statuses[])
{
	return some(AMPI_FN_MPI_Waitsome, 1, n, h, out, indices, statuses);
}

int ampi_Testsome(int n, MPI_Request h[], int *out, int indices[], MPI_Status statuses[])
{
	return some(AMPI_FN_MPI_Testsome, 0, n, h, out, indices, statuses);
}
