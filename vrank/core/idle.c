/* A PE that has nothing to run: it looks for news for a while, then sleeps until somebody rings; and all PEs that have nothing to run
 * for ever. */
#include "vrank/core/idle.h"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "vrank/core/hooks.h"
#include "vrank/core/inbox.h"
#include "vrank/core/schedule.h"
#include "vrank/core/timeline.h"
#include "vrank/core/transit.h"

uint64_t vr_spin_ticks;

/* ---- who shares this core ---- */

/* Is another PE that is awake on the core this one runs on? Whom it waits for may then wait for the core. */
static int has_rival(void)
{
	int core = sched_getcpu();
	if (atomic_load_explicit(&vr_pe->core, memory_order_relaxed) != core)
		atomic_store_explicit(&vr_pe->core, core, memory_order_relaxed);
	for (int i = 0; i < vr_job->pes; i++) {
		struct vr_pe *pe = &vr_job->pe[i];
		if (pe != vr_pe && atomic_load_explicit(&pe->core, memory_order_relaxed) == core && !atomic_load_explicit(&pe->asleep, memory_order_relaxed))
			return 1;
	}
	return 0;
}

static int free_core(const cpu_set_t *allowed)
{
	cpu_set_t left = *allowed;
	for (int i = 0; i < vr_job->pes; i++)
		CPU_CLR(atomic_load_explicit(&vr_job->pe[i].core, memory_order_relaxed), &left);
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &left))
			return core;
	return -1;
}

/* The kernel gathers threads that wake each other on one core. Move to one that no PE of this job uses, without a lasting
 * bond, but not more often than the kernel itself balances. 0 when that is not possible. */
static int move_away(void)
{
	static uint64_t not_before;
	cpu_set_t allowed, one;
	int core;
	if (vr_ticks() < not_before || sched_getaffinity(0, sizeof allowed, &allowed) || (core = free_core(&allowed)) < 0)
		return 0;
	not_before = vr_ticks() + vr_job->ticks_per_second / 200;
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	if (sched_setaffinity(0, sizeof one, &one))
		return 0;
	atomic_store_explicit(&vr_pe->core, core, memory_order_relaxed);
	sched_setaffinity(0, sizeof allowed, &allowed);
	return 1;
}

/* Look for news for a short while. The inbox of the rank that blocked last is watched:
 * its message is seen without the detour over the wake list. */
static int spin(struct vr_rank *hot)
{
	uint64_t since = vr_ticks(), spent = 0;
	vr_pe_watch(hot);
	if (vr_unlikely(vr_steal_policy.is_on) && vr_core_hooks.steal())
		return 1;
	do {
		for (int i = 0; i < 16; i++) {
			if (vr_pe_has_news() || vr_pe->head)
				return 1;
			__builtin_ia32_pause();
		}
		if (vr_timers_fire() || vr_job_is_stopped() || vr_job_has_ended() || vr_freeze_is_due())
			return 1;
		if (vr_unlikely(vr_steal_policy.is_on) && vr_core_hooks.steal())
			return 1;
		if (spent > vr_spin_ticks / 32 && has_rival() && !move_away())
			sched_yield();
		spent = vr_ticks() - since;
	} while (spent < vr_spin_ticks);
	vr_pe_watch(NULL);
	return 0;
}

void vr_job_one_less(void)
{
	if (atomic_fetch_sub(&vr_job->live, 1) == 1)
		vr_job_ring();
}

/* Called by a PE that has just counted itself idle. When all PEs are and nothing is on its way, no rank can ever go on: a PE that is to
 * take news counts itself out of idleness and then shows `activity`, in this order. So of one that took news after it was seen idle the
 * activity is seen below, even if it is idle again. */
static int is_deadlock(void)
{
	uint64_t before = atomic_load(&vr_job->activity);
	if (atomic_load(&vr_job->idle) != vr_job->pes)
		return 0;
	if (atomic_load(&vr_job->freeze.travelling))
		return 0;
	for (int i = 0; i < vr_job->pes; i++)
		if (atomic_load(&vr_job->pe[i].wake) || atomic_load(&vr_job->pe[i].inbox))
			return 0;
	if (atomic_load(&vr_job->activity) != before || atomic_load(&vr_job->idle) != vr_job->pes || vr_job_has_ended())
		return 0;
	return !atomic_exchange(&vr_job->deadlock, 1);
}

static void futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t nanoseconds)
{
	struct timespec t = {nanoseconds / 1000000000, nanoseconds % 1000000000};
	syscall(SYS_futex, word, FUTEX_WAIT, value, nanoseconds >= 0 ? &t : NULL, NULL, 0);
}

void vr_pe_ring(struct vr_pe *pe)
{
	if (vr_unlikely(atomic_load(&pe->asleep)) && atomic_exchange(&pe->asleep, 0))
		syscall(SYS_futex, &pe->asleep, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static int has_stealable(void)
{
	return vr_unlikely(vr_steal_policy.is_on) && vr_core_hooks.others_offer();
}

static void sleep_until_rung(void)
{
	int64_t timeout = -1;
	if (vr_pe->timers && (timeout = vr_pe->timers->wake_at - vr_now()) < 0)
		return;
	if (vr_unlikely(vr_steal_policy.is_on) && (timeout < 0 || timeout > VR_STEAL_LOOK))
		timeout = VR_STEAL_LOOK;
	atomic_store(&vr_pe->asleep, 1);
	if (!vr_pe_has_news() && !vr_job_is_stopped() && !vr_job_has_ended() && !vr_freeze_is_due() && !atomic_load(&vr_signals_news) && !has_stealable())
		futex_wait(&vr_pe->asleep, 1, timeout);
	atomic_store(&vr_pe->asleep, 0);
}

/* Do threads of this worker's ranks live? */
static int has_threads(void)
{
	if (vr_likely(!vr_have_threads))
		return 0;
	for (struct vr_rank *r = vr_pe->all; r; r = r->all_next)
		if (atomic_load(&r->threads) && atomic_load_explicit(&r->context.state, memory_order_relaxed) != VR_ENDED)
			return 1;
	return 0;
}

int vr_idle(struct vr_rank *hot)
{
	int deadlock = 0;
	uint64_t since = vr_ticks(), now;
	vr_pe->idle_since = since;
	if (!spin(hot)) {
		/* Who sleeps will go on by himself, threads may call, handlers do anything. A timer that goes off is news before it is armed no more. */
		int counted = !vr_pe->timers && !has_threads() && !vr_core_hooks.signals_may_come() && !atomic_load(&vr_timers_armed) && !atomic_load(&vr_signals_news);
		if (counted) {
			atomic_fetch_add(&vr_job->idle, 1);
			deadlock = is_deadlock();
		}
		if (!deadlock)
			sleep_until_rung();
		if (counted) {
			atomic_fetch_sub(&vr_job->idle, 1);
			atomic_fetch_add(&vr_job->activity, 1);
		}
	}
	now = vr_ticks();
	vr_pe->idle_since = 0;
	vr_pe->idle_ticks += now - since;
	if (vr_unlikely(vr_timeline_on))
		vr_timeline_idle(since, now);
	return deadlock;
}
