/* Calls on many requests (MPI 5.0 sections 3.7.5 and 3.7.6): wait, test, and looking without completing. */
#include "ampi/p2p/p2p_args.h"
#include "ampi/p2p/request.h"

/* ---- the list ---- */

/* One request of the list; NULL for null and inactive ones. */
static int look_up(int fn, MPI_Request h, struct vr_request **out)
{
	struct vr_request *r = h == MPI_REQUEST_NULL ? NULL : ampi_request(h);
	*out = NULL;
	if (!r && h != MPI_REQUEST_NULL)
		return ampi_bad_request(fn, h);
	if (!ampi_request_is_active(r))
		return MPI_SUCCESS;
	if (r->flags & VR_RQ_LISTED)
		return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request (handle 0x%lx) is in the array twice", (unsigned long)h);
	if (r->index)
		r->flags |= VR_RQ_LISTED;
	*out = r;
	return MPI_SUCCESS;
}

static int fill(struct ampi_requests *s, int fn, const MPI_Request *h)
{
	int error = MPI_SUCCESS, i;
	for (i = 0; i < s->n && !error; i++) {
		error = look_up(fn, h[i], &s->r[i]);
		s->active += s->r[i] != NULL;
	}
	while (i--)
		if (s->r[i])
			s->r[i]->flags &= ~VR_RQ_LISTED;
	return error;
}

int ampi_requests_open(struct ampi_requests *s, int fn, int n, const MPI_Request *h)
{
	s->n = s->active = 0;
	s->r = s->few;
	if (vr_unlikely(!ampi_running()))
		return ampi_bad_comm(MPI_COMM_SELF, fn);
	if (n < 0)
		return ampi_raise(NULL, MPI_ERR_COUNT, fn, "count is %d", n);
	if (n > 64 && !(s->r = vr_rank_alloc(vr_current, n * sizeof *s->r)))
		return ampi_no_memory(NULL, fn);
	s->n = n;
	return fill(s, fn, h);
}

void ampi_requests_close(struct ampi_requests *s)
{
	if (s->r != s->few)
		vr_rank_free(vr_current, s->r);
}

int ampi_requests_done(const struct ampi_requests *s)
{
	int k = 0;
	for (int i = 0; i < s->n; i++)
		k += ampi_request_is_done(s->r[i]);
	return k;
}

int ampi_requests_first(const struct ampi_requests *s)
{
	for (int i = 0; i < s->n; i++)
		if (ampi_request_is_done(s->r[i]))
			return i;
	return MPI_UNDEFINED;
}

static MPI_Status *at(MPI_Status *statuses, int i)
{
	return statuses == MPI_STATUSES_IGNORE ? NULL : &statuses[i];
}

static void set_wait(struct ampi_requests *s, int fn, int need)
{
	ampi_in_call(fn);
	if (ampi_requests_done(s) < need)
		vr_request_wait(s->r, s->n, need);
}

/* ---- all ---- */

/* Some failed: MPI_ERR_IN_STATUS, at the handler of the first one's communicator (MPI 5.0 section 3.7.5). */
struct failures {
	int n;
	uint64_t comm;
};

static void note(struct failures *f, int error, uint64_t comm)
{
	if (vr_unlikely(error) && !f->n++)
		f->comm = comm;
}

static int raise_failures(const struct failures *f, int fn, int of)
{
	if (vr_likely(!f->n))
		return MPI_SUCCESS;
	return ampi_raise(f->comm ? ampi_comm((MPI_Comm)f->comm) : NULL, MPI_ERR_IN_STATUS, fn, "%d of %d operations failed", f->n, of);
}

static int finish_all(struct ampi_requests *s, int fn, MPI_Request *h, MPI_Status *statuses)
{
	struct failures f = {0};
	for (int i = 0; i < s->n; i++) {
		MPI_Status *out = at(statuses, i);
		uint64_t comm = s->r[i] ? s->r[i]->comm : 0;
		int error = 0;
		if (s->r[i])
			error = ampi_request_finish(s->r[i], &h[i], out);
		else if (out)
			ampi_status_empty(out);
		if (out)
			out->MPI_ERROR = error;
		note(&f, error, comm);
	}
	return raise_failures(&f, fn, s->n);
}

int ampi_Waitall(int n, MPI_Request h[], MPI_Status statuses[])
{
	const int fn = AMPI_FN_MPI_Waitall;
	struct ampi_requests s;
	int error = ampi_requests_open(&s, fn, n, h);
	if (!error) {
		set_wait(&s, fn, s.active);
		error = finish_all(&s, fn, h, statuses);
	}
	ampi_requests_close(&s);
	return error;
}

int ampi_Testall(int n, MPI_Request h[], int *flag, MPI_Status statuses[])
{
	const int fn = AMPI_FN_MPI_Testall;
	struct ampi_requests s;
	vr_progress();
	int error = ampi_requests_open(&s, fn, n, h);
	if (!error) {
		*flag = ampi_requests_done(&s) == s.active;
		if (*flag)
			error = finish_all(&s, fn, h, statuses);
		else
			vr_rank_yield();
	}
	ampi_requests_close(&s);
	return error;
}

/* ---- any ---- */

static int finish_one(struct ampi_requests *s, int fn, int i, MPI_Request *h, MPI_Status *status)
{
	if (i == MPI_UNDEFINED) {
		if (status)
			ampi_status_empty(status);
		return MPI_SUCCESS;
	}
	uint64_t comm = s->r[i]->comm;
	return ampi_request_failed(comm, ampi_request_finish(s->r[i], &h[i], status), fn);
}

int ampi_Waitany(int n, MPI_Request h[], int *index, MPI_Status *status)
{
	const int fn = AMPI_FN_MPI_Waitany;
	struct ampi_requests s;
	int error = ampi_requests_open(&s, fn, n, h);
	if (!error) {
		if (s.active)
			set_wait(&s, fn, 1);
		*index = ampi_requests_first(&s);
		error = finish_one(&s, fn, *index, h, status);
	}
	ampi_requests_close(&s);
	return error;
}

int ampi_Testany(int n, MPI_Request h[], int *index, int *flag, MPI_Status *status)
{
	const int fn = AMPI_FN_MPI_Testany;
	struct ampi_requests s;
	vr_progress();
	int error = ampi_requests_open(&s, fn, n, h);
	if (!error) {
		*index = ampi_requests_first(&s);
		*flag = *index != MPI_UNDEFINED || !s.active;
		if (*flag)
			error = finish_one(&s, fn, *index, h, status);
		else
			vr_rank_yield();
	}
	ampi_requests_close(&s);
	return error;
}

/* ---- some ---- */

/* Retire those that are done, their places in indices, their statuses packed. */
static int finish_some(struct ampi_requests *s, int fn, MPI_Request *h, int *out, int *indices, MPI_Status *statuses)
{
	int k = 0;
	struct failures f = {0};
	for (int i = 0; i < s->n; i++) {
		if (!ampi_request_is_done(s->r[i]))
			continue;
		uint64_t comm = s->r[i]->comm;
		MPI_Status *status = at(statuses, k);
		int error = ampi_request_finish(s->r[i], &h[i], status);
		if (status)
			status->MPI_ERROR = error;
		note(&f, error, comm);
		indices[k++] = i;
	}
	*out = k;
	return raise_failures(&f, fn, k);
}

static int some(int fn, int wait, int n, MPI_Request *h, int *out, int *indices, MPI_Status *statuses)
{
	struct ampi_requests s;
	vr_progress();
	int error = ampi_requests_open(&s, fn, n, h);
	if (!error && !(error = n ? ampi_check_out(NULL, fn, "array_of_indices", indices) : MPI_SUCCESS)) {
		*out = MPI_UNDEFINED;
		if (wait && s.active)
			set_wait(&s, fn, 1);
		if (s.active)
			error = finish_some(&s, fn, h, out, indices, statuses);
		if (!*out)
			vr_rank_yield();
	}
	ampi_requests_close(&s);
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
