/* Alltoall as a schedule (MPI 5.0 section 6.8): in batch after batch, members exchange blocks with some of their peers. In place k every
 * member sends to the one k after it and receives from the one k before it; with two groups of different sizes, as if both
 * had the larger one's. Small blocks of one size travel together: sched_bruck.c. */
#include "ampi/coll/coll_sched.h"
#include "ampi/coll/sched_blocks.h"
#include "ampi/coll/sched_bruck.h"

#define BATCH 64 /* peers that a member exchanges with at a time: this bounds the requests and the envelopes under way */

struct alltoall {
	struct ampi_blocks send, recv;
	struct ampi_packing *copied; /* in place: what is sent, which is overwritten meanwhile; else NULL */
	int places; /* size of the larger group */
	int peers; /* whom blocks are exchanged with */
	int across;
	int v; /* blocks differ, and empty ones are not sent */
};

static void exchange(struct ampi_sched *p, const struct alltoall *a, int peer, int sends)
{
	struct vr_data d = ampi_blocks_at(sends ? &a->send : &a->recv, peer);
	if (a->v && (!d.count || !d.type->size))
		return;
	if (a->across)
		(sends ? ampi_sched_send_across(p, peer, d.buf, d.count, d.type) : ampi_sched_recv_across(p, peer, d.buf, d.count, d.type));
	else
		(sends ? ampi_sched_send(p, peer, d.buf, d.count, d.type) : ampi_sched_recv(p, peer, d.buf, d.count, d.type));
}

static int batch(struct ampi_sched *p)
{
	const struct alltoall *a = p->state;
	if (a->copied && p->batch == 0)
		ampi_blocks_pack(p, a->copied);
	int rank = p->comm->rank, from = p->batch * BATCH, to = from + BATCH < a->places ? from + BATCH : a->places;
	for (int k = from; k < to; k++) {
		int peer = (rank - k + a->places) % a->places;
		if (peer < a->peers)
			exchange(p, a, peer, 0);
	}
	for (int k = from; k < to; k++) {
		int peer = (rank + k) % a->places;
		if (peer < a->peers)
			exchange(p, a, peer, 1);
	}
	return from < to;
}

static void send_from_copy(struct ampi_sched *p, struct alltoall *a)
{
	int n = a->peers;
	char *packed = ampi_sched_alloc(p, ampi_blocks_bytes(&a->recv, n));
	MPI_Count *bytes = ampi_sched_alloc(p, 2 * n * sizeof *bytes), at = 0;
	MPI_Aint *displs = (MPI_Aint *)(bytes + n);
	if (p->failed)
		return;
	for (int i = 0; i < n; at += bytes[i++]) {
		struct vr_data d = ampi_blocks_at(&a->recv, i);
		bytes[i] = d.count * d.type->size;
		displs[i] = at;
	}
	a->copied = ampi_blocks_packing(p, &a->recv, n, packed);
	a->send = (struct ampi_blocks){.layout = {.base = packed, .type = ampi_bytes(), .counts = bytes, .displs = displs, .wide = 1}};
}

static void build(struct ampi_sched *p, const struct ampi_exchange *x)
{
	struct ampi_comm *c = p->comm;
	struct alltoall *a = ampi_sched_alloc(p, sizeof *a);
	if (!a)
		return;
	a->peers = ampi_peer_count(c);
	a->places = c->is_inter && c->remote_size < c->size ? c->size : a->peers;
	a->across = c->is_inter;
	a->v = x->recv.counts != NULL;
	int later = x->in_place || !ampi_sched_is_small(p);
	a->recv = ampi_blocks_keep(p, &x->recv, a->peers, later);
	a->copied = NULL;
	if (x->in_place)
		send_from_copy(p, a);
	else
		a->send = ampi_blocks_keep(p, &x->send, a->peers, later);
	ampi_sched_batches(p, batch, a);
}

int ampi_begin_alltoall(enum ampi_way way, int fn, const struct ampi_exchange *given, MPI_Comm comm, MPI_Request *request)
{
	struct ampi_exchange x = *given;
	struct ampi_sched_call call;
	int error;
	if ((error = ampi_sched_call_open(&call, way, fn, comm, request)) || (error = ampi_check_alltoall(&call.caller, &x)))
		return error;
	struct ampi_sched *p = ampi_sched_new(&call);
	if (p && !call.caller.comm->is_inter && !x.recv.counts && ampi_bruck_suits(p->size, x.send.count * x.send.type->size))
		ampi_bruck_alltoall(p, &x);
	else if (p)
		build(p, &x);
	return ampi_sched_launch(p, &call);
}
