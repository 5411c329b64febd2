/* Probes, matched or not (MPI 5.0 section 3.8). A message that a matched probe took is an envelope of nobody's queue. */
#include "ampi.h"

static int check(int fn, struct ampi_comm *c, int source, int tag)
{
	if ((uint32_t)source >= (uint32_t)ampi_peer_count(c) && source != MPI_ANY_SOURCE && source != MPI_PROC_NULL)
		return ampi_raise(c, MPI_ERR_RANK, fn, "source is %d, in a communicator of %d", source, ampi_peer_count(c));
	if (tag < 0 && tag != MPI_ANY_TAG)
		return ampi_raise(c, MPI_ERR_TAG, fn, "tag is %d", tag);
	return MPI_SUCCESS;
}

static void status_of(MPI_Status *s, const struct vr_env *e)
{
	if (s == MPI_STATUS_IGNORE)
		return;
	if (e)
		ampi_status_set(s, e->source, e->tag, e->bytes, 0);
	else
		ampi_status_set(s, MPI_PROC_NULL, MPI_ANY_TAG, 0, 0);
}

/* What the four probes share: NULL in *e and *found = 1 stands for MPI_PROC_NULL. */
static int probe(int fn, int wait, int source, int tag, MPI_Comm comm, int *found, struct vr_env **e, MPI_Status *s)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	int error = check(fn, c, source, tag);
	if (error)
		return error;
	*found = 1;
	*e = NULL;
	if (source != MPI_PROC_NULL) {
		vr_current->wait.fn = fn;
		*e = wait ? vr_probe_wait(c->context, source, tag) : vr_probe_now(c->context, source, tag);
		*found = *e != NULL;
	}
	if (*found)
		status_of(s, *e);
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
static int take(int fn, struct vr_env *e, MPI_Message *message)
{
	if (!e) {
		*message = MPI_MESSAGE_NO_PROC;
		return MPI_SUCCESS;
	}
	uint64_t h = ampi_enter(vr_current, &ampi_me()->messages, AMPI_MESSAGE, e);
	if (!h)
		return ampi_raise(NULL, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice");
	vr_match_take(&vr_current->matcher, e);
	*message = (MPI_Message)h;
	return MPI_SUCCESS;
}

int ampi_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *s)
{
	struct vr_env *e;
	int found, error = probe(AMPI_FN_MPI_Mprobe, 1, source, tag, comm, &found, &e, s);
	return error ? error : take(AMPI_FN_MPI_Mprobe, e, message);
}

int ampi_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *s)
{
	struct vr_env *e;
	int error = probe(AMPI_FN_MPI_Improbe, 0, source, tag, comm, flag, &e, s);
	return error || !*flag ? error : take(AMPI_FN_MPI_Improbe, e, message);
}

static int imrecv(int fn, void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, struct vr_request **out)
{
	const struct vr_type *t = ampi_type(type);
	struct vr_env *e = ampi_lookup(&ampi_me()->messages, AMPI_MESSAGE, (uint64_t)*message);
	if (!e && *message != MPI_MESSAGE_NO_PROC)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "message is not a message, or was received");
	if (count < 0)
		return ampi_raise(NULL, MPI_ERR_COUNT, fn, "count is %lld", (long long)count);
	if (!t || !(t->flags & VR_TYPE_COMMITTED))
		return ampi_bad_type(NULL, type, fn);
	struct vr_request *r = vr_request_alloc(vr_current, VR_REQ_RECV);
	if (!r)
		return ampi_raise(NULL, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice");
	r->buf = buf;
	r->count = count;
	r->type = t;
	*out = r;
	if (e) {
		ampi_remove(&ampi_me()->messages, (uint64_t)*message);
		vr_recv_message(r, e);
	} else {
		r->source = MPI_PROC_NULL;
		r->got_tag = MPI_ANY_TAG;
		r->flags |= VR_RQ_DONE;
	}
	*message = MPI_MESSAGE_NULL;
	return MPI_SUCCESS;
}

static int mrecv(int fn, void *buf, MPI_Count count, MPI_Datatype type, MPI_Message *message, MPI_Status *s)
{
	struct vr_request *r;
	int error = imrecv(fn, buf, count, type, message, &r);
	if (error)
		return error;
	MPI_Request h = ampi_request_handle(r);
	error = ampi_request_finish(r, &h, s);
	return error ? ampi_raise(NULL, error, fn, "the message is longer than the buffer of %lld elements", (long long)count) : MPI_SUCCESS;
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
	int error = imrecv(fn, buf, count, type, message, &r);
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
