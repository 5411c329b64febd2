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

int vr_refuse(const char *function, const char *others)
{
	int id = vr_current->id;
	vr_out_printf(id, 2, "ampirun: rank %d: %s() is not served; %s\n", id, function, others);
	vr_set_errno(ENOSYS);
	return -1;
}

/* The slice is shared memory, so a forked child would write into its parent's rank. posix_spawn, popen and system work:
 * their child only executes another program. */
int vr_bind_fork(void)
{
	return vr_refuse("fork", "posix_spawn, popen and system are");
}

/* Timers of the process would send their signal to whichever rank runs then. */
int vr_bind_setitimer(int which, const void *new, void *old)
{
	(void)which, (void)new, (void)old;
	return vr_refuse("setitimer", "sleep and MPI_Wtime are");
}

unsigned vr_bind_alarm(unsigned seconds)
{
	(void)seconds;
	vr_refuse("alarm", "sleep and MPI_Wtime are");
	return 0;
}
