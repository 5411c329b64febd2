/* Standing still: see park.h. */
#include "vrank/core/park.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "vrank/core/compat.h"
#include "vrank/core/isolate.h"
#include "vrank/core/schedule.h"

enum { MOVING, ASKED, STANDING };

static _Atomic uint32_t state; /* futex */
static volatile int in_core; /* the PE thread is in vr_pe_run */
static pid_t pe_thread;

uint64_t vr_park_regs[VR_REGS], vr_park_vectors;

static void wait_while(uint32_t value, const struct timespec *time)
{
	syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, value, time, NULL, 0);
}

static void wake(void)
{
	syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* ---- the PE thread ---- */

static void stand(void)
{
	uint32_t asked = ASKED;
	if (!atomic_compare_exchange_strong(&state, &asked, STANDING))
		return;
	wake(); /* and no second store: who asked may have seen this one, and have released us since */
	while (atomic_load(&state) == STANDING)
		wait_while(STANDING, NULL);
}

static void asked(int signal, siginfo_t *info, void *context)
{
	int error = errno;
	(void)signal, (void)info;
	vr_isolate_open();
	if (in_core && atomic_load(&state) == ASKED) {
		vr_regs_take(context, vr_park_regs);
		vr_park_vectors = vr_regs_vectors(context);
		stand();
	}
	errno = error;
}

void vr_park_enter(void)
{
	in_core = 1;
	if (vr_likely(atomic_load_explicit(&state, memory_order_relaxed) != ASKED))
		return;
	memset(vr_park_regs, 0, sizeof vr_park_regs);
	stand();
}

void vr_park_leave(void)
{
	in_core = 0;
}

const char *vr_park_setup(void)
{
	struct sigaction act = {.sa_sigaction = asked, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	pe_thread = vr_gettid();
	return sigaction(VR_PARK_SIGNAL, &act, NULL) ? strerror(errno) : NULL;
}

/* ---- any other thread ---- */

int vr_park_ask(int64_t nanoseconds)
{
	struct timespec pause = {0, 1000000};
	int64_t until = vr_now() + nanoseconds;
	atomic_store(&state, ASKED);
	if (!pe_thread || vr_tgkill(getpid(), pe_thread, VR_PARK_SIGNAL)) {
		atomic_store(&state, MOVING);
		return 0;
	}
	while (atomic_load(&state) == ASKED && vr_now() < until)
		wait_while(ASKED, &pause);
	uint32_t still = ASKED;
	return !atomic_compare_exchange_strong(&state, &still, MOVING);
}

void vr_park_release(void)
{
	atomic_store(&state, MOVING);
	wake();
}
