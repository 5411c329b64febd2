/* Probes, matched or not (MPI 5.0 section 3.8). A message that a matched probe took is an envelope of nobody's queue. */
#include "ampi/p2p/p2p_args.h"

static void status_of(MPI_Status *s, const struct vr_env *e, MPI_Comm comm)
{
	if (s == MPI_STATUS_IGNORE)
		return;
	if (e)
		ampi_status_set(s, e->source, e->tag, e->bytes, (uint64_t)comm, 0);
	else
		ampi_status_set(s, MPI_PROC_NULL, MPI_ANY_TAG, 0, (uint64_t)comm, 0);
}

/* What the four probes share: NULL in *e and *found = 1 stands for MPI_PROC_NULL. */
static int probe(int fn, int wait, int source, int tag, MPI_Comm comm, int *found, struct vr_env **e, MPI_Status *s)
{
	struct ampi_transfer t;
	int error = ampi_check_comm(&t, fn, comm);
	if (error || (error = ampi_check_source(&t, source, tag)))
		return error;
	*found = 1;
	*e = NULL;
	if (source != MPI_PROC_NULL) {
		ampi_in_call(fn);
		*e = wait ? vr_probe_wait(t.comm->context, source, tag) : vr_probe_now(t.comm->context, source, tag);
		*found = *e != NULL;
	}
	if (*found)
		status_of(s, *e, comm);
	else
		vr_rank_yield();
	return MPI_SUCCESS;
}

int ampi_Probe(int source, int tag, MPI_Comm comm, MPI_Status *s)
{
	struct vr_env *e;
	int found;
	return probe(AMPI_FN_MPI_Probe, 1, source, tag, comm, &found, &e, s);
}

int ampi_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *s)
{
	struct vr_env *e;
	return probe(AMPI_FN_MPI_Iprobe, 0, source, tag, comm, flag, &e, s);
}

/* Take the envelope out of the queue and give it a handle. */
static int take(int fn, struct vr_env *e, MPI_Comm comm, MPI_Message *message)
{
	if (!e) {
		*message = MPI_MESSAGE_NO_PROC;
		return MPI_SUCCESS;
	}
	uint64_t h = ampi_enter(vr_current, &ampi_me()->messages, AMPI_MESSAGE, e);
	if (!h)
		return ampi_no_memory(ampi_comm(comm), fn);
	vr_match_remove_unexpected(&vr_current->matcher, e);
	e->matched_comm = (uint64_t)comm;
	*message = (MPI_Message)h;
	return MPI_SUCCESS;
}

int ampi_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *s)
{
	struct vr_env *e;
	int found, error = probe(AMPI_FN_MPI_Mprobe, 1, source, tag, comm, &found, &e, s);
	return error ? error : take(AMPI_FN_MPI_Mprobe, e, comm, message);
}

int ampi_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *s)
{
	struct vr_env *e;
	int error = probe(AMPI_FN_MPI_Improbe, 0, source, tag, comm, flag, &e, s);
	return error || !*flag ? error : take(AMPI_FN_MPI_Improbe, e, comm, message);
}

static int bad_message(int fn, MPI_Message m)
{
	if (!ampi_running())
		return ampi_bad_comm(MPI_COMM_SELF, fn);
	return ampi_raise(NULL, MPI_ERR_REQUEST, fn, "message (handle 0x%lx) is not a message, or was received", (unsigned long)m);
}

static int imrecv(struct ampi_transfer *t, void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, struct vr_request **out)
{
	int error;
	t->comm = NULL;
	struct vr_env *e = ampi_lookup(&ampi_me()->messages, AMPI_MESSAGE, (uint64_t)*message);
	if (!ampi_running() || (!e && *message != MPI_MESSAGE_NO_PROC))
		return bad_message(t->fn, *message);
	t->comm = e ? ampi_comm((MPI_Comm)e->matched_comm) : NULL;
	if ((error = ampi_check_data(t, buf, count, type)))
		return error;
	struct vr_request *r = vr_request_alloc(vr_current, VR_REQ_RECV);
	if (!r)
		return ampi_no_memory(t->comm, t->fn);
	r->buf = buf;
	r->count = count;
	r->type = t->type;
	r->comm = t->comm ? t->comm->handle : 0;
	*out = r;
	if (e) {
		ampi_remove(&ampi_me()->messages, (uint64_t)*message);
		vr_recv_message(r, e);
	} else {
		ampi_request_null(r);
	}
	*message = MPI_MESSAGE_NULL;
	return MPI_SUCCESS;
}

static int mrecv(int fn, void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Status *s)
{
	struct vr_request *r;
	struct ampi_transfer t = {.fn = fn};
	int error = imrecv(&t, buf, count, type, message, &r);
	if (error)
		return error;
	if (s != MPI_STATUS_IGNORE)
		ampi_status_set(s, r->source, r->got_tag, r->bytes, r->comm, 0);
	error = r->error;
	vr_request_free(r);
	return error ? ampi_receive_failed(t.comm, fn, error, count) : MPI_SUCCESS;
}

int ampi_Mrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *s)
{
	return mrecv(AMPI_FN_MPI_Mrecv, buf, count, type, message, s);
}

int ampi_Mrecv_c(void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Status *s)
{
	return mrecv(AMPI_FN_MPI_Mrecv_c, buf, count, type, message, s);
}

static int imrecv_handle(int fn, void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Request *out)
{
	struct vr_request *r;
	struct ampi_transfer t = {.fn = fn};
	int error = imrecv(&t, buf, count, type, message, &r);
	if (!error)
		*out = ampi_request_handle(r);
	return error;
}

int ampi_Imrecv(void *buf, int count, MPI_Datatype type, MPI_Message *message, MPI_Request *out)
{
	return imrecv_handle(AMPI_FN_MPI_Imrecv, buf, count, type, message, out);
}

int ampi_Imrecv_c(void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Request *out)
{
	return imrecv_handle(AMPI_FN_MPI_Imrecv_c, buf, count, type, message, out);
}
