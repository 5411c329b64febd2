/* Moving typed data: one walk over a flattened type serves packing and unpacking, from any byte of the packed data on. */
#include "vrank/p2p/type.h"

#include "vrank/p2p/type_copy.h"

struct cursor {
	const struct vr_type *type;
	char *packed;
	int64_t left;
	int unpack;
};

static inline int64_t min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void advance(struct cursor *c, int64_t n)
{
	c->packed += n;
	c->left -= n;
}

static void move(struct cursor *c, char *at, int64_t n)
{
	if (c->unpack)
		vr_copy_block(at, c->packed, n);
	else
		vr_copy_block(c->packed, at, n);
	advance(c, n);
}

/* Blocks that lie `stride` apart in memory and `step` apart among the packed ones, the first of them `offset` from here. */
static void strided(const struct cursor *c, char *at, int64_t stride, int64_t offset, int64_t step, int64_t bytes, int64_t count)
{
	if (c->unpack)
		vr_copy_strided(at, stride, c->packed + offset, step, bytes, count);
	else
		vr_copy_strided(c->packed + offset, step, at, stride, bytes, count);
}

/* ---- blocks that a table lists ---- */

static const int64_t *table_of(const struct cursor *c, const struct vr_loop *l)
{
	return c->type->table + l->child;
}

static int64_t block_disp(const struct vr_loop *l, const int64_t *table, int64_t k)
{
	return l->block == VR_BLOCKS_DIFFER ? table[2 * k] : table[k];
}

static int64_t block_end(const struct vr_loop *l, const int64_t *table, int64_t k)
{
	return l->block == VR_BLOCKS_DIFFER ? table[2 * k + 1] : (k + 1) * l->block;
}

static void blocks_differ(struct cursor *c, const struct vr_loop *l, char *at)
{
	const int64_t *table = table_of(c, l);
	char *packed = c->packed;
	int64_t begin = 0;
	for (uint32_t k = 0; k < l->nchild; k++, table += 2) {
		if (c->unpack)
			vr_copy_block(at + table[0], packed + begin, table[1] - begin);
		else
			vr_copy_block(packed + begin, at + table[0], table[1] - begin);
		begin = table[1];
	}
}

static void blocks_whole(struct cursor *c, const struct vr_loop *l, char *at)
{
	if (l->block == VR_BLOCKS_DIFFER)
		blocks_differ(c, l, at);
	else if (c->unpack)
		vr_scatter(at, c->packed, table_of(c, l), l->block, l->nchild);
	else
		vr_gather(c->packed, at, table_of(c, l), l->block, l->nchild);
	advance(c, l->bytes);
}

/* The first block that ends behind byte `skip`. */
static uint32_t block_at(const struct vr_loop *l, const int64_t *table, int64_t skip)
{
	uint32_t low = 0, high = l->nchild - 1;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (block_end(l, table, middle) > skip)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void blocks_part(struct cursor *c, const struct vr_loop *l, char *at, int64_t skip)
{
	const int64_t *table = table_of(c, l);
	for (uint32_t k = block_at(l, table, skip); k < l->nchild && c->left > 0; k++) {
		int64_t begin = k ? block_end(l, table, k - 1) : 0, end = block_end(l, table, k);
		int64_t done = skip > begin ? skip - begin : 0;
		move(c, at + block_disp(l, table, k) + done, min(end - begin - done, c->left));
	}
}

/* ---- few blocks, often repeated: all first blocks, then all second ones, which are inner loops of a constant size ---- */

#define SHALLOW_BLOCKS 32 /* at most so many blocks in one repetition; package datatype makes tables of as many */
#define SHALLOW_ROWS 8 /* at least so many repetitions */
#define SHALLOW_BYTES 2048 /* packed data at a time, which stays in the first-level cache with its gaps */

static void shallow_rows(struct cursor *c, const struct vr_loop *l, char *at, int64_t rows)
{
	const int64_t *table = table_of(c, l);
	int64_t begin = 0;
	for (uint32_t k = 0; k < l->nchild; k++) {
		int64_t end = block_end(l, table, k);
		strided(c, at + block_disp(l, table, k), l->stride, begin, l->bytes, end - begin, rows);
		begin = end;
	}
}

static void shallow(struct cursor *c, const struct vr_loop *l, char *at, int64_t count)
{
	int64_t rows = SHALLOW_BYTES / l->bytes;
	rows = rows < SHALLOW_ROWS ? SHALLOW_ROWS : rows;
	for (int64_t i = 0; i < count; i += rows) {
		int64_t n = min(rows, count - i);
		shallow_rows(c, l, at + i * l->stride, n);
		advance(c, n * l->bytes);
	}
}

/* ---- loops ---- */

static void walk(struct cursor *c, const struct vr_loop *l, char *base, int64_t skip);

/* The last child whose data begins at or before byte `skip`. */
static uint32_t child_at(const struct vr_loop *children, uint32_t n, int64_t skip)
{
	uint32_t low = 0, high = n - 1;
	while (low < high) {
		uint32_t middle = low + (high - low + 1) / 2;
		if (children[middle].at <= skip)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

/* One repetition from byte `skip` on, as far as the packed side goes. */
static void once(struct cursor *c, const struct vr_loop *l, char *at, int64_t skip)
{
	if (!l->nchild) {
		move(c, at + skip, min(l->bytes - skip, c->left));
		return;
	}
	if (l->block) {
		blocks_part(c, l, at, skip);
		return;
	}
	const struct vr_loop *children = &c->type->loops[l->child];
	for (uint32_t k = skip ? child_at(children, l->nchild, skip) : 0; k < l->nchild && c->left > 0; k++)
		walk(c, &children[k], at, skip > children[k].at ? skip - children[k].at : 0);
}

/* Whole repetitions that all fit. */
static void repeat(struct cursor *c, const struct vr_loop *l, char *at, int64_t count)
{
	if (!l->nchild) {
		strided(c, at, l->stride, 0, l->bytes, l->bytes, count);
		advance(c, count * l->bytes);
		return;
	}
	if (l->block && l->nchild <= SHALLOW_BLOCKS && count >= SHALLOW_ROWS) {
		shallow(c, l, at, count);
		return;
	}
	const struct vr_loop *children = &c->type->loops[l->child];
	for (int64_t i = 0; i < count; i++, at += l->stride) {
		if (l->block)
			blocks_whole(c, l, at);
		else
			for (uint32_t k = 0; k < l->nchild; k++)
				walk(c, &children[k], at, 0);
	}
}

static void walk(struct cursor *c, const struct vr_loop *l, char *base, int64_t skip)
{
	char *at = base + l->disp;
	int64_t i = 0, whole;
	if (l->bytes == 0)
		return;
	if (skip) {
		i = skip / l->bytes;
		skip %= l->bytes;
		if (skip)
			once(c, l, at + i++ * l->stride, skip);
	}
	if (i >= l->count)
		return;
	whole = l->count - i;
	if (whole * l->bytes > c->left)
		whole = c->left / l->bytes;
	if (whole)
		repeat(c, l, at + i * l->stride, whole);
	if (i + whole < l->count && c->left > 0)
		once(c, l, at + (i + whole) * l->stride, 0);
}

/* A loop over count elements: that of one element, where it can do both. */
static struct vr_loop elements(const struct vr_type *t, int64_t count)
{
	struct vr_loop l = *t->loops;
	if (l.count == 1)
		l.stride = t->extent;
	if (l.count * l.stride == t->extent) {
		l.count *= count;
		return l;
	}
	return (struct vr_loop){.count = count, .stride = t->extent, .bytes = t->size, .nchild = 1};
}

static int64_t run(struct cursor *c, int64_t count, char *buf, int64_t skip)
{
	const struct vr_type *t = c->type;
	int64_t limit = c->left;
	if (!t->size || count <= 0 || limit <= 0)
		return 0;
	if (t->flags & VR_TYPE_CONTIGUOUS) {
		int64_t n = min(count * t->size - skip, limit);
		if (n > 0)
			move(c, buf + t->true_lb + skip, n);
	} else if (count == 1) {
		walk(c, t->loops, buf, skip);
	} else {
		struct vr_loop all = elements(t, count);
		walk(c, &all, buf, skip);
	}
	return limit - c->left;
}

int64_t vr_type_pack_from(const struct vr_type *t, int64_t count, const void *buf, int64_t skip, void *out, int64_t limit)
{
	struct cursor c = {.type = t, .packed = out, .left = limit};
	return run(&c, count, (char *)buf, skip);
}

int64_t vr_type_unpack_from(const struct vr_type *t, int64_t count, void *buf, int64_t skip, const void *in, int64_t limit)
{
	struct cursor c = {.type = t, .packed = (char *)in, .left = limit, .unpack = 1};
	return run(&c, count, buf, skip);
}

int64_t vr_type_pack(const struct vr_type *t, int64_t count, const void *buf, void *out, int64_t limit)
{
	return vr_type_pack_from(t, count, buf, 0, out, limit);
}

int64_t vr_type_unpack(const struct vr_type *t, int64_t count, void *buf, const void *in, int64_t limit)
{
	return vr_type_unpack_from(t, count, buf, 0, in, limit);
}

/* ---- from one typed buffer to another ---- */

#define PIECE 16384 /* of packed data, which stays in the first-level cache between packing and unpacking */

static void copy_spread(struct vr_data to, struct vr_data from, int64_t bytes)
{
	static char piece[PIECE] __attribute__((aligned(64)));
	for (int64_t done = 0; done < bytes;) {
		int64_t n = vr_type_pack_from(from.type, from.count, from.buf, done, piece, min(PIECE, bytes - done));
		vr_type_unpack_from(to.type, to.count, to.buf, done, piece, n);
		done += n;
	}
}

/* Both sides are one loop over blocks of one size. */
static int copy_strided(struct vr_data to, struct vr_data from, int64_t bytes)
{
	struct vr_loop a = elements(to.type, to.count), b = elements(from.type, from.count);
	if (a.nchild || b.nchild || !a.bytes || a.bytes != b.bytes || bytes % a.bytes)
		return 0;
	vr_copy_strided((char *)to.buf + a.disp, a.stride, (char *)from.buf + b.disp, b.stride, a.bytes, bytes / a.bytes);
	return 1;
}

/* All repetitions of a loop that both sides have. */
static void copy_loop(const struct vr_type *t, const struct vr_loop *l, char *to, const char *from)
{
	to += l->disp;
	from += l->disp;
	if (!l->nchild) {
		vr_copy_strided(to, l->stride, from, l->stride, l->bytes, l->count);
		return;
	}
	const int64_t *table = &t->table[l->child];
	for (int64_t i = 0; i < l->count; i++, to += l->stride, from += l->stride)
		for (uint32_t k = 0; k < l->nchild; k++) {
			if (!l->block) {
				copy_loop(t, &t->loops[l->child + k], to, from);
				continue;
			}
			int64_t disp = block_disp(l, table, k), begin = k ? block_end(l, table, k - 1) : 0;
			vr_copy_block(to + disp, from + disp, block_end(l, table, k) - begin);
		}
}

/* Both sides are of one datatype. */
static int copy_alike(struct vr_data to, struct vr_data from, int64_t bytes)
{
	const struct vr_type *t = to.type;
	if (t != from.type || t->size == 0 || bytes % t->size)
		return 0;
	for (int64_t i = 0; i < bytes / t->size; i++)
		copy_loop(t, t->loops, (char *)to.buf + i * t->extent, (char *)from.buf + i * t->extent);
	return 1;
}

void vr_type_copy(struct vr_data to, struct vr_data from, int64_t bytes)
{
	int64_t at_to, at_from;
	int dense_to = vr_type_is_dense(to.type, to.count, &at_to), dense_from = vr_type_is_dense(from.type, from.count, &at_from);
	if (dense_from && dense_to)
		memmove((char *)to.buf + at_to, (const char *)from.buf + at_from, bytes);
	else if (dense_from)
		vr_type_unpack(to.type, to.count, to.buf, (const char *)from.buf + at_from, bytes);
	else if (dense_to)
		vr_type_pack(from.type, from.count, from.buf, (char *)to.buf + at_to, bytes);
	else if (!copy_strided(to, from, bytes) && !copy_alike(to, from, bytes))
		copy_spread(to, from, bytes);
}
