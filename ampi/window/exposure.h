/* Epochs that two groups open for each other: post, start, complete, wait (MPI 5.0 section 12.5.2). A target makes a post for each origin, in its own
 * slice, and puts it into the origin's list. The origin takes it out, and says at the end that it has done with it. */
#ifndef AMPI_EXPOSURE_H
#define AMPI_EXPOSURE_H

#include "ampi/window/window.h"

struct ampi_post {
	struct ampi_post *next;
	int32_t target; /* who has posted: rank in the window */
	struct ampi_exposure *exposure;
};

/* In the slice of who has posted. */
struct ampi_exposure {
	_Atomic uint32_t state; /* origins that have not completed; AMPI_EXPOSURE_AWAITED */
	int32_t n;
	struct vr_context *waiter; /* who sleeps in MPI_Win_wait, with AMPI_EXPOSURE_AWAITED */
	struct ampi_post post[];
};
#define AMPI_EXPOSURE_AWAITED 0x80000000u

/* In an epoch of MPI_Win_start: sleep until `target` of its group has posted. Switches. */
void ampi_post_await(struct ampi_win *w, int fn, int target);

#endif
