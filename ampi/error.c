/* Errors: classes, handlers, and what happens when a call fails (MPI 5.0 chapter 9). */
#include "ampi.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const class_names[] = {
#define NAME(c) [c] = #c
	NAME(MPI_ERR_BUFFER), NAME(MPI_ERR_COUNT), NAME(MPI_ERR_TYPE), NAME(MPI_ERR_TAG), NAME(MPI_ERR_COMM), NAME(MPI_ERR_RANK),
	NAME(MPI_ERR_REQUEST), NAME(MPI_ERR_ROOT), NAME(MPI_ERR_GROUP), NAME(MPI_ERR_OP), NAME(MPI_ERR_TOPOLOGY), NAME(MPI_ERR_DIMS),
	NAME(MPI_ERR_ARG), NAME(MPI_ERR_UNKNOWN), NAME(MPI_ERR_TRUNCATE), NAME(MPI_ERR_OTHER), NAME(MPI_ERR_INTERN),
	NAME(MPI_ERR_PENDING), NAME(MPI_ERR_IN_STATUS), NAME(MPI_ERR_INFO_KEY), NAME(MPI_ERR_INFO_NOKEY), NAME(MPI_ERR_INFO_VALUE),
	NAME(MPI_ERR_INFO), NAME(MPI_ERR_KEYVAL), NAME(MPI_ERR_NO_MEM), NAME(MPI_ERR_UNSUPPORTED_OPERATION), NAME(MPI_ERR_ERRHANDLER),
	NAME(MPI_ERR_VALUE_TOO_LARGE), NAME(MPI_ERR_SESSION), NAME(MPI_ERR_ABI), NAME(MPI_ERR_WIN), NAME(MPI_ERR_FILE),
};

static const char *class_name(int klass)
{
	int known = klass > 0 && klass < (int)(sizeof class_names / sizeof *class_names) && class_names[klass];
	return known ? class_names[klass] : "error";
}

const char *ampi_name(int fn)
{
	return fn >= 0 && fn < AMPI_FN_COUNT ? ampi_fn_names[fn] : "MPI";
}

/* MPI 5.0 section 9.3: what belongs to no object goes to MPI_COMM_SELF's handler. */
static uint64_t handler_of(struct ampi_comm *c)
{
	if (vr_current->mpi_state != VR_MPI_RUNNING)
		return (uint64_t)MPI_ERRORS_ARE_FATAL;
	return c ? c->errhandler : ampi_me()->self.errhandler;
}

static int call_handler(struct ampi_comm *c, uint64_t handler, int klass)
{
	struct ampi_errhandler *h = ampi_lookup(&ampi_me()->errhandlers, AMPI_ERRHANDLER, handler);
	uint64_t handle = c ? c->handle : (uint64_t)MPI_COMM_SELF;
	int code = klass;
	if (h)
		h->fn(&handle, &code);
	return klass;
}

int ampi_raise(struct ampi_comm *c, int klass, int fn, const char *fmt, ...)
{
	char text[200];
	va_list args;
	uint64_t handler = handler_of(c);
	if (handler == (uint64_t)MPI_ERRORS_RETURN)
		return klass;
	if (handler != (uint64_t)MPI_ERRORS_ARE_FATAL && handler != (uint64_t)MPI_ERRORS_ABORT)
		return call_handler(c, handler, klass);
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	vr_job_abort(klass, "%s failed: %s (%s)", ampi_name(fn), text, class_name(klass));
}

static int not_running(int fn)
{
	const char *when = vr_current->mpi_state == VR_MPI_BEFORE ? "before MPI_Init" : "after MPI_Finalize";
	return ampi_raise(NULL, MPI_ERR_OTHER, fn, "it is called %s", when);
}

int ampi_bad_comm(MPI_Comm comm, int fn)
{
	if (vr_current->mpi_state != VR_MPI_RUNNING)
		return not_running(fn);
	if (comm == MPI_COMM_NULL)
		return ampi_raise(NULL, MPI_ERR_COMM, fn, "comm is MPI_COMM_NULL");
	return ampi_raise(NULL, MPI_ERR_COMM, fn, "comm (handle 0x%lx) is not a communicator, or was freed", (unsigned long)comm);
}

int ampi_bad_type(struct ampi_comm *c, MPI_Datatype type, int fn)
{
	if (type == MPI_DATATYPE_NULL)
		return ampi_raise(c, MPI_ERR_TYPE, fn, "datatype is MPI_DATATYPE_NULL");
	if (ampi_type(type))
		return ampi_raise(c, MPI_ERR_TYPE, fn, "datatype is not committed");
	return ampi_raise(c, MPI_ERR_TYPE, fn, "datatype (handle 0x%lx) is not a datatype, or was freed", (unsigned long)type);
}

int ampi_Abort(MPI_Comm comm, int errorcode)
{
	(void)comm;
	vr_job_abort(errorcode, "called MPI_Abort with code %d", errorcode);
}
