/* Preempting: see preempt.h.
 *
 * A watcher thread looks, while ranks have threads, whether the PE thread sleeps in a futex call of a rank's code though there
 * is other work, and then sends it a signal. The kernel ends or prepares to repeat the call; the handler has the rank go on in vr_preempt_enter,
 * as if the code had called a function there, and that lets others run until the futex has another value. Then the call is
 * repeated, so nothing that wakes it is lost, and the code that made it notices nothing.
 *
 * The same is done, while threads wait for the PE, to a rank that runs for long while others could: it may look at a variable until
 * another thread's call has returned. But only to the program's own code: libraries may be in the middle of what must not be entered twice.
 *
 * And to a rank that runs for long while the job is to freeze: interrupt.h says where. A thread that sleeps in the kernel is left alone
 * then, since not all calls are repeated by it. */
#include "vrank/libc/preempt.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "vrank/core/callback.h"
#include "vrank/core/compat.h"
#include "vrank/core/inbox.h"
#include "vrank/core/isolate.h"
#include "vrank/core/pe_thread.h"
#include "vrank/core/progress_hook.h"
#include "vrank/core/schedule.h"
#include "vrank/freeze/freeze.h"
#include "vrank/freeze/interrupt.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/ldso.h"
#include "vrank/libc/objects.h"

#define RED_ZONE 128
#define REST_MAX (20 * 1000000) /* nanoseconds; then the kernel is asked again: who wakes need not change the value */
#define PAUSE_MIN 1000
#define PAUSE_MAX 500000
#define WATCH_MIN 100000
#define WATCH_MAX 2000000
#define SLICE 5000000 /* that a rank may run while others could */

uint64_t vr_preempt_xsave_bytes;

static _Atomic uint32_t waiting; /* threads that wait for the PE */
static int status = -1; /* /proc/self/task/<PE thread>/syscall */
static pid_t pe_thread;

/* ---- the PE thread ---- */

/* What the handler has found the rank in. Read before anything else can be found. */
static enum place { NOTHING, WAIT, SYSTEM_CALL, CODE, ANYWHERE } found;

static int is_plain_wait(uint64_t operation)
{
	operation &= FUTEX_CMD_MASK;
	return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
}

static void rest_until(const _Atomic uint32_t *word, uint32_t value)
{
	int64_t pause = PAUSE_MIN;
	for (int64_t rested = 0; rested < REST_MAX && atomic_load(word) == value; rested += pause) {
		vr_rank_sleep(pause);
		pause = pause < PAUSE_MAX ? 2 * pause : pause;
	}
}

/* What xsave has written: the components that are in use come after the legacy part. */
struct area {
	char legacy[512];
	uint64_t components;
};

/* On the stack of the rank, with its registers: the arguments, if it is in a futex call. */
void vr_preempt_rest(const _Atomic uint32_t *word, uint64_t operation, uint64_t value, const struct area *area);
void vr_preempt_rest(const _Atomic uint32_t *word, uint64_t operation, uint64_t value, const struct area *area)
{
	atomic_fetch_or(&vr_job->registers, area->components);
	if (found == ANYWHERE)
		vr_freeze_rest();
	else if (found == CODE)
		vr_rank_yield_outside();
	else if (found == WAIT && is_plain_wait(operation))
		rest_until(word, (uint32_t)value);
	else
		vr_rank_sleep(PAUSE_MAX);
}

static int is_system_call(uint64_t pc)
{
	return !memcmp((const void *)pc, "\x0f\x05", 2);
}

static _Atomic int seen; /* what the watcher found before it sent the signal */

/* Libraries that ld.so has loaded lie anywhere, and the runtime calls them too: only what waits for a futex is left. Waits with a time
 * are not repeated by the kernel. The runtime itself waits in syscall(). */
static int find_in_library(uint64_t pc, const greg_t *g)
{
	extern char __executable_start, etext;
	if (!vr_ldso || pc - (uint64_t)syscall <= 64 || (pc >= (uint64_t)&__executable_start && pc < (uint64_t)&etext))
		return NOTHING;
	if (g[REG_RAX] == SYS_futex && is_system_call(pc))
		return WAIT;
	return atomic_load(&seen) == WAIT && g[REG_RAX] == -EINTR && is_system_call(pc - 2) ? SYSTEM_CALL : NOTHING;
}

/* Where is rank r? System calls are about to be repeated, or were interrupted. */
static int find_place(const struct vr_rank *r, const greg_t *g)
{
	uint64_t pc = g[REG_RIP], at = pc - r->images, images;
	if (vr_freeze_is_wanted() && vr_interrupt_may(r, pc, g[REG_RSP]))
		return ANYWHERE;
	if (at < 2 || at + 2 > vr_job->layout.images_size)
		return find_in_library(pc, g);
	if (g[REG_RAX] == SYS_futex && is_system_call(pc))
		return WAIT;
	if (g[REG_RAX] == -EINTR && is_system_call(pc - 2))
		return SYSTEM_CALL;
	return vr_object_is_program(vr_object_find(pc, &images)) ? CODE : NOTHING;
}

/* In a barrier of OpenMP other threads may be reading thread-local variables of the first one (copyin, copyprivate), which are not
 * there while another rank runs: so that is left only if it must be. */
static int is_openmp(uint64_t pc)
{
	uint64_t images;
	const struct vr_object *o = vr_object_find(pc, &images);
	return o && (strstr(o->name, "/libgomp") || strstr(o->name, "/libomp"));
}

/* May the rank be left here? It may be lent, or a handler of a signal may run on another stack. */
static int may_leave(const struct vr_rank *r, const greg_t *g)
{
	return r && !vr_thread && !vr_in_callbacks && !vr_progress_hooks.held && !vr_progress_hooks.running && (uint64_t)g[REG_RSP] - r->slice < vr_job->layout.slice_size;
}

static void preempted(int signal, siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	(void)signal, (void)info;
	vr_isolate_open();
	enum place place = may_leave(vr_current, g) ? find_place(vr_current, g) : NOTHING;
	if (place == NOTHING || (place != ANYWHERE && !atomic_load(&waiting) && is_openmp(g[REG_RIP])))
		return;
	found = place;
	uint64_t *top = (uint64_t *)(g[REG_RSP] - RED_ZONE) - 1;
	*top = g[REG_RIP];
	g[REG_RSP] = (greg_t)top;
	g[REG_RIP] = (greg_t)vr_preempt_enter;
}

/* ---- the watcher ---- */

/* The PE thread's: SYSTEM_CALL for those that are not futex calls. Without the kernel's word for it anything may be going on there. */
static int look(void)
{
	char text[16] = "";
	if (status < 0 || pread(status, text, sizeof text - 1, 0) <= 0)
		return WAIT;
	if (text[0] == 'r') /* running */
		return CODE;
	return strtol(text, NULL, 10) == SYS_futex ? WAIT : SYSTEM_CALL;
}

static int has_work(void)
{
	return vr_pe_has_news() || vr_pe->head || vr_pe->timers;
}

/* Has one rank run for long although the job is to freeze? */
static int is_awaited(int at, int64_t pause)
{
	static uint64_t switches;
	static int64_t running;
	uint64_t now = *(volatile uint64_t *)&vr_pe->switches;
	int runs = *(struct vr_context *volatile *)&vr_context && (at == CODE || status < 0);
	running = runs && now == switches && vr_freeze_is_wanted() ? running + pause : 0;
	switches = now;
	return running >= SLICE;
}

/* In a futex call, or running since the time before the last look, which was `pause` ago. */
static int is_stuck(int64_t pause)
{
	static int64_t running;
	int at = atomic_load(&vr_pe->asleep) ? NOTHING : look();
	atomic_store(&seen, at);
	if (is_awaited(at, pause))
		return 1;
	running = at == CODE && has_work() ? running + pause : 0;
	if (at == WAIT)
		return atomic_load(&waiting) || has_work();
	if (running < SLICE || !(atomic_load(&waiting) || atomic_load(&vr_job->windows)))
		return 0;
	running = 0;
	return 1;
}

static void *watch(void *unused)
{
	vr_isolate_open(); /* whoever has started it had the memory of one rank only */
	for (int64_t pause = WATCH_MIN;;) {
		if (!atomic_load(&vr_pe->watch)) {
			syscall(SYS_futex, &vr_pe->watch, FUTEX_WAIT, 0, NULL, NULL, 0);
			pause = WATCH_MIN;
		}
		nanosleep(&(struct timespec){0, pause}, NULL);
		if (!is_stuck(pause)) {
			pause = pause < WATCH_MAX ? 2 * pause : pause;
			continue;
		}
		vr_tgkill(getpid(), pe_thread, VR_PREEMPT_SIGNAL);
		pause = status < 0 || !(atomic_load(&waiting) || vr_freeze_is_wanted()) ? WATCH_MAX : WATCH_MIN; /* for the next wait of this kind */
	}
	return unused;
}

int vr_preempt_prepare(void)
{
	unsigned a, b, c, d;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !__get_cpuid_count(0xd, 0, &a, &b, &c, &d))
		return -1;
	vr_preempt_xsave_bytes = b;
	return 0;
}

int vr_preempt_can_restore(uint64_t components)
{
	uint32_t low, high;
	if (vr_preempt_prepare())
		return 0;
	__asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return !(components & ~((uint64_t)high << 32 | low));
}

void vr_preempt_setup(void)
{
	static int done;
	char name[64];
	if (done++ || vr_preempt_prepare())
		return;
	pe_thread = vr_gettid();
	snprintf(name, sizeof name, "/proc/self/task/%d/syscall", pe_thread);
	status = open(name, O_RDONLY | O_CLOEXEC);
	if (status >= 0)
		status = vr_fd_aside(status);
	struct sigaction act = {.sa_sigaction = preempted, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	if (!sigaction(VR_PREEMPT_SIGNAL, &act, NULL))
		vr_service_thread_start(watch);
}

/* ---- reasons ---- */

void vr_preempt_watch(struct vr_pe *pe)
{
	if (!atomic_fetch_add(&pe->watch, 1))
		syscall(SYS_futex, &pe->watch, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void vr_preempt_unwatch(struct vr_pe *pe)
{
	atomic_fetch_sub(&pe->watch, 1);
}

void vr_preempt_window_opens(void)
{
	atomic_fetch_add(&vr_job->windows, 1);
	for (int i = 0; i < vr_job->pes; i++)
		vr_preempt_watch(&vr_job->pe[i]);
}

void vr_preempt_window_closes(void)
{
	for (int i = 0; i < vr_job->pes; i++)
		vr_preempt_unwatch(&vr_job->pe[i]);
	atomic_fetch_sub(&vr_job->windows, 1);
}

void vr_preempt_begin(void)
{
	atomic_fetch_add(&waiting, 1);
	vr_preempt_watch(vr_pe);
}

void vr_preempt_end(void)
{
	vr_preempt_unwatch(vr_pe);
	atomic_fetch_sub(&waiting, 1);
}
