/* Nudging: see nudge.h.
 *
 * A watcher thread looks, while threads wait for the PE, whether the PE thread sleeps in a futex call of a rank's code, and
 * then sends it a signal. The kernel ends or prepares to repeat the call; the handler has the rank go on in vr_nudge_enter,
 * as if the code had called a function there, and that lets others run until the futex has another value. Then the call is
 * repeated, so nothing that wakes it is lost, and the code that made it notices nothing. */
#include "nudge.h"

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "schedule.h"

#define RED_ZONE 128
#define REST_MAX (20 * 1000000) /* nanoseconds; then the kernel is asked again: who wakes need not change the value */
#define PAUSE_MIN 1000
#define PAUSE_MAX 500000
#define WATCH_MIN 100000
#define WATCH_MAX 2000000

uint64_t vr_nudge_xsave_bytes;

static _Atomic uint32_t waiting; /* futex: threads that wait for the PE */
static int status = -1; /* /proc/self/task/<PE thread>/syscall */
static pid_t pe_thread;

/* ---- the PE thread ---- */

static int is_plain_wait(uint64_t operation)
{
	operation &= FUTEX_CMD_MASK;
	return operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
}

/* On the stack of a rank that sleeps in a system call. */
void vr_nudge_rest(const _Atomic uint32_t *word, uint64_t operation, uint64_t value, uint64_t number);
void vr_nudge_rest(const _Atomic uint32_t *word, uint64_t operation, uint64_t value, uint64_t number)
{
	int64_t pause = PAUSE_MIN, rested = 0;
	if (number != SYS_futex || !is_plain_wait(operation)) {
		vr_rank_sleep(PAUSE_MAX);
		return;
	}
	for (; rested < REST_MAX && atomic_load(word) == (uint32_t)value; rested += pause) {
		vr_rank_sleep(pause);
		pause = pause < PAUSE_MAX ? 2 * pause : pause;
	}
}

static int is_system_call(uint64_t pc)
{
	return !memcmp((const void *)pc, "\x0f\x05", 2);
}

/* In the code of rank r, at a system call that is to be repeated or was interrupted? */
static int is_asleep(const struct vr_rank *r, const greg_t *g)
{
	uint64_t pc = g[REG_RIP], at = pc - r->images;
	if (at < 2 || at + 2 > vr_job->layout.images_size)
		return 0;
	return g[REG_RAX] == SYS_futex ? is_system_call(pc) : g[REG_RAX] == -EINTR && is_system_call(pc - 2);
}

static void nudged(int signal, siginfo_t *info, void *context)
{
	greg_t *g = ((ucontext_t *)context)->uc_mcontext.gregs;
	(void)signal, (void)info;
	if (!vr_current || vr_thread || vr_lent || !is_asleep(vr_current, g))
		return;
	uint64_t *top = (uint64_t *)(g[REG_RSP] - RED_ZONE) - 1;
	*top = g[REG_RIP];
	g[REG_RSP] = (greg_t)top;
	g[REG_RIP] = (greg_t)vr_nudge_enter;
}

/* ---- the watcher ---- */

/* Without the kernel's word for it anything may be going on there. */
static int is_in_futex(void)
{
	char text[8] = "";
	return status < 0 || (pread(status, text, sizeof text - 1, 0) > 0 && strtol(text, NULL, 10) == SYS_futex);
}

static int is_stuck(void)
{
	return atomic_load(&waiting) && !atomic_load(&vr_pe->asleep) && is_in_futex();
}

static void *watch(void *unused)
{
	for (int64_t pause = WATCH_MIN;;) {
		if (!atomic_load(&waiting)) {
			syscall(SYS_futex, &waiting, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
			pause = WATCH_MIN;
		}
		nanosleep(&(struct timespec){0, pause}, NULL);
		if (!is_stuck()) {
			pause = pause < WATCH_MAX ? 2 * pause : pause;
			continue;
		}
		tgkill(getpid(), pe_thread, VR_NUDGE_SIGNAL);
		pause = status < 0 ? WATCH_MAX : WATCH_MIN;
	}
	return unused;
}

static int start_watcher(void)
{
	pthread_t thread;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error || pthread_detach(thread);
}

void vr_nudge_setup(void)
{
	static int done;
	unsigned a, b, c, d;
	char name[64];
	if (done++ || !__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !__get_cpuid_count(0xd, 0, &a, &b, &c, &d))
		return;
	vr_nudge_xsave_bytes = b;
	pe_thread = gettid();
	snprintf(name, sizeof name, "/proc/self/task/%d/syscall", pe_thread);
	status = open(name, O_RDONLY | O_CLOEXEC);
	struct sigaction act = {.sa_sigaction = nudged, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	if (!sigaction(VR_NUDGE_SIGNAL, &act, NULL))
		start_watcher();
}

/* ---- threads of ranks ---- */

void vr_nudge_begin(void)
{
	if (!atomic_fetch_add(&waiting, 1))
		syscall(SYS_futex, &waiting, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void vr_nudge_end(void)
{
	atomic_fetch_sub(&waiting, 1);
}
