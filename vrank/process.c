/* Processes that ranks start, and errno. */
#include <errno.h>

#include "bind.h"
#include "life.h"

void vr_set_errno(int error)
{
	uint64_t location = vr_current->entry.errno_location;
	if (location)
		*((int *(*)(void))location)() = error;
}

/* The slice is shared memory, so a forked child would write into its parent's rank. posix_spawn, popen and system work:
 * their child only executes another program. */
int vr_bind_fork(void)
{
	vr_out_printf(vr_current->id, 2, "ampirun: rank %d: fork() is not served; posix_spawn, popen and system are\n", vr_current->id);
	vr_set_errno(ENOSYS);
	return -1;
}
