/* Moving data in and out of what members show each other: always as contiguous bytes, whatever types the program uses. */
#include "ampi/coll/coll.h"

#include <string.h>

void ampi_pack(void *to, const void *buf, int64_t count, const struct vr_type *type)
{
	int64_t first, bytes = count * type->size;
	if (vr_type_is_dense(type, count, &first))
		memcpy(to, (const char *)buf + first, bytes);
	else
		vr_type_pack(type, count, buf, to, bytes);
}

/* ---- showing ---- */

/* Where a dense block lies if others can read it in place, else NULL. */
static const char *in_place(const struct ampi_shm_coll *m, const void *buf, int64_t count, const struct vr_type *type)
{
	int64_t first;
	if (!vr_type_is_dense(type, count, &first))
		return NULL;
	const char *p = (const char *)vr_canonical(vr_current, buf) + first;
	return ampi_shm_coll_reaches(m, p, count * type->size) ? p : NULL;
}

static char *make_copy(struct ampi_shm_coll *m, int which, int64_t bytes)
{
	m->copy[which] = vr_rank_alloc(vr_current, bytes ? bytes : 1);
	if (!m->copy[which])
		ampi_shm_coll_fail(m, MPI_ERR_NO_MEM);
	return m->copy[which];
}

const char *ampi_expose(struct ampi_shm_coll *m, int which, const void *buf, int64_t count, const struct vr_type *type)
{
	const char *p = in_place(m, buf, count, type);
	ampi_shm_coll_hold(m);
	if (p)
		return p;
	char *copy = make_copy(m, which, count * type->size);
	if (copy)
		ampi_pack(copy, buf, count, type);
	return copy;
}

static struct ampi_block *nth(struct ampi_block *blocks, size_t stride, int i)
{
	return (struct ampi_block *)((char *)blocks + i * stride);
}

static int all_in_place(struct ampi_shm_coll *m, const struct ampi_layout *l, struct ampi_block *blocks, size_t stride)
{
	for (int i = 0; i < m->size; i++) {
		struct ampi_block *b = nth(blocks, stride, i);
		b->data = in_place(m, ampi_layout_at(l, i), ampi_layout_count(l, i), ampi_layout_type(l, i));
		if (!b->data && b->bytes)
			return 0;
	}
	return 1;
}

static int pack_all(struct ampi_shm_coll *m, const struct ampi_layout *l, struct ampi_block *blocks, size_t stride, int64_t bytes)
{
	char *at = make_copy(m, 0, bytes);
	if (!at)
		return -1;
	for (int i = 0; i < m->size; i++) {
		struct ampi_block *b = nth(blocks, stride, i);
		b->data = at;
		ampi_pack(at, ampi_layout_at(l, i), ampi_layout_count(l, i), ampi_layout_type(l, i));
		at += b->bytes;
	}
	return 0;
}

int ampi_expose_layout(struct ampi_shm_coll *m, const struct ampi_layout *l, struct ampi_block *blocks, size_t stride, int always)
{
	int64_t bytes = 0;
	for (int i = 0; i < m->size; i++)
		bytes += nth(blocks, stride, i)->bytes = ampi_layout_count(l, i) * ampi_layout_type(l, i)->size;
	if (!always && all_in_place(m, l, blocks, stride))
		return 0;
	return pack_all(m, l, blocks, stride, bytes);
}

void ampi_offer(struct ampi_shm_coll *m, const void *buf, int64_t count, const struct vr_type *type)
{
	struct ampi_slot *s = &ampi_shm_coll_slots(m)[m->rank];
	s->block.bytes = count * type->size;
	if (s->block.bytes > AMPI_SLOT_INLINE) {
		s->block.data = ampi_expose(m, 0, buf, count, type);
		return;
	}
	ampi_pack(s->inline_data, buf, count, type);
	s->block.data = s->inline_data;
}

/* ---- taking ---- */

static void put(void *buf, int64_t count, const struct vr_type *type, const void *data, int64_t bytes)
{
	int64_t first;
	if (!vr_type_is_dense(type, count, &first))
		vr_type_unpack(type, count, buf, data, bytes);
	else if ((char *)buf + first != data)
		memcpy((char *)buf + first, data, bytes);
}

static void note_length(struct ampi_shm_coll *m, int klass, int64_t had, int64_t wanted, int from)
{
	m->error = klass;
	m->had = had;
	m->wanted = wanted;
	m->from = from;
}

void ampi_deliver(struct ampi_shm_coll *m, void *buf, int64_t count, const struct vr_type *type, const struct ampi_block *b, int from)
{
	int64_t room = count * type->size, bytes = b->bytes;
	if (vr_unlikely(bytes > room)) {
		note_length(m, MPI_ERR_TRUNCATE, bytes, room, from);
		bytes = room;
	}
	if (bytes)
		put(buf, count, type, vr_live(b->data), bytes);
}

void ampi_deliver_all(struct ampi_shm_coll *m, void *buf, int64_t count, const struct vr_type *type, const struct ampi_block *b, int from)
{
	ampi_deliver(m, buf, count, type, b, from);
	if (vr_unlikely(b->bytes < count * type->size))
		note_length(m, MPI_ERR_COUNT, b->bytes, count * type->size, from);
}

void ampi_deliver_at(struct ampi_shm_coll *m, const struct ampi_layout *l, int i, const struct ampi_block *b)
{
	ampi_deliver(m, ampi_layout_at(l, i), ampi_layout_count(l, i), ampi_layout_type(l, i), b, i);
}

void ampi_copy_elements(void *to, const void *from, int64_t count, const struct vr_type *type)
{
	if (vr_likely(type->flags & VR_TYPE_CONTIGUOUS))
		memmove((char *)to + type->true_lb, (const char *)from + type->true_lb, count * type->size);
	else if (to != from)
		vr_type_copy((struct vr_data){to, count, type}, (struct vr_data){(void *)from, count, type}, count * type->size);
}
