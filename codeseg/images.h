/* The table of segments of a rank: made of its images, and made anew when it has opened or closed a library. */
#ifndef CODESEG_IMAGES_H
#define CODESEG_IMAGES_H

#include "codeseg/codeseg.h"
#include "vrank/libc/library.h"

/* A number that ranks have agreed on for a segment. */
struct cs_verified {
	unsigned char identity[CS_IDENTITY];
	uint32_t index, epoch;
	const void *group;
};

/* Lies in the slice, zeroed at first. */
struct cs_rank {
	struct cs_table *table;
	const uint32_t *changes; /* of the list of libraries */
	uint32_t seen; /* so many were there when the table was made */
	uint32_t nverified, room;
	struct cs_verified *verified;
	unsigned char (*unlike)[CS_IDENTITY]; /* compared, and not the same on all ranks */
	uint32_t nunlike, unlike_room;
	unsigned char (*program)[VR_IDENTITY]; /* what tells the files of the program's images apart */
};

/* Rank stack. Make the table; NULL when the slice is full. */
struct cs_table *cs_rank_remake(struct cs_rank *c);

/* Rank stack. The table as it is now; NULL when the slice is full. */
static inline struct cs_table *cs_rank_table(struct cs_rank *c)
{
	if (__builtin_expect(c->table && *c->changes == c->seen, 1))
		return c->table;
	return cs_rank_remake(c);
}

/* Rank stack. The segment with this identity has this number from now on, for a group of ranks. 0, or -1 when the slice is full. */
int cs_rank_verify(struct cs_rank *c, const struct cs_segment *s, uint32_t index, const void *group);

/* Rank stack. It was compared, and is not the same everywhere. 0, or -1. */
int cs_rank_note_unlike(struct cs_rank *c, const struct cs_segment *s);

/* So many numbers are taken by what all ranks have from the start. */
uint32_t cs_program_segments(const struct vr_rank *r);

/* The path of the image that a segment belongs to. */
const char *cs_segment_name(const struct cs_segment *s);

#endif
