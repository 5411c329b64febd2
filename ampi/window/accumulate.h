/* Operations that combine (MPI 5.0 sections 12.3.3 and 12.3.4): what accumulate.c, fetch.c and window_remote.c share. */
#ifndef AMPI_ACCUMULATE_H
#define AMPI_ACCUMULATE_H

#include "ampi/window/rma.h"
#include "ampi/window/spin.h"

/* How elements of the target are changed. Atomic for each element, since all take the target's lock (`busy`). */
struct ampi_combine {
	ampi_kernel *kernel; /* NULL: MPI_NO_OP */
	const struct vr_type *element; /* predefined */
	int64_t n; /* elements */
	const void *in; /* an array of them; NULL with MPI_NO_OP */
	void *result; /* an array for what was there before, or NULL */
};

/* The kernel of an operation for these elements. 0, or what was raised. `fetches`: the call takes MPI_NO_OP. */
int ampi_combine_open(struct ampi_combine *c, const struct ampi_rma *o, MPI_Op op, int fetches);

/* In a worker that has the target's memory: combine. `there` is where that is now; a rank of this worker gives memory. 0, or -1 without. */
int ampi_combine_run(const struct ampi_combine *c, struct ampi_win_member *target, struct vr_data there, struct vr_rank *here);

/* The same in the target's worker: window_remote.c. 0, or what was raised. Switches. */
int ampi_combine_remote(const struct ampi_rma *o, const struct ampi_combine *c);

/* Where the target's memory is. 0, or what was raised. */
static inline int ampi_combine_there(const struct ampi_rma *o, const struct ampi_combine *c)
{
	if (vr_unlikely(!ampi_rma_is_here(o)))
		return ampi_combine_remote(o, c);
	return vr_unlikely(ampi_combine_run(c, o->target, ampi_rma_there(o), vr_current)) ? ampi_win_no_memory(o->win, o->fn) : MPI_SUCCESS;
}

/* MPI_Compare_and_swap of one element. */
struct ampi_swap {
	const void *origin, *compare;
	void *result;
	int64_t bytes;
};
void ampi_swap_run(const struct ampi_swap *s, struct ampi_win_member *target, void *there);
void ampi_swap_remote(const struct ampi_rma *o, const struct ampi_swap *s);

/* Can elements at this address be worked on in place? */
static inline int ampi_is_aligned(const void *p, const struct vr_type *element)
{
	uint64_t size = (uint64_t)element->extent, natural = size & -size;
	return !((uint64_t)p & ((natural < 16 ? natural : 16) - 1));
}

#endif
