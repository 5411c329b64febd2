/* Blocks of members in the buffers of schedules, see sched_blocks.h. */
#include "ampi/coll/sched_blocks.h"

#include <string.h>

static const struct vr_type **keep_types(struct ampi_sched *p, const MPI_Datatype *handles, int n)
{
	const struct vr_type **types = ampi_sched_alloc(p, n * sizeof *types);
	for (int i = 0; types && i < n; i++) {
		types[i] = ampi_type(handles[i]);
		ampi_sched_hold_type(p, types[i]);
	}
	return types;
}

/* The program may free its arrays as soon as the call returns. The standard wants them kept until the operation is complete (MPI 5.0 section
 * 6.12), which programs do not know, since others read them in the call. */
static const void *keep_array(struct ampi_sched *p, const void *array, size_t bytes)
{
	void *copy = array ? ampi_sched_alloc(p, bytes) : NULL;
	return copy ? memcpy(copy, array, bytes) : NULL;
}

struct ampi_blocks ampi_blocks_keep(struct ampi_sched *p, const struct ampi_layout *l, int n, int arrays)
{
	struct ampi_blocks b = {.layout = *l};
	if (!p)
		return b;
	b.layout.base = vr_canonical(p->rank, l->base);
	if (arrays) {
		b.layout.counts = keep_array(p, l->counts, n * (l->wide ? sizeof(MPI_Count) : sizeof(int)));
		b.layout.displs = keep_array(p, l->displs, n * (l->wide ? sizeof(MPI_Aint) : sizeof(int)));
	}
	b.layout.types = NULL;
	if (l->types)
		b.types = keep_types(p, l->types, n);
	else
		ampi_sched_hold_type(p, l->type);
	return b;
}

/* Displacements of blocks with types of their own are in bytes, which is what a type with an extent of 1 says. */
struct vr_data ampi_blocks_at(const struct ampi_blocks *b, int i)
{
	struct ampi_layout l = b->layout;
	l.type = b->types ? ampi_bytes() : l.type;
	return (struct vr_data){ampi_layout_at(&l, i), ampi_layout_count(&l, i), b->types ? b->types[i] : l.type};
}

int64_t ampi_blocks_bytes(const struct ampi_blocks *b, int n)
{
	int64_t bytes = 0;
	for (int i = 0; i < n; i++) {
		struct vr_data d = ampi_blocks_at(b, i);
		bytes += d.count * d.type->size;
	}
	return bytes;
}

/* ---- all at once ---- */

struct ampi_packing {
	struct ampi_blocks blocks;
	int n;
	char *packed;
};

static void copy_all(const struct ampi_packing *k, int out)
{
	char *at = k->packed;
	for (int i = 0; i < k->n; i++) {
		struct vr_data block = ampi_blocks_at(&k->blocks, i);
		struct vr_data bytes = {at, block.count * block.type->size, ampi_bytes()};
		vr_data_copy(out ? &block : &bytes, out ? &bytes : &block, bytes.count);
		at += bytes.count;
	}
}

static void pack_all(struct ampi_sched *p, void *arg)
{
	(void)p;
	copy_all(arg, 0);
}

static void unpack_all(struct ampi_sched *p, void *arg)
{
	(void)p;
	copy_all(arg, 1);
}

struct ampi_packing *ampi_blocks_packing(struct ampi_sched *p, const struct ampi_blocks *b, int n, char *packed)
{
	struct ampi_packing *k = ampi_sched_alloc(p, sizeof *k);
	if (k)
		*k = (struct ampi_packing){*b, n, packed};
	return k;
}

void ampi_blocks_pack(struct ampi_sched *p, struct ampi_packing *k)
{
	ampi_sched_do(p, pack_all, k);
}

void ampi_blocks_unpack(struct ampi_sched *p, struct ampi_packing *k)
{
	ampi_sched_do(p, unpack_all, k);
}
