/* Generalized requests (MPI 5.0 section 13.2): the program says when they are complete, and its callbacks say the rest. They
 * run on the rank's own stack, in the call that the standard names. */
#include "ampi/p2p/p2p_args.h"
#include "ampi/p2p/request.h"

struct general {
	struct ampi_activity activity;
	MPI_Grequest_query_function *query;
	MPI_Grequest_free_function *free;
	MPI_Grequest_cancel_function *cancel;
	void *state;
	int freed; /* free has been called */
};

static int status(struct vr_request *r, MPI_Status *s)
{
	struct general *g = r->extra;
	ampi_status_empty(s);
	return g->query ? g->query(g->state, s) : MPI_SUCCESS;
}

static int call_free(struct vr_request *r)
{
	struct general *g = r->extra;
	if (g->freed++ || !g->free)
		return MPI_SUCCESS;
	return g->free(g->state);
}

static int cancel(int fn, struct vr_request *r)
{
	struct general *g = r->extra;
	uint64_t comm = r->comm;
	return g->cancel ? ampi_request_failed(comm, g->cancel(g->state, !!(r->flags & VR_RQ_DONE)), fn) : MPI_SUCCESS;
}

/* Requests that the program freed before it completed them come here from MPI_Grequest_complete, so on its stack. */
static void release(struct vr_request *r)
{
	call_free(r);
}

static const struct ampi_request_class general_class = {.status = status, .finish = call_free, .cancel = cancel, .release = release};

int ampi_Grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *free, MPI_Grequest_cancel_function *cancel,
			void *state, MPI_Request *request)
{
	const int fn = AMPI_FN_MPI_Grequest_start;
	if (!ampi_running())
		return ampi_bad_comm(MPI_COMM_SELF, fn);
	struct vr_request *r = ampi_request_make(&general_class, sizeof(struct general));
	if (!r)
		return ampi_no_memory(NULL, fn);
	*(struct general *)r->extra = (struct general){.activity = {.class = &general_class}, .query = query, .free = free, .cancel = cancel,
						       .state = state};
	*request = ampi_request_handle(r);
	return MPI_SUCCESS;
}

int ampi_Grequest_complete(MPI_Request request)
{
	const int fn = AMPI_FN_MPI_Grequest_complete;
	struct vr_request *r = ampi_request(request);
	if (!r || !ampi_running())
		return ampi_bad_request(fn, request);
	if (r->kind != VR_REQ_COMPOUND || ampi_activity(r)->class != &general_class)
		return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request is not a generalized request");
	if (r->flags & VR_RQ_DONE)
		return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "request is complete already");
	vr_request_complete(r);
	return MPI_SUCCESS;
}
