/* Calls from threads that a rank has started. The core is for one thread: what it keeps is not locked, and a call may switch
 * stacks. So from its first pthread_create on a rank calls through a table that looks who calls (guard_gen_amd64.S), and calls
 * of other threads go to the PE (vrank/core/fiber.h); until then nobody pays. */
#include <unistd.h>

#include "ampi/ampi.h"
#include "vrank/core/fiber.h"
#include "vrank/libc/process.h"

extern void *const ampi_guards[AMPI_FN_COUNT];

const struct ampi_shim_table *ampi_table_guarded(void)
{
	static struct ampi_shim_table guarded;
	if (!guarded.count) {
		guarded = *ampi_table();
		for (int i = 0; i < AMPI_FN_COUNT; i++)
			guarded.fn[i] = ampi_guards[i];
	}
	return &guarded;
}

/* ---- what the level does not allow ---- */

static const char *level_name(int level)
{
	return level == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE" : "MPI_THREAD_FUNNELED";
}

/* On the thread that calls function fn. The rank itself may be anywhere, so nothing of it is touched: where errors are returned this one is,
 * else the worker ends. */
static int refuse(int fn)
{
	struct vr_rank *r = vr_current;
	struct ampi_rank *me = ampi_me();
	uint64_t handler = me->self_handled ? me->self.errhandler : me->world.errhandler;
	if (r->mpi_state == VR_MPI_RUNNING && handler == (uint64_t)MPI_ERRORS_RETURN)
		return MPI_ERR_OTHER;
	vr_out_printf(r->id, 2, "ampirun: rank %d: %s failed: it is called by a thread that the rank has started, and the thread level is %s: "
		      "only the thread that called MPI_Init calls MPI (MPI_ERR_OTHER)\n", r->id, ampi_name(fn), level_name(me->thread_level));
	_exit(MPI_ERR_OTHER);
}

/* Outside of MPI, that is before MPI_Init or after the end, it is for the function itself to say what it thinks of the call. */
static int is_allowed(void)
{
	const struct ampi_rank *me = ampi_me();
	if (me->session_level >= MPI_THREAD_SERIALIZED || vr_calling_thread() == me->main_thread)
		return 1;
	return vr_current->mpi_state == VR_MPI_RUNNING ? me->thread_level >= MPI_THREAD_SERIALIZED : !me->open_sessions;
}

void ampi_thread_abort(int code)
{
	int id = vr_current->id;
	vr_out_printf(id, 2, "ampirun: rank %d: called MPI_Abort with code %d, in a thread that it has started\n", id, code);
	_exit(code & 0xff);
}

/* ---- what it does ---- */

/* Eight words of the stack are more than any function of MPI has arguments there. */

struct call {
	int fn;
	const uint64_t *registers, *stack;
	int64_t result;
};

typedef int64_t function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			 uint64_t, uint64_t, uint64_t);

/* Rank stack. By the calling convention those that take fewer arguments do not see the rest. */
static void carry_out(void *arg)
{
	struct call *c = arg;
	const uint64_t *r = c->registers, *s = c->stack;
	c->result = ((function *)ampi_table()->fn[c->fn])(r[0], r[1], r[2], r[3], r[4], r[5], s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7]);
}

/* On the thread that calls function fn with these arguments, of which all are integers or pointers. */
int64_t ampi_thread_call(int fn, const uint64_t *registers, const uint64_t *stack);
int64_t ampi_thread_call(int fn, const uint64_t *registers, const uint64_t *stack)
{
	struct call c = {.fn = fn, .registers = registers, .stack = stack};
	if (vr_is_child())
		vr_child_refuse(ampi_name(fn));
	if (!is_allowed())
		return refuse(fn);
	vr_thread_delegate(carry_out, &c);
	return c.result;
}
