/* The end of the job by a rank. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "vrank/core/abort.h"
#include "vrank/core/hooks.h"
#include "vrank/core/output.h"
#include "vrank/core/schedule.h"

void vr_job_abort(int code, const char *fmt, ...)
{
	struct vr_context *me = vr_context;
	va_list args;
	va_start(args, fmt);
	vsnprintf(me->call.text, sizeof me->call.text, fmt, args);
	va_end(args);
	if (vr_is_child()) {
		vr_out_printf(me->rank->id, 2, "ampirun: rank %d: a process that it started: %s\n", me->rank->id, me->call.text);
		_exit(code);
	}
	me->exit_code = code;
	for (;;)
		vr_rank_leave(VR_ABORTED);
}
