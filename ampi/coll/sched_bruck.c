/* Alltoall in rounds, of log n messages for each member instead of n (J. Bruck and others, 1997). Blocks are numbered by how far they
 * have to go: block j of a member is for the one j after it. In the round of bit k, all blocks with that bit in their number go k
 * members further, so that in the end block j has come from the one j before. A block is copied log n / 2 times on its way, which pays
 * while it is small. */
#include "ampi/coll/sched_bruck.h"

#include "ampi/coll/sched_blocks.h"
#include "vrank/p2p/type_copy.h"

#define BLOCK_MAX 256
#define BLOCKS_MAX (128 << 10) /* of all blocks of a member: it has twice as much memory for them while they travel */

struct bruck {
	struct ampi_blocks send, recv;
	int n;
	int64_t bytes; /* of a block */
	char *blocks; /* by number */
	char *out, *in; /* those that go and come in this round, side by side */
	int bit; /* of this round */
};

int ampi_bruck_suits(int n, int64_t bytes)
{
	return n > 2 && bytes <= BLOCK_MAX && n * bytes <= BLOCKS_MAX;
}

/* ---- the blocks of a round: runs of `bit` of them, as many apart ---- */

static int64_t travelling(int n, int bit)
{
	int rest = n % (2 * bit) - bit;
	return n / (2 * bit) * (int64_t)bit + (rest > 0 ? rest : 0);
}

/* Between their places and side by side at `packed`. */
static void move_runs(const struct bruck *b, char *packed, int out)
{
	int64_t run = b->bit * b->bytes, runs = b->n / (2 * b->bit), rest = travelling(b->n, b->bit) * b->bytes - runs * run;
	char *first = b->blocks + run, *last = first + runs * 2 * run, *packed_last = packed + runs * run;
	if (out)
		vr_copy_strided(packed, run, first, 2 * run, run, runs);
	else
		vr_copy_strided(first, 2 * run, packed, run, run, runs);
	if (rest)
		memcpy(out ? packed_last : last, out ? last : packed_last, rest);
}

/* ---- the program's buffers ---- */

static int is_plain(const struct ampi_blocks *b, int64_t bytes)
{
	return (b->layout.type->flags & VR_TYPE_CONTIGUOUS) && b->layout.count * b->layout.type->size == bytes;
}

static char *plain_base(const struct ampi_blocks *b)
{
	return (char *)vr_live(b->layout.base) + b->layout.type->true_lb;
}

static struct vr_data packed_block(const struct bruck *b, int j)
{
	return (struct vr_data){b->blocks + j * b->bytes, b->bytes, ampi_bytes()};
}

static void take_blocks(struct bruck *b, int rank)
{
	if (is_plain(&b->send, b->bytes)) {
		const char *base = plain_base(&b->send);
		memcpy(b->blocks, base + rank * b->bytes, (b->n - rank) * b->bytes);
		memcpy(b->blocks + (b->n - rank) * b->bytes, base, rank * b->bytes);
		return;
	}
	for (int j = 0; j < b->n; j++) {
		struct vr_data to = packed_block(b, j), from = ampi_blocks_at(&b->send, (rank + j) % b->n);
		vr_data_copy(&to, &from, b->bytes);
	}
}

static void give_blocks(struct ampi_sched *p, struct bruck *b)
{
	int rank = p->comm->rank;
	int64_t room = b->recv.layout.count * b->recv.layout.type->size;
	if (is_plain(&b->recv, b->bytes)) {
		char *base = plain_base(&b->recv);
		vr_copy_strided(base + rank * b->bytes, -b->bytes, b->blocks, b->bytes, b->bytes, rank + 1);
		vr_copy_strided(base + (b->n - 1) * b->bytes, -b->bytes, b->blocks + (rank + 1) * b->bytes, b->bytes, b->bytes, b->n - 1 - rank);
		return;
	}
	if (b->bytes != room)
		ampi_sched_fail(p, b->bytes > room ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT);
	for (int j = 0; j < b->n; j++) {
		struct vr_data to = ampi_blocks_at(&b->recv, (rank - j + b->n) % b->n), from = packed_block(b, j);
		vr_data_copy(&to, &from, b->bytes < room ? b->bytes : room);
	}
}

/* ---- the rounds ---- */

static void first_round(struct ampi_sched *p, void *arg)
{
	struct bruck *b = arg;
	take_blocks(b, p->comm->rank);
	b->bit = 1;
	move_runs(b, b->out, 1);
}

static void next_round(struct ampi_sched *p, void *arg)
{
	struct bruck *b = arg;
	move_runs(b, b->in, 0);
	b->bit <<= 1;
	if (b->bit < b->n)
		move_runs(b, b->out, 1);
	else
		give_blocks(p, b);
}

static struct bruck *bruck_new(struct ampi_sched *p, const struct ampi_exchange *x)
{
	int64_t bytes = x->send.count * x->send.type->size, half = travelling(p->size, 1) * bytes;
	struct bruck *b = ampi_sched_alloc(p, sizeof *b);
	char *memory = ampi_sched_alloc(p, p->size * bytes + 2 * half);
	if (p->failed)
		return NULL;
	*b = (struct bruck){.send = ampi_blocks_keep(p, &x->send, p->size, 0), .recv = ampi_blocks_keep(p, &x->recv, p->size, 0), .n = p->size,
			    .bytes = bytes, .blocks = memory, .out = memory + p->size * bytes, .in = memory + p->size * bytes + half};
	return b;
}

void ampi_bruck_alltoall(struct ampi_sched *p, const struct ampi_exchange *x)
{
	struct bruck *b = bruck_new(p, x);
	int rank = p->comm->rank, n = p->size;
	if (!b)
		return;
	ampi_sched_exact(p);
	ampi_sched_do(p, first_round, b);
	for (int bit = 1; bit < n; bit <<= 1) {
		int64_t bytes = travelling(n, bit) * b->bytes;
		ampi_sched_recv(p, (rank - bit + n) % n, b->in, bytes, ampi_bytes());
		ampi_sched_send(p, (rank + bit) % n, b->out, bytes, ampi_bytes());
		ampi_sched_do(p, next_round, b);
	}
}
