/* Messages by which ranks that make a communicator tell each other what they made. */
#include "ampi/comm/comm_make.h"

static int finish(struct vr_request *r)
{
	if (!(r->flags & VR_RQ_DONE))
		vr_request_wait(&r, 1, 1);
	vr_request_free(r);
	return 0;
}

int ampi_link_send(const struct ampi_link *l, const void *data, size_t bytes)
{
	struct vr_message m = {.buf = data, .count = bytes, .type = vr_type_predefined((uint64_t)MPI_BYTE), .context = l->context,
			       .source = l->source, .dest = l->peer, .dest_world = l->peer_world, .tag = l->tag};
	vr_context->wait.fn = l->fn;
	struct vr_request *r = vr_send_start(&m);
	if (r == VR_NO_MEMORY)
		return -1;
	return r ? finish(r) : 0;
}

int ampi_link_recv(const struct ampi_link *l, void *data, size_t bytes)
{
	struct vr_request *r = vr_request_alloc(vr_current, VR_REQ_RECV);
	if (!r)
		return -1;
	vr_context->wait.fn = l->fn;
	r->context = l->context;
	r->peer = l->peer;
	r->peer_world = l->peer_world;
	r->tag = l->tag;
	r->buf = data;
	r->type = vr_type_predefined((uint64_t)MPI_BYTE);
	r->count = bytes;
	vr_recv_start(r);
	return finish(r);
}
