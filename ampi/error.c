/* Errors: classes, handlers, and what happens when a call fails (MPI 5.0 chapter 9). */
#include "ampi/errhandler.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_ROOM 200

static const char *const class_names[] = {
#define NAME(c) [c] = #c
	NAME(MPI_ERR_BUFFER), NAME(MPI_ERR_COUNT), NAME(MPI_ERR_TYPE), NAME(MPI_ERR_TAG), NAME(MPI_ERR_COMM), NAME(MPI_ERR_RANK),
	NAME(MPI_ERR_REQUEST), NAME(MPI_ERR_ROOT), NAME(MPI_ERR_GROUP), NAME(MPI_ERR_OP), NAME(MPI_ERR_TOPOLOGY),
	NAME(MPI_ERR_DIMS), NAME(MPI_ERR_ARG), NAME(MPI_ERR_UNKNOWN), NAME(MPI_ERR_TRUNCATE), NAME(MPI_ERR_OTHER),
	NAME(MPI_ERR_INTERN), NAME(MPI_ERR_PENDING), NAME(MPI_ERR_IN_STATUS), NAME(MPI_ERR_ACCESS), NAME(MPI_ERR_AMODE),
	NAME(MPI_ERR_ASSERT), NAME(MPI_ERR_BAD_FILE), NAME(MPI_ERR_BASE), NAME(MPI_ERR_CONVERSION), NAME(MPI_ERR_DISP),
	NAME(MPI_ERR_DUP_DATAREP), NAME(MPI_ERR_FILE_EXISTS), NAME(MPI_ERR_FILE_IN_USE), NAME(MPI_ERR_FILE), NAME(MPI_ERR_INFO_KEY),
	NAME(MPI_ERR_INFO_NOKEY), NAME(MPI_ERR_INFO_VALUE), NAME(MPI_ERR_INFO), NAME(MPI_ERR_IO), NAME(MPI_ERR_KEYVAL),
	NAME(MPI_ERR_LOCKTYPE), NAME(MPI_ERR_NAME), NAME(MPI_ERR_NO_MEM), NAME(MPI_ERR_NOT_SAME), NAME(MPI_ERR_NO_SPACE),
	NAME(MPI_ERR_NO_SUCH_FILE), NAME(MPI_ERR_PORT), NAME(MPI_ERR_QUOTA), NAME(MPI_ERR_READ_ONLY), NAME(MPI_ERR_RMA_ATTACH),
	NAME(MPI_ERR_RMA_CONFLICT), NAME(MPI_ERR_RMA_RANGE), NAME(MPI_ERR_RMA_SHARED), NAME(MPI_ERR_RMA_SYNC),
	NAME(MPI_ERR_SERVICE), NAME(MPI_ERR_SIZE), NAME(MPI_ERR_SPAWN), NAME(MPI_ERR_UNSUPPORTED_DATAREP),
	NAME(MPI_ERR_UNSUPPORTED_OPERATION), NAME(MPI_ERR_WIN), NAME(MPI_ERR_RMA_FLAVOR), NAME(MPI_ERR_PROC_ABORTED),
	NAME(MPI_ERR_VALUE_TOO_LARGE), NAME(MPI_ERR_SESSION), NAME(MPI_ERR_ERRHANDLER), NAME(MPI_ERR_ABI),
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

/* MPI 5.0 section 9.3: what belongs to no object goes to MPI_COMM_SELF's handler, and where that is not there, before MPI_Init and
 * after MPI_Finalize, to the initial one. Until MPI 4.0 that was MPI_COMM_WORLD's: a program that has set none on MPI_COMM_SELF is
 * taken to be of that time. */
static struct ampi_culprit culprit_of(struct ampi_comm *c)
{
	struct ampi_rank *me = ampi_me();
	const struct ampi_comm *at = c ? c : me->self_handled ? &me->self : &me->world;
	int running = c || vr_current->mpi_state == VR_MPI_RUNNING;
	return (struct ampi_culprit){AMPI_COMM, at->handle, running ? at->errhandler : (uint64_t)MPI_ERRORS_ARE_FATAL};
}

struct ampi_culprit ampi_culprit_none(enum ampi_kind kind)
{
	struct ampi_culprit at = culprit_of(NULL);
	at.kind = kind;
	return at;
}

/* Keep what an error was for MPI_Error_string. */
static void remember(int code, int fn, const char *text)
{
	struct ampi_rank *me = ampi_me();
	if (!me->told)
		me->told = vr_rank_alloc(vr_current, TEXT_ROOM);
	me->told_class = code;
	if (me->told)
		snprintf(me->told, TEXT_ROOM, "%s: %s", ampi_name(fn), text);
}

static void raise_text(const struct ampi_culprit *at, int code, int fn, const char *text)
{
	if (at->errhandler == (uint64_t)MPI_ERRORS_ARE_FATAL || at->errhandler == (uint64_t)MPI_ERRORS_ABORT)
		vr_job_abort(code, "%s failed: %s (%s)", ampi_name(fn), text, class_name(code));
	remember(code, fn, text);
	struct ampi_errhandler *h = ampi_lookup(&ampi_me()->errhandlers, AMPI_ERRHANDLER, at->errhandler);
	if (h) { /* it may free itself, or the object */
		uint64_t object = at->object;
		int copy = code;
		h->fn(&object, &copy);
	}
}

int ampi_no_memory(struct ampi_comm *c, int fn)
{
	return ampi_raise(c, MPI_ERR_NO_MEM, fn, "%s", vr_why_full(vr_current));
}

int ampi_raise_on(const struct ampi_culprit *at, int code, int fn, const char *fmt, ...)
{
	char text[TEXT_ROOM];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	raise_text(at, code, fn, text);
	return code;
}

int ampi_raise(struct ampi_comm *c, int klass, int fn, const char *fmt, ...)
{
	char text[TEXT_ROOM];
	va_list args;
	struct ampi_culprit at = culprit_of(c);
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	raise_text(&at, klass, fn, text);
	return klass;
}

int ampi_null(struct ampi_comm *c, int fn, const char *name)
{
	return ampi_raise(c, MPI_ERR_ARG, fn, "%s is a null pointer", name);
}

/* A communicator whose handler nobody has chosen leaves the error to that of errors of no object: what is wrong is not the
 * communicator, and a program that has chosen one on MPI_COMM_WORLD wants to hear of it. */
int ampi_null_argument(int fn, uint64_t comm, const char *name)
{
	struct ampi_comm *c = comm ? ampi_comm((MPI_Comm)comm) : NULL;
	return ampi_null(c && c->errhandler != (uint64_t)MPI_ERRORS_ARE_FATAL ? c : NULL, fn, name);
}

/* Info objects are Go's. A call of its own to look at one is slow, and rare. */
int ampi_check_info_on(const struct ampi_culprit *at, int fn, MPI_Info info)
{
	int n;
	if (info == MPI_INFO_NULL || info == MPI_INFO_ENV || info == AMPI_INFO_LB_SYNC || info == AMPI_INFO_LB_ASYNC)
		return MPI_SUCCESS;
	if (!ampi_serve_class(AMPI_FN_MPI_Info_get_nkeys, (uint64_t[]){(uint64_t)info, (uint64_t)&n}, 2))
		return MPI_SUCCESS;
	return ampi_raise_on(at, MPI_ERR_INFO, fn, "info (handle 0x%lx) is not an info object, or was freed", (unsigned long)info);
}

int ampi_check_info(int fn, uint64_t comm, MPI_Info info)
{
	struct ampi_culprit at = culprit_of(comm ? ampi_comm((MPI_Comm)comm) : NULL);
	return ampi_check_info_on(&at, fn, info);
}

/* The program says what its own codes mean: MPI_Add_error_string. */
int ampi_errhandler_call(const struct ampi_culprit *at, int code, int fn)
{
	char text[TEXT_ROOM / 2] = "";
	ampi_serve(AMPI_FN_ERROR_TEXT, (uint64_t[]){(uint64_t)code, (uint64_t)text, sizeof text}, 3);
	ampi_raise_on(at, code, fn, "the program raised error code %d: %s", code, text);
	return MPI_SUCCESS;
}

static int not_running(int fn)
{
	const char *when = vr_current->mpi_state == VR_MPI_BEFORE ? "before MPI_Init" : "after MPI_Finalize";
	return ampi_raise(NULL, MPI_ERR_OTHER, fn, "it is called %s", when);
}

int ampi_bad_comm(MPI_Comm comm, int fn)
{
	int predefined = comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF;
	if (vr_current->mpi_state != VR_MPI_RUNNING && (predefined || !ampi_running()))
		return not_running(fn);
	if (comm == MPI_COMM_NULL)
		return ampi_raise(NULL, MPI_ERR_COMM, fn, "comm is MPI_COMM_NULL");
	return ampi_raise(NULL, MPI_ERR_COMM, fn, "comm (handle 0x%lx) is not a communicator, or was freed", (unsigned long)comm);
}

int ampi_check_running(int fn)
{
	return vr_likely(ampi_running()) ? MPI_SUCCESS : ampi_bad_comm(MPI_COMM_SELF, fn);
}

int ampi_bad_type(struct ampi_comm *c, MPI_Datatype type, int fn)
{
	if (type == MPI_DATATYPE_NULL)
		return ampi_raise(c, MPI_ERR_TYPE, fn, "datatype is MPI_DATATYPE_NULL");
	const struct vr_type *t = ampi_type(type);
	if (t && !(t->flags & VR_TYPE_FREED))
		return ampi_raise(c, MPI_ERR_TYPE, fn, "datatype is not committed");
	return ampi_raise(c, MPI_ERR_TYPE, fn, "datatype (handle 0x%lx) is not a datatype, or was freed", (unsigned long)type);
}

int ampi_Abort(MPI_Comm comm, int errorcode)
{
	(void)comm;
	if (vr_thread)
		ampi_thread_abort(errorcode);
	vr_job_abort(errorcode, "called MPI_Abort with code %d", errorcode);
}
