/* Waiting for a debugger. */
#include <sys/prctl.h>
#include <time.h>

#include "vrank/fault/debugger.h"

volatile int vr_debugger_ready;

void vr_debugger_await(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* the debugger need not be an ancestor; kernels without Yama know no such thing */
	while (!vr_debugger_ready)
		nanosleep(&(struct timespec){0, 1000000}, NULL);
}
