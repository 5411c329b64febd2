/* Partitioned communication (MPI 5.0 chapter 4): the two kinds of requests, and what their rounds do. See partitioned.h. */
#include "ampi/p2p/partitioned.h"

/* Greetings come from sources that no rank has, one for each direction: they never meet the messages of Comm_create_group. */
static int32_t greeting_source(int32_t rank, int is_send)
{
	return -(2 * rank + 3 + is_send);
}

static struct ampi_partitioned *of_hook(struct vr_progress_hook *s)
{
	return (struct ampi_partitioned *)((char *)s - offsetof(struct ampi_partitioned, hook));
}

/* The round is over, well or not. */
static void end_round(struct ampi_partitioned *p, int error)
{
	if (!(p->self->flags & VR_RQ_ACTIVE) || (p->self->flags & VR_RQ_DONE))
		return;
	if (error)
		p->self->error = error;
	vr_request_complete(p->self);
}

static void check_round(struct ampi_partitioned *p)
{
	int all_ready = !p->is_send || p->nready == p->partitions;
	if (all_ready && (p->is_null || (p->known && p->ndone == p->npieces)))
		end_round(p, MPI_SUCCESS);
}

/* ---- receiving ---- */

static void unstage(struct ampi_partitioned *p, int32_t i)
{
	char *to = (char *)p->buf + i * p->count * p->type->extent;
	vr_type_unpack(p->type, p->count, vr_live(to), p->staging + i * p->bytes, p->bytes);
}

/* Bytes of a piece that belong to partition i of the receiver. */
static int64_t share(const struct ampi_partitioned *p, const struct ampi_piece *x, int32_t i)
{
	int64_t begin = i * p->bytes, end = begin + p->bytes;
	if (x->offset > begin)
		begin = x->offset;
	if (x->offset + x->bytes < end)
		end = x->offset + x->bytes;
	return end - begin;
}

static void piece_arrived(struct ampi_partitioned *p, const struct ampi_piece *x)
{
	for (int32_t i = ampi_piece_begin(p, x), end = ampi_piece_end(p, x); i < end; i++) {
		p->state[i] -= p->bytes ? share(p, x, i) : 1;
		if (p->state[i] == 0 && p->staging)
			unstage(p, i);
	}
}

static int receive_piece(struct ampi_partitioned *p, int32_t k)
{
	const struct ampi_piece *x = &p->pieces[k];
	struct vr_request *r = vr_request_alloc(p->self->rank, VR_REQ_RECV);
	if (!r)
		return MPI_ERR_NO_MEM;
	int64_t at = p->type->size ? x->offset / p->type->size : 0;
	r->buf = p->staging ? p->staging + x->offset : (char *)p->buf + at * p->type->extent;
	r->type = p->staging ? vr_type_predefined((uint64_t)MPI_BYTE) : p->type;
	r->count = p->staging ? x->bytes : p->type->size ? x->bytes / p->type->size : 0;
	r->context = p->mine.context;
	r->peer = p->peer;
	r->peer_world = p->peer_world;
	r->tag = k;
	r->extra = &p->hook;
	r->flags = VR_RQ_HOOK;
	vr_recv_start(r);
	return MPI_SUCCESS;
}

static void receive_all(struct ampi_partitioned *p)
{
	int error = MPI_SUCCESS;
	p->posted = 1;
	for (int32_t k = 0; k < p->npieces && !error; k++)
		error = receive_piece(p, k);
	if (error)
		end_round(p, error);
	check_round(p);
}

/* ---- sending ---- */

static void piece_sent(struct ampi_partitioned *p, int error)
{
	p->ndone++;
	if (error)
		end_round(p, error);
}

static void send_piece(struct ampi_partitioned *p, int32_t k)
{
	const struct ampi_piece *x = &p->pieces[k];
	void *buf = (char *)p->buf + x->first * p->count * p->type->extent;
	struct vr_message m = {.buf = vr_live(buf), .count = x->n * p->count, .type = p->type, .context = p->mine.context, .source = p->source,
			       .dest = p->peer, .dest_world = p->peer_world, .tag = k};
	struct vr_request *r = vr_send_start_as(p->self->rank, &m);
	if (!r || r == VR_NO_MEMORY) {
		piece_sent(p, r ? MPI_ERR_NO_MEM : MPI_SUCCESS);
		return;
	}
	r->extra = &p->hook;
	r->flags |= VR_RQ_HOOK;
}

/* In the order of pieces: those whose partitions are all ready. */
static void send_ready(struct ampi_partitioned *p)
{
	for (int32_t k = 0; k < p->npieces; k++) {
		struct ampi_piece *x = &p->pieces[k];
		x->missing = x->n;
		for (int32_t i = 0; i < x->n; i++)
			x->missing -= p->state[x->first + i] != 0;
		if (!x->missing)
			send_piece(p, k);
	}
	check_round(p);
}

void ampi_partition_ready(struct ampi_partitioned *p, int32_t i)
{
	p->state[i] = 1;
	p->nready++;
	if (p->npieces && --p->pieces[p->piece_of[i]].missing == 0)
		send_piece(p, p->piece_of[i]);
	check_round(p);
}

/* ---- rounds ---- */

static int start(int fn, struct vr_request *r)
{
	struct ampi_partitioned *p = r->extra;
	(void)fn;
	p->nready = p->ndone = p->posted = 0;
	for (int32_t i = 0; i < p->partitions; i++)
		p->state[i] = p->is_send || p->is_null ? 0 : p->bytes ? p->bytes : 1;
	for (int32_t k = 0; k < p->npieces; k++)
		p->pieces[k].missing = p->pieces[k].n;
	if (p->is_null)
		check_round(p);
	else if (p->known && !p->npieces)
		end_round(p, MPI_ERR_TRUNCATE);
	else if (p->known && !p->is_send)
		receive_all(p);
	return MPI_SUCCESS;
}

/* The first moment at which both sides are known; a round may wait for it. */
static void peer_is_known(struct ampi_partitioned *p)
{
	int error = ampi_partitioned_cut(p);
	p->known = 1;
	if (error) {
		p->npieces = 0;
		end_round(p, error);
	} else if (p->self->flags & VR_RQ_ACTIVE) {
		if (p->is_send)
			send_ready(p);
		else if (!p->posted)
			receive_all(p);
	}
}

static int is_forsaken(const struct ampi_partitioned *p)
{
	return (p->self->flags & VR_RQ_ORPHAN) && !p->greeting_pending && (!(p->self->flags & VR_RQ_ACTIVE) || (p->self->flags & VR_RQ_DONE));
}

static void run(struct vr_progress_hook *s)
{
	struct ampi_partitioned *p = of_hook(s);
	if (!p->known && !p->greeting && !p->is_null)
		peer_is_known(p);
	if (is_forsaken(p) && !s->ready) /* else it will be run once more */
		ampi_request_discard(p->self);
}

static void complete_piece(struct ampi_partitioned *p, const struct vr_request *r)
{
	if (!p->is_send)
		piece_arrived(p, &p->pieces[r->tag]);
	piece_sent(p, r->error);
	check_round(p);
}

/* The hook of pieces and greetings. The last one may be what a freed request waited for: it goes when all is noted. */
static void completed(struct vr_request *r)
{
	struct vr_progress_hook *s = r->extra;
	struct ampi_partitioned *p = of_hook(s);
	vr_progress_hooks_hold();
	int is_piece = p->known && r->context == p->mine.context;
	if (is_piece)
		complete_piece(p, r);
	else if (r == p->greeting)
		p->greeting = NULL;
	p->greeting_pending -= !is_piece;
	vr_request_free(r);
	if (!is_piece)
		vr_progress_hook_ready(s);
	vr_progress_hooks_release();
}

/* ---- life ---- */

static int status(struct vr_request *r, MPI_Status *s)
{
	const struct ampi_partitioned *p = r->extra;
	if (p->is_send)
		ampi_status_set(s, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, r->comm, 0);
	else if (p->is_null)
		ampi_status_set(s, MPI_PROC_NULL, MPI_ANY_TAG, 0, r->comm, 0);
	else
		ampi_status_set(s, p->peer, p->tag, r->error ? 0 : p->mine.bytes, r->comm, 0);
	return r->error;
}

/* The hook of the request itself when the program has freed it. */
static void completed_unseen(struct vr_request *r)
{
	vr_progress_hook_ready(&((struct ampi_partitioned *)r->extra)->hook);
}

/* The other side's greeting has to be taken even if nobody wants it any more: the next pair's follows. */
static void abandon(struct vr_request *r)
{
	struct ampi_partitioned *p = r->extra;
	p->activity.hook.completed = completed_unseen;
	r->flags |= VR_RQ_ORPHAN | VR_RQ_HOOK;
	vr_progress_hook_ready(&p->hook);
}

static void release(struct vr_request *r)
{
	struct ampi_partitioned *p = r->extra;
	vr_rank_free(r->rank, p->pieces);
	vr_rank_free(r->rank, p->piece_of);
	vr_rank_free(r->rank, p->staging);
	vr_rank_free(r->rank, p->state);
}

const struct ampi_request_class ampi_partitioned_class = {.start = start, .status = status, .abandon = abandon, .release = release};

static int greet(struct ampi_partitioned *p, uint32_t context)
{
	struct vr_rank *me = p->self->rank;
	const struct vr_type *byte = vr_type_predefined((uint64_t)MPI_BYTE);
	struct vr_message m = {.buf = &p->mine, .count = sizeof p->mine, .type = byte, .context = context,
			       .source = greeting_source(p->source, p->is_send), .dest = p->peer, .dest_world = p->peer_world, .tag = p->tag};
	struct vr_request *in = vr_request_alloc(me, VR_REQ_RECV), *out = in ? vr_send_start(&m) : VR_NO_MEMORY;
	if (out == VR_NO_MEMORY)
		return in ? vr_request_free(in), -1 : -1;
	p->greeting_pending = 1 + (out != NULL);
	if (out) {
		out->extra = &p->hook;
		out->flags |= VR_RQ_HOOK;
	}
	p->greeting = in;
	in->buf = &p->theirs;
	in->count = sizeof p->theirs;
	in->type = byte;
	in->context = context;
	in->peer = greeting_source(p->peer, !p->is_send);
	in->peer_world = p->peer_world;
	in->tag = p->tag;
	in->extra = &p->hook;
	in->flags = VR_RQ_HOOK;
	vr_recv_start(in);
	return 0;
}

int ampi_partitioned_make(const struct ampi_transfer *t, const struct ampi_partitioned *given, MPI_Request *request)
{
	struct vr_request *r = ampi_request_make(&ampi_partitioned_class, sizeof *given);
	int64_t *state = r ? vr_rank_calloc(vr_current, given->partitions, sizeof *state) : NULL;
	if (!state) {
		if (r)
			ampi_request_discard(r);
		return ampi_no_memory(t->comm, t->fn);
	}
	struct ampi_partitioned *p = r->extra;
	*p = *given;
	p->activity.class = &ampi_partitioned_class;
	p->hook = (struct vr_progress_hook){.hook = {completed}, .run = run, .rank = vr_current};
	p->self = r;
	p->state = state;
	r->type = t->type;
	r->comm = t->comm->handle;
	r->context = t->comm->context;
	r->peer = p->peer;
	r->tag = p->tag;
	ampi_request_hold_type(r);
	if (!p->is_null && greet(p, t->comm->context + AMPI_CONTEXT_OWN)) {
		ampi_request_discard(r);
		return ampi_no_memory(t->comm, t->fn);
	}
	*request = ampi_request_handle(r);
	return MPI_SUCCESS;
}
