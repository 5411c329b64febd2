/* What balancing sees of ranks, and how it is asked for steps: see balance.h. */
#include "vrank/migrate/balance.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "isomalloc/heap.h"
#include "vrank/core/inbox.h"
#include "vrank/core/schedule.h"

#define LOOK(field) (*(volatile __typeof__(field) *)&(field))

/* ---- looking from outside ---- */

/* Written by another worker meanwhile: looked at again when a switch came between. One that computes for long without a call has
 * its run until now counted. */
static uint64_t user_ticks(const struct vr_rank *r)
{
	uint64_t ticks, resumed, running;
	do {
		ticks = LOOK(r->counters.user_ticks);
		running = atomic_load(&r->context.state) == VR_RUNNING;
		resumed = LOOK(r->context.resumed_at);
	} while (ticks != LOOK(r->counters.user_ticks));
	uint64_t now = vr_ticks();
	return running && resumed && now > resumed ? ticks + (now - resumed) : ticks;
}

static uint64_t counted_ticks(const struct vr_rank *r)
{
	uint64_t until = LOOK(r->load.is_stopped) ? LOOK(r->load.stopped_at) : user_ticks(r);
	uint64_t out = LOOK(r->load.left_out);
	return until > out ? until - out : 0;
}

static int32_t flags(const struct vr_rank *r)
{
	int32_t f = 0;
	if (atomic_load(&r->is_pinned) || atomic_load(&r->threads))
		f |= VR_SAMPLE_PINNED;
	if (LOOK(r->load.is_fixed) || (LOOK(r->load.is_told) && !atomic_load(&r->load.at_point)))
		f |= VR_SAMPLE_PINNED;
	if (LOOK(r->load.is_told))
		f |= VR_SAMPLE_GOES;
	if (atomic_load(&r->context.state) == VR_ENDED || atomic_load(&r->context.state) == VR_FAULTED)
		f |= VR_SAMPLE_ENDED;
	if (LOOK(r->load.is_set))
		f |= VR_SAMPLE_SET;
	return f;
}

static uint64_t idle_ticks(const struct vr_pe *pe)
{
	uint64_t since, ticks;
	do {
		since = LOOK(pe->idle_since);
		ticks = LOOK(pe->idle_ticks);
	} while (since != LOOK(pe->idle_since));
	uint64_t now = vr_ticks();
	return since && now > since ? ticks + (now - since) : ticks;
}

static uint64_t memory(const struct vr_rank *r)
{
	const struct vr_layout *l = &vr_job->layout;
	uint64_t slice = r->slice, heap = (uint64_t)LOOK(r->heap), top = slice + l->stack + l->stack_size, sp = (uint64_t)LOOK(r->context.sp);
	uint64_t bytes = sp < top && top - sp <= l->stack_size ? top - sp : 0;
	return heap == slice + l->heap ? bytes + iso_heap_held((const struct iso_heap *)heap) : bytes; /* else it is the worker's */
}

void vr_sample(struct vr_pe_sample *pes, struct vr_rank_sample *ranks)
{
	for (int i = 0; i < vr_job->pes; i++) {
		const struct vr_pe *pe = &vr_job->pe[i];
		pes[i] = (struct vr_pe_sample){idle_ticks(pe), LOOK(pe->move_ticks), LOOK(pe->move_steps), LOOK(pe->thread)};
	}
	for (int i = 0; i < vr_job->ranks; i++) {
		const struct vr_rank *r = vr_rank_of(i);
		ranks[i] = (struct vr_rank_sample){counted_ticks(r), LOOK(r->counters.moves), LOOK(r->counters.sent), LOOK(r->load.value), memory(r), vr_owner(r), flags(r)};
	}
}

/* ---- accounting ---- */

static void begin(struct vr_work *w)
{
	if (!vr_measure && vr_context)
		vr_context->resumed_at = vr_ticks();
	vr_measure = 1;
	vr_arena_free(w, sizeof *w);
}

void vr_measure_all(void)
{
	if (atomic_exchange(&vr_job->measuring, 1))
		return;
	for (int i = 0; i < vr_job->pes; i++) {
		struct vr_work *w = vr_arena_alloc(sizeof *w);
		if (!w)
			return;
		w->run = begin;
		vr_pe_post(i, w);
	}
}

/* ---- steps that the program asks for ---- */

uint32_t vr_step_ask(void)
{
	uint32_t step = atomic_fetch_add(&vr_job->steps_asked, 1) + 1;
	syscall(SYS_futex, &vr_job->steps_asked, FUTEX_WAKE, 1, NULL, NULL, 0);
	return step;
}

int vr_step_is_done(uint32_t step)
{
	return (int32_t)(atomic_load(&vr_job->steps_done) - step) >= 0;
}

uint32_t vr_step_await(int64_t nanoseconds)
{
	struct timespec t = {nanoseconds / 1000000000, nanoseconds % 1000000000};
	uint32_t asked = atomic_load(&vr_job->steps_asked);
	if (asked == atomic_load(&vr_job->steps_done)) {
		syscall(SYS_futex, &vr_job->steps_asked, FUTEX_WAIT, asked, &t, NULL, 0);
		asked = atomic_load(&vr_job->steps_asked);
	}
	return asked == atomic_load(&vr_job->steps_done) ? 0 : asked;
}

void vr_step_finish(uint32_t step)
{
	atomic_store(&vr_job->steps_done, step);
}

/* ---- what the program says of its load ---- */

static uint64_t my_ticks(void)
{
	return user_ticks(vr_current);
}

void vr_load_set(double seconds)
{
	vr_current->load.value = seconds;
	vr_current->load.is_set = 1;
}

void vr_load_stop(void)
{
	struct vr_load *l = &vr_current->load;
	if (l->is_stopped)
		return;
	l->stopped_at = my_ticks();
	l->is_stopped = 1;
}

void vr_load_start(void)
{
	struct vr_load *l = &vr_current->load;
	if (l->is_stopped)
		l->left_out += my_ticks() - l->stopped_at;
	l->is_stopped = 0;
	l->is_set = 0;
}

/* What was measured so far counts as never measured. */
void vr_load_reset(void)
{
	struct vr_load *l = &vr_current->load;
	l->left_out = l->is_stopped ? l->stopped_at : my_ticks();
	l->is_set = 0;
}
