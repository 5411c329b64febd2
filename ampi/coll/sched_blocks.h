/* Layouts that schedules keep after their call has returned: addresses in their canonical form, arrays copied, types looked up and counted. */
#ifndef AMPI_SCHED_BLOCKS_H
#define AMPI_SCHED_BLOCKS_H

#include "ampi/coll/sched.h"

struct ampi_blocks {
	struct ampi_layout layout; /* types is not used */
	const struct vr_type **types; /* of each block, or NULL: layout.type of all */
};

/* Keep a checked layout of n blocks; `arrays`: also those of counts and displacements, for what looks at them when the call has returned.
 * Rank stack. */
struct ampi_blocks ampi_blocks_keep(struct ampi_sched *p, const struct ampi_layout *l, int n, int arrays);

/* Block i, at its canonical address. Any stack. */
struct vr_data ampi_blocks_at(const struct ampi_blocks *b, int i);

/* All blocks one after the other as packed data, which takes so many bytes. */
int64_t ampi_blocks_bytes(const struct ampi_blocks *b, int n);

/* All n blocks, and where they lie packed. In memory of the schedule; NULL: the schedule has failed. */
struct ampi_packing *ampi_blocks_packing(struct ampi_sched *p, const struct ampi_blocks *b, int n, char *packed);

/* Steps of a schedule: pack all blocks, or unpack them. */
void ampi_blocks_pack(struct ampi_sched *p, struct ampi_packing *k);
void ampi_blocks_unpack(struct ampi_sched *p, struct ampi_packing *k);

#endif
