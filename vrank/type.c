/* Moving typed data: one walk over a flattened type serves packing and unpacking. */
#include "type.h"

#include <string.h>

struct cursor {
	char *packed;
	int64_t left;
	int unpack;
};

static void move(struct cursor *c, char *at, int64_t n)
{
	if (c->unpack)
		memcpy(at, c->packed, n);
	else
		memcpy(c->packed, at, n);
	c->packed += n;
	c->left -= n;
}

/* The inner loop for element sizes that a compiler turns into single moves. */
#define STRIDED(name, N)                                                                                                            \
	static void name(struct cursor *c, char *at, int64_t count, int64_t stride)                                                   \
	{                                                                                                                             \
		char *packed = c->packed;                                                                                             \
		if (c->unpack)                                                                                                        \
			for (int64_t i = 0; i < count; i++, at += stride, packed += N)                                                \
				memcpy(at, packed, N);                                                                                \
		else                                                                                                                  \
			for (int64_t i = 0; i < count; i++, at += stride, packed += N)                                                \
				memcpy(packed, at, N);                                                                                \
		c->packed = packed;                                                                                                   \
		c->left -= count * N;                                                                                                 \
	}
STRIDED(strided4, 4)
STRIDED(strided8, 8)
STRIDED(strided16, 16)

/* All blocks of a leaf loop fit. */
static void leaf_whole(struct cursor *c, const struct vr_loop *l, char *at)
{
	switch (l->bytes) {
	case 4:
		strided4(c, at, l->count, l->stride);
		return;
	case 8:
		strided8(c, at, l->count, l->stride);
		return;
	case 16:
		strided16(c, at, l->count, l->stride);
		return;
	}
	for (int64_t i = 0; i < l->count; i++)
		move(c, at + i * l->stride, l->bytes);
}

static void leaf(struct cursor *c, const struct vr_loop *l, char *at)
{
	if (l->count * l->bytes <= c->left) {
		leaf_whole(c, l, at);
		return;
	}
	for (int64_t i = 0; i < l->count && c->left > 0; i++)
		move(c, at + i * l->stride, l->bytes < c->left ? l->bytes : c->left);
}

static void walk(struct cursor *c, const struct vr_loop *loops, const struct vr_loop *l, char *base)
{
	char *at = base + l->disp;
	if (!l->nchild) {
		leaf(c, l, at);
		return;
	}
	for (int64_t i = 0; i < l->count && c->left > 0; i++)
		for (uint32_t k = 0; k < l->nchild && c->left > 0; k++)
			walk(c, loops, &loops[l->child + k], at + i * l->stride);
}

static int64_t run(const struct vr_type *t, int64_t count, char *buf, struct cursor *c)
{
	int64_t limit = c->left;
	if (!t->size)
		return 0;
	if (t->flags & VR_TYPE_CONTIGUOUS) {
		move(c, buf + t->true_lb, count * t->size < limit ? count * t->size : limit);
		return limit - c->left;
	}
	for (int64_t i = 0; i < count && c->left > 0; i++)
		walk(c, t->loops, t->loops, buf + i * t->extent);
	return limit - c->left;
}

int64_t vr_type_pack(const struct vr_type *t, int64_t count, const void *buf, void *out, int64_t limit)
{
	struct cursor c = {.packed = out, .left = limit, .unpack = 0};
	return run(t, count, (char *)buf, &c);
}

int64_t vr_type_unpack(const struct vr_type *t, int64_t count, void *buf, const void *in, int64_t limit)
{
	struct cursor c = {.packed = (char *)in, .left = limit, .unpack = 1};
	return run(t, count, buf, &c);
}
