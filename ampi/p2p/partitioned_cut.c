/* How the data of a pair are cut into pieces, see partitioned.h: the same on both sides. */
#include "ampi/p2p/partitioned.h"

/* Small partitions travel together up to so many bytes, as far as they belong to one partition of the receiver: one that is
 * complete never waits for data of another. */
#define PIECE_BYTES 65536

struct division {
	int32_t senders; /* partitions */
	int64_t send_bytes, recv_bytes; /* of one */
};

static int may_join(const struct division *d, const struct ampi_piece *x, int32_t i)
{
	int64_t end = (i + 1) * d->send_bytes;
	if (!d->send_bytes)
		return 1;
	return end - x->offset <= PIECE_BYTES && x->offset / d->recv_bytes == (end - 1) / d->recv_bytes;
}

/* Fills pieces, unless that is NULL; how many there are. */
static int32_t cut(const struct division *d, struct ampi_piece *pieces)
{
	int32_t n = 0;
	for (int32_t i = 0; i < d->senders; n++) {
		struct ampi_piece x = {.first = i, .offset = i * d->send_bytes};
		for (i++; i < d->senders && may_join(d, &x, i); i++)
			;
		x.n = i - x.first;
		x.bytes = x.n * d->send_bytes;
		if (pieces)
			pieces[n] = x;
	}
	return n;
}

static void index_pieces(struct ampi_partitioned *p)
{
	for (int32_t k = 0; k < p->npieces; k++)
		for (int32_t i = 0; i < p->pieces[k].n; i++)
			p->piece_of[p->pieces[k].first + i] = k;
}

/* Do pieces end inside of the receiver's elements? */
static int needs_staging(const struct ampi_partitioned *p, const struct division *d)
{
	return !p->is_send && p->type->size && d->send_bytes % p->type->size;
}

int ampi_partitioned_cut(struct ampi_partitioned *p)
{
	const struct ampi_greeting *from = p->is_send ? &p->mine : &p->theirs, *to = p->is_send ? &p->theirs : &p->mine;
	struct division d = {from->partitions, from->bytes / from->partitions, to->bytes / to->partitions};
	struct vr_rank *me = p->self->rank;
	if (from->bytes != to->bytes)
		return MPI_ERR_TRUNCATE;
	p->mine.context = p->theirs.context = from->context;
	p->npieces = cut(&d, NULL);
	p->pieces = vr_rank_calloc(me, p->npieces, sizeof *p->pieces);
	p->piece_of = vr_rank_calloc(me, from->partitions, sizeof *p->piece_of);
	if (needs_staging(p, &d))
		p->staging = vr_rank_alloc(me, to->bytes);
	if (!p->pieces || !p->piece_of || (needs_staging(p, &d) && !p->staging))
		return MPI_ERR_NO_MEM;
	cut(&d, p->pieces);
	index_pieces(p);
	return MPI_SUCCESS;
}
