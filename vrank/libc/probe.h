/* The self test of heap interception: it allocates, grows and frees through the very words that a rank's images call through, and
 * looks whether the rank's heap sees it. */
#ifndef VRANK_PROBE_H
#define VRANK_PROBE_H

#include <stdint.h>

/* The functions that are tested, by kind; Go reads the names. Ends with NULL. */
extern const char *const vr_probe_names[];

/* What the heap gets to see: bits of a level, in the sense that memory hooks of MPI implementations give these words. */
#define VR_HEAP_FREE 1 /* all that the allocator gives out is ours, and every free */
#define VR_HEAP_MUNMAP 2 /* anonymous mappings are ours, and their ends */
#define VR_HEAP_CHUNK 4 /* an allocator of the program gives out memory that it has of us in chunks; we do not see single frees */

struct vr_probe_slot {
	int32_t kind; /* index into the names */
	int32_t image; /* who calls; only compared */
	uint64_t word; /* offset of the word in the image area; or 0 */
	uint64_t address; /* of the function, where there is no word */
	int32_t missed; /* out: it gave memory that is not in the slice, or took some back that the heap did not get */
};

struct vr_probe {
	struct vr_probe_slot *slots;
	int32_t nslots;
	int32_t wanted; /* the next rank to start tests */
	int32_t only; /* and ends thereafter, without main */
	int32_t done;
	int32_t level;
};
extern struct vr_probe vr_probe;

/* Rank stack, between a program's constructors and main. */
void vr_probe_run(void);

#endif
