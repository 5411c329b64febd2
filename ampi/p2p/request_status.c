/* MPI_Request_get_status_any, _all, _some (MPI 5.0 section 3.7.6): what is complete, without completing it. */
#include "ampi/p2p/p2p_args.h"
#include "ampi/p2p/request.h"

/* The status of one request that is complete, or of a null or inactive one. Without a status the program only wants to
 * know, and no callback is needed. */
static int peek(struct vr_request *r, MPI_Status *s)
{
	if (!s)
		return r ? r->error : MPI_SUCCESS;
	if (r)
		return ampi_request_status(r, s);
	ampi_status_empty(s);
	return MPI_SUCCESS;
}

static int peek_all(const struct ampi_requests *s, int fn, MPI_Status *statuses)
{
	int failed = 0;
	for (int i = 0; i < s->n; i++) {
		MPI_Status *out = statuses == MPI_STATUSES_IGNORE ? NULL : &statuses[i];
		int error = peek(s->r[i], out);
		if (out)
			out->MPI_ERROR = error;
		failed += error != 0;
	}
	return failed ? ampi_raise(NULL, MPI_ERR_IN_STATUS, fn, "%d of %d operations failed", failed, s->n) : MPI_SUCCESS;
}

int ampi_Request_get_status_all(int n, const MPI_Request h[], int *flag, MPI_Status statuses[])
{
	const int fn = AMPI_FN_MPI_Request_get_status_all;
	struct ampi_requests s;
	vr_progress();
	int error = ampi_requests_open(&s, fn, n, h);
	if (!error) {
		*flag = ampi_requests_done(&s) == s.active;
		if (*flag)
			error = peek_all(&s, fn, statuses);
		else
			vr_rank_yield();
	}
	ampi_requests_close(&s);
	return error;
}

int ampi_Request_get_status_any(int n, const MPI_Request h[], int *index, int *flag, MPI_Status *status)
{
	const int fn = AMPI_FN_MPI_Request_get_status_any;
	struct ampi_requests s;
	vr_progress();
	int error = ampi_requests_open(&s, fn, n, h);
	if (!error) {
		*index = ampi_requests_first(&s);
		*flag = *index != MPI_UNDEFINED || !s.active;
		if (!*flag)
			vr_rank_yield();
		else if ((error = peek(*index == MPI_UNDEFINED ? NULL : s.r[*index], status)))
			error = ampi_request_failed(s.r[*index]->comm, error, fn);
	}
	ampi_requests_close(&s);
	return error;
}

/* Those that are done: their places, their statuses packed. */
static int peek_some(const struct ampi_requests *s, int fn, int *out, int *indices, MPI_Status *statuses)
{
	int failed = 0, k = 0;
	for (int i = 0; i < s->n; i++) {
		if (!ampi_request_is_done(s->r[i]))
			continue;
		MPI_Status *status = statuses == MPI_STATUSES_IGNORE ? NULL : &statuses[k];
		int error = peek(s->r[i], status);
		if (status)
			status->MPI_ERROR = error;
		failed += error != 0;
		indices[k++] = i;
	}
	*out = k;
	return failed ? ampi_raise(NULL, MPI_ERR_IN_STATUS, fn, "%d of %d operations failed", failed, k) : MPI_SUCCESS;
}

int ampi_Request_get_status_some(int n, const MPI_Request h[], int *out, int indices[], MPI_Status statuses[])
{
	const int fn = AMPI_FN_MPI_Request_get_status_some;
	struct ampi_requests s;
	vr_progress();
	int error = ampi_requests_open(&s, fn, n, h);
	if (!error && !(error = n ? ampi_check_out(NULL, fn, "array_of_indices", indices) : MPI_SUCCESS)) {
		*out = MPI_UNDEFINED;
		if (s.active)
			error = peek_some(&s, fn, out, indices, statuses);
		if (!*out)
			vr_rank_yield();
	}
	ampi_requests_close(&s);
	return error;
}
