/* Freezing, see freeze.h. */
#include "vrank/freeze/freeze.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "vrank/core/callback.h"
#include "vrank/core/inbox.h"
#include "vrank/core/schedule.h"
#include "vrank/core/transit.h"
#include "vrank/libc/preempt.h"
#include "vrank/libc/signals.h"
#include "vrank/migrate/stealable.h"

#define WAIT_NS 100000 /* how often a rank looks whether it is done */
#define LOOK_NS 20000000 /* how often a PE that waits for others looks whether the job has been stopped */

static void told(struct vr_work *w)
{
	(void)w;
	vr_pe->is_told = 1;
	if (!vr_in_callbacks)
		vr_pe->budget = 0;
	if (atomic_fetch_add(&vr_job->freeze.told, 1) + 1 == vr_job->pes)
		vr_job_ring();
}

int vr_freeze_ask(int halts)
{
	int32_t no = 0;
	if (!atomic_compare_exchange_strong(&vr_job->freeze.wanted, &no, 1))
		return 0;
	atomic_store(&vr_job->freeze.halts, halts);
	for (int i = 0; i < vr_job->pes; i++) {
		vr_job->pe[i].freeze.run = told;
		vr_pe_post(i, &vr_job->pe[i].freeze);
		vr_preempt_watch(&vr_job->pe[i]);
	}
	return 1;
}

#define FORGONE (1 << 30) /* in `told`: some PE has left */

int vr_freeze_forgo(void)
{
	_Atomic int32_t *told = &vr_job->freeze.told;
	for (int32_t n = atomic_load(told); n != vr_job->pes;)
		if (atomic_compare_exchange_weak(told, &n, n | FORGONE))
			return 1;
	return 0;
}

/* Signals that come meanwhile are handled afterwards, on the rank's own stack. */
void vr_freeze_rest(void)
{
	struct vr_signals *s = vr_current->signals;
	uint32_t before = atomic_load(&vr_job->freeze.done);
	if (s)
		s->waits++;
	while (vr_freeze_is_wanted() && atomic_load(&vr_job->freeze.done) == before)
		vr_rank_sleep(WAIT_NS);
	if (s)
		s->waits--;
}

void vr_freeze_and_wait(enum vr_saves place)
{
	uint32_t before = atomic_load(&vr_job->freeze.done);
	vr_rank_ready(vr_context);
	vr_rank_leave(place == VR_TO_MEMORY ? VR_SAVES_IN_MEMORY : VR_SAVES);
	while (atomic_load(&vr_job->freeze.done) == before)
		vr_rank_sleep(WAIT_NS);
}

void vr_freeze_enter(void)
{
	struct vr_freeze *f = &vr_job->freeze;
	atomic_store(&f->still, 1);
	vr_stealable_retake();
	vr_schedule_rest();
	f->at = vr_now();
	for (uint32_t most = atomic_load(&f->migration_epoch); most < vr_migration_epoch;)
		if (atomic_compare_exchange_weak(&f->migration_epoch, &most, vr_migration_epoch))
			break;
}

int vr_freeze_barrier(void)
{
	_Atomic uint32_t *arrived = &vr_job->freeze.arrived;
	uint32_t pes = vr_job->pes, n = atomic_fetch_add(arrived, 1) + 1, all = (n + pes - 1) / pes * pes;
	if (n == all)
		syscall(SYS_futex, arrived, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
	for (uint32_t now; (int32_t)((now = atomic_load(arrived)) - all) < 0;) {
		if (vr_job_is_stopped())
			return -1;
		syscall(SYS_futex, arrived, FUTEX_WAIT, now, &(struct timespec){0, LOOK_NS}, NULL, 0);
	}
	return 0;
}

static void nap(void)
{
	nanosleep(&(struct timespec){0, 200000}, NULL);
}

void vr_outside_enter(void)
{
	struct vr_freeze *f = &vr_job->freeze;
	for (;;) {
		atomic_fetch_add(&f->outside, 1);
		if (vr_likely(!atomic_load(&f->still)) || vr_job_is_stopped())
			return;
		vr_outside_leave();
		nap();
	}
}

void vr_outside_leave(void)
{
	atomic_fetch_sub(&vr_job->freeze.outside, 1);
}

void vr_outside_await(void)
{
	while (atomic_load(&vr_job->freeze.outside) && !vr_job_is_stopped())
		nap();
}

void vr_freeze_copies(void)
{
	atomic_store(&vr_job->freeze.begun, atomic_load(&vr_job->freeze.copied) + 1);
}

void vr_freeze_copied(void)
{
	atomic_store(&vr_job->freeze.copied, atomic_load(&vr_job->freeze.begun));
}

void vr_freeze_halt(void)
{
	atomic_store(&vr_job->freeze.halted, 1);
}

void vr_freeze_leave(void)
{
	struct vr_freeze *f = &vr_job->freeze;
	vr_pe->is_told = 0;
	vr_preempt_unwatch(vr_pe);
	if ((atomic_fetch_sub(&f->told, 1) & ~FORGONE) > 1)
		return;
	atomic_store(&f->refused, 0);
	atomic_fetch_add(&f->done, 1);
	atomic_store(&f->still, 0);
	atomic_store(&f->wanted, 0);
}
