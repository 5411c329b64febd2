/* Barrier, broadcast, gather and scatter along binomial trees. Members are numbered from the root: v = 0 is the root, the
 * parent of v is v without its lowest bit, and v + 1, v + 2, v + 4, ... below that bit are its children. So the subtree of v is
 * the stretch of numbers that begins with v. */
#include "ampi/coll/sched_tree.h"

struct node {
	int n, v, root;
	int low; /* the lowest bit of v; of the root a power of two that is at least n */
};

static struct node node_of(const struct ampi_sched *p, int root)
{
	struct node t = {.n = p->size, .v = (p->comm->rank - root + p->size) % p->size, .root = root, .low = 1};
	while (t.low < t.n && !(t.v & t.low))
		t.low <<= 1;
	return t;
}

static int rank_of(const struct node *t, int v)
{
	return v + t->root < t->n ? v + t->root : v + t->root - t->n;
}

static int parent(const struct node *t)
{
	return rank_of(t, t->v - t->low);
}

/* How many members the subtree has whose first one is v and whose bit is `low`. */
static int subtree(const struct node *t, int v, int low)
{
	return v + low < t->n ? low : t->n - v;
}

/* ---- barrier ---- */

void ampi_tree_gather_all(struct ampi_sched *p)
{
	struct node t = node_of(p, 0);
	for (int bit = 1; bit < t.low && t.v + bit < t.n; bit <<= 1)
		ampi_sched_recv(p, t.v + bit, NULL, 0, ampi_bytes());
	ampi_sched_wait(p);
	if (t.v)
		ampi_sched_send(p, parent(&t), NULL, 0, ampi_bytes());
}

void ampi_tree_release_all(struct ampi_sched *p)
{
	ampi_tree_bcast(p, 0, NULL, 0, ampi_bytes());
}

/* ---- broadcast ---- */

/* The largest subtree first. */
void ampi_tree_bcast(struct ampi_sched *p, int root, void *buf, int64_t count, const struct vr_type *type)
{
	struct node t = node_of(p, root);
	ampi_sched_exact(p);
	if (t.v) {
		ampi_sched_recv(p, parent(&t), buf, count, type);
		ampi_sched_wait(p);
	}
	for (int bit = t.low >> 1; bit; bit >>= 1)
		if (t.v + bit < t.n)
			ampi_sched_send(p, rank_of(&t, t.v + bit), buf, count, type);
}

/* ---- blocks: small ones of one size travel with those of the subtree, others go straight to the root or come from it ---- */

#define TREE_BLOCK_MAX 1024

/* A stretch of members' blocks in the root's buffer: where the numbers wrap around there are two pieces. */
typedef void move_fn(struct ampi_sched *p, int peer, void *buf, int64_t count, const struct vr_type *type);

static void send_block(struct ampi_sched *p, int peer, void *buf, int64_t count, const struct vr_type *type)
{
	ampi_sched_send(p, peer, buf, count, type);
}

static void move_stretch(struct ampi_sched *p, const struct node *t, move_fn *move, int peer, const struct ampi_layout *l, int v, int n)
{
	int first = rank_of(t, v), before_wrap = t->n - first < n ? t->n - first : n;
	move(p, peer, ampi_layout_at(l, first), before_wrap * l->count, l->type);
	if (before_wrap < n)
		move(p, peer, l->base, (n - before_wrap) * l->count, l->type);
}

/* The same stretch, packed in memory of the schedule, cut where the root's is. */
static void move_packed(struct ampi_sched *p, const struct node *t, move_fn *move, char *packed, int n, int64_t bytes)
{
	int first = rank_of(t, t->v), before_wrap = t->v == t->low && t->n - first < n ? t->n - first : n;
	move(p, parent(t), packed, before_wrap * bytes, ampi_bytes());
	if (before_wrap < n)
		move(p, parent(t), packed + before_wrap * bytes, (n - before_wrap) * bytes, ampi_bytes());
}

static int goes_by_tree(const struct ampi_layout *l)
{
	return !l->counts && l->count * l->type->size <= TREE_BLOCK_MAX;
}

/* ---- gather ---- */

static void copy_own(struct ampi_sched *p, const struct ampi_exchange *x, int root_receives)
{
	const struct ampi_layout *many = root_receives ? &x->recv : &x->send, *one = root_receives ? &x->send : &x->recv;
	int i = p->comm->rank;
	if (x->in_place)
		return;
	if (root_receives)
		ampi_sched_copy(p, ampi_layout_at(many, i), ampi_layout_count(many, i), many->type, one->base, one->count, one->type);
	else
		ampi_sched_copy(p, one->base, one->count, one->type, ampi_layout_at(many, i), ampi_layout_count(many, i), many->type);
}

static void gather_in_root(struct ampi_sched *p, const struct node *t, const struct ampi_exchange *x)
{
	copy_own(p, x, 1);
	if (goes_by_tree(&x->recv)) {
		ampi_sched_exact(p);
		for (int bit = 1; bit < t->n; bit <<= 1)
			move_stretch(p, t, ampi_sched_recv, rank_of(t, bit), &x->recv, bit, subtree(t, bit, bit));
		return;
	}
	for (int i = 0; i < t->n; i++)
		if (i != x->root)
			ampi_sched_recv(p, i, ampi_layout_at(&x->recv, i), ampi_layout_count(&x->recv, i), x->recv.type);
}

/* `many`: in the root, blocks may differ; only it knows, so they come straight. */
static void gather_in_member(struct ampi_sched *p, const struct node *t, const struct ampi_layout *one, int many)
{
	int64_t bytes = one->count * one->type->size;
	int n = subtree(t, t->v, t->low);
	if (many || !goes_by_tree(one) || n == 1) {
		ampi_sched_send(p, many || !goes_by_tree(one) ? t->root : parent(t), one->base, one->count, one->type);
		return;
	}
	char *packed = ampi_sched_alloc(p, n * bytes);
	ampi_sched_exact(p);
	ampi_sched_copy(p, packed, bytes, ampi_bytes(), one->base, one->count, one->type);
	for (int bit = 1; bit < t->low && t->v + bit < t->n; bit <<= 1)
		ampi_sched_recv(p, rank_of(t, t->v + bit), packed + bit * bytes, subtree(t, t->v + bit, bit) * bytes, ampi_bytes());
	ampi_sched_wait(p);
	move_packed(p, t, send_block, packed, n, bytes);
}

void ampi_tree_gather(struct ampi_sched *p, const struct ampi_exchange *x)
{
	struct node t = node_of(p, x->root);
	if (t.v)
		gather_in_member(p, &t, &x->send, x->many);
	else
		gather_in_root(p, &t, x);
}

/* ---- scatter ---- */

static void scatter_in_root(struct ampi_sched *p, const struct node *t, const struct ampi_exchange *x)
{
	int bit = 1;
	copy_own(p, x, 0);
	if (goes_by_tree(&x->send)) {
		ampi_sched_exact(p);
		while (2 * bit < t->n)
			bit <<= 1;
		for (; bit && bit < t->n; bit >>= 1)
			move_stretch(p, t, send_block, rank_of(t, bit), &x->send, bit, subtree(t, bit, bit));
		return;
	}
	for (int i = 0; i < t->n; i++)
		if (i != x->root)
			ampi_sched_send(p, i, ampi_layout_at(&x->send, i), ampi_layout_count(&x->send, i), x->send.type);
}

static void scatter_in_member(struct ampi_sched *p, const struct node *t, const struct ampi_layout *one, int many)
{
	int64_t bytes = one->count * one->type->size;
	int n = subtree(t, t->v, t->low);
	if (!many && goes_by_tree(one))
		ampi_sched_exact(p);
	if (many || !goes_by_tree(one) || n == 1) {
		ampi_sched_recv(p, many || !goes_by_tree(one) ? t->root : parent(t), one->base, one->count, one->type);
		return;
	}
	char *packed = ampi_sched_alloc(p, n * bytes);
	move_packed(p, t, ampi_sched_recv, packed, n, bytes);
	ampi_sched_copy(p, one->base, one->count, one->type, packed, bytes, ampi_bytes());
	for (int bit = t->low >> 1; bit; bit >>= 1)
		if (t->v + bit < t->n)
			ampi_sched_send(p, rank_of(t, t->v + bit), packed + bit * bytes, subtree(t, t->v + bit, bit) * bytes, ampi_bytes());
}

void ampi_tree_scatter(struct ampi_sched *p, const struct ampi_exchange *x)
{
	struct node t = node_of(p, x->root);
	if (t.v)
		scatter_in_member(p, &t, &x->recv, x->many);
	else
		scatter_in_root(p, &t, x);
}
