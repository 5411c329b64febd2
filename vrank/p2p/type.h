/* Flattened datatypes: what the C core needs to know to move typed data (MPI 5.0 section 5.1). */
#ifndef VRANK_TYPE_H
#define VRANK_TYPE_H

#include <stdint.h>

struct vr_rank;

/* One loop of a flattened type: at `disp` from the loop around it, `count` repetitions, `stride` bytes apart. A repetition is
 * nchild == 0: `bytes` contiguous bytes;
 * block == 0: the `nchild` loops that start at index `child` of the type's loops;
 * else `nchild` blocks whose displacements start at index `child` of the type's table. Blocks have `block` bytes each, or,
 * when it is VR_BLOCKS_DIFFER, the table has for each its displacement and where its data ends in that of the repetition. */
struct vr_loop {
	int64_t disp;
	int64_t count;
	int64_t stride;
	int64_t bytes; /* of data in one repetition */
	int64_t at; /* where its data begins in that of one repetition of the loop around it */
	uint32_t child, nchild;
	uint32_t block;
};
#define VR_BLOCKS_DIFFER UINT32_MAX

enum {
	VR_TYPE_CONTIGUOUS = 1, /* count elements are count * size bytes without gaps, from offset true_lb */
	VR_TYPE_DENSE = 2, /* one element is one piece, from offset true_lb */
	VR_TYPE_PREDEFINED = 8,
	VR_TYPE_COMMITTED = 4,
	VR_TYPE_FREED = 16, /* by the program; the MPI layer still has a use for the handle */
};

/* Predefined types have kind != VR_KIND_NONE; a derived type made of one predefined type only has that kind too. */
enum vr_kind {
	VR_KIND_NONE,
	VR_KIND_I8, VR_KIND_U8, VR_KIND_I16, VR_KIND_U16, VR_KIND_I32, VR_KIND_U32, VR_KIND_I64, VR_KIND_U64, VR_KIND_I128,
	VR_KIND_F32, VR_KIND_F64, VR_KIND_F80, VR_KIND_F128, VR_KIND_F16,
	VR_KIND_C16, VR_KIND_C32, VR_KIND_C64, VR_KIND_C80, VR_KIND_C128,
	VR_KIND_BOOL8, /* C and C++ bool */
	VR_KIND_L8, VR_KIND_L16, VR_KIND_L32, VR_KIND_L64, VR_KIND_L128, /* Fortran LOGICAL */
	VR_KIND_CHAR, /* MPI_CHARACTER, MPI_WCHAR: no reductions */
	VR_KIND_BYTE,
	VR_KIND_F32_I32, VR_KIND_F64_I32, VR_KIND_I64_I32, VR_KIND_I32_I32, VR_KIND_I16_I32, VR_KIND_F80_I32,
	VR_KIND_F32_F32, VR_KIND_F64_F64,
	VR_KIND_COUNT
};

struct vr_type {
	int64_t size; /* bytes of data in one element */
	int64_t lb, extent;
	int64_t true_lb, true_extent;
	uint32_t flags;
	uint32_t kind; /* enum vr_kind */
	uint32_t refs; /* derived types: handle and pending uses */
	uint32_t handle;
	uint32_t nloops;
	uint32_t kind_size; /* bytes of one basic element when kind says what it is made of */
	struct vr_loop *loops; /* loops[0] is the whole type */
	const int64_t *table; /* in the same piece of memory */
	void *attrs; /* of the MPI layer */
	uint64_t lent; /* operations that need the handle, of the MPI layer */
};

#define VR_TYPE_FIRST 0x200
#define VR_TYPE_PREDEFINED_COUNT 256
extern const struct vr_type vr_predefined[VR_TYPE_PREDEFINED_COUNT];

/* The predefined type with this handle of the standard ABI (0x200..0x2ff), NULL when there is none. */
static inline const struct vr_type *vr_type_predefined(uint64_t handle)
{
	uint64_t i = handle - VR_TYPE_FIRST;
	return i < VR_TYPE_PREDEFINED_COUNT && vr_predefined[i].handle ? &vr_predefined[i] : 0;
}

/* Pack count elements at buf into out, at most limit bytes; returns the bytes packed. */
int64_t vr_type_pack(const struct vr_type *t, int64_t count, const void *buf, void *out, int64_t limit);

/* Unpack limit bytes at in into up to count elements at buf; returns the bytes taken. */
int64_t vr_type_unpack(const struct vr_type *t, int64_t count, void *buf, const void *in, int64_t limit);

/* The same from byte `skip` of the packed data on: long messages move in pieces. */
int64_t vr_type_pack_from(const struct vr_type *t, int64_t count, const void *buf, int64_t skip, void *out, int64_t limit);
int64_t vr_type_unpack_from(const struct vr_type *t, int64_t count, void *buf, int64_t skip, const void *in, int64_t limit);

/* A buffer as calls describe it. */
struct vr_data {
	void *buf;
	int64_t count;
	const struct vr_type *type;
};

/* Move the first `bytes` bytes of data, which both have, from one buffer to another. The PE thread. */
void vr_type_copy(struct vr_data to, struct vr_data from, int64_t bytes);

/* The handle, or an operation that used it, is done with a derived type of rank r; the last one frees it. */
void vr_type_release(struct vr_type *t, struct vr_rank *r);

/* Is every byte of count elements in one piece? Then *first is where it starts, relative to the buffer. */
static inline int vr_type_is_dense(const struct vr_type *t, int64_t count, int64_t *first)
{
	*first = t->true_lb;
	return (t->flags & VR_TYPE_CONTIGUOUS) || (count <= 1 && (t->flags & VR_TYPE_DENSE));
}

#endif
