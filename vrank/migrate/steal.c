/* Stealing: see steal.h. */
#include "vrank/migrate/steal.h"

#include "vrank/core/fiber.h"
#include "vrank/core/inbox.h"
#include "vrank/core/schedule.h"
#include "vrank/migrate/move.h"
#include "vrank/migrate/stealable.h"

/* Queues are looked at so far: who has more than this is busy enough. */
#define LOOK_FAR 32

/* After an answer of nothing the next question waits, twice as long each time, in ticks of about 0.5 ns. */
#define FIRST_PAUSE 40000
#define LAST_PAUSE 4000000

/* ---- the thief ---- */

/* How many ranks wait behind the next one in the queue of another worker. It changes meanwhile, so this is a guess; whatever is
 * read is the address of a rank or NULL, and stays mapped. */
static int waiting(const struct vr_pe *pe)
{
	const struct vr_context *c = *(struct vr_context *volatile const *)&pe->head;
	int n = 0;
	for (; c && n < LOOK_FAR; n++)
		c = *(struct vr_context *volatile const *)&c->run_next;
	return n - 1;
}

static struct vr_pe *busiest(void)
{
	struct vr_pe *best = NULL;
	int most = 0;
	for (int i = 0; i < vr_job->pes; i++) {
		int n = i == vr_pe->id ? 0 : waiting(&vr_job->pe[i]);
		if (n > most) {
			most = n;
			best = &vr_job->pe[i];
		}
	}
	return best;
}

static void answer(struct vr_work *w);

static void ask(void)
{
	struct vr_steal *s = &vr_pe->steal;
	uint64_t now = vr_ticks();
	if (atomic_load_explicit(&s->pending, memory_order_acquire) || now < s->not_before)
		return;
	struct vr_pe *victim = busiest();
	if (!victim)
		return;
	atomic_store(&s->pending, 1);
	s->pause = s->pause ? s->pause : FIRST_PAUSE;
	s->not_before = now + s->pause;
	s->pause = 2 * s->pause < LAST_PAUSE ? 2 * s->pause : LAST_PAUSE;
	s->work.run = answer;
	vr_pe_post(victim->id, &s->work);
}

int vr_steal_try(void)
{
	if (vr_stealable_take())
		return 1;
	ask();
	return 0;
}

void vr_steal_came(uint64_t since)
{
	struct vr_steal *s = &vr_pe->steal;
	s->stolen++;
	s->steals++;
	s->latency += vr_ticks() - since;
}

void vr_steal_over(int32_t thief, int has_come)
{
	struct vr_steal *s = &vr_job->pe[thief].steal;
	if (has_come) {
		s->stolen++;
		s->steals += s->is_first;
		s->latency += s->is_first ? vr_ticks() - s->answered_at : 0;
		s->is_first = 0;
		s->pause = s->not_before = 0;
	}
	atomic_fetch_sub(&s->pending, 1);
}

int vr_steal_is_question(const struct vr_work *w)
{
	return w->run == answer;
}

/* ---- the victim ---- */

uint64_t vr_likely_run(const struct vr_rank *r)
{
	return r->switches ? r->counters.user_ticks / r->switches : 0;
}

int vr_steal_may_go(const struct vr_context *c)
{
	const struct vr_rank *r = c->rank;
	return c == &r->context && r->mpi_state == VR_MPI_RUNNING && c->need == 0 && !vr_move_unasked(r);
}

/* Those behind the first of the queue that can go, and how long they are likely to take. */
static int candidates(uint64_t *work)
{
	int n = 0;
	*work = 0;
	for (const struct vr_context *c = vr_pe->head ? vr_pe->head->run_next : NULL; c; c = c->run_next)
		if (vr_steal_may_go(c)) {
			n++;
			*work += vr_likely_run(c->rank);
		}
	return n;
}

/* Order the last `n` of `of` candidates, which would wait longest, to go to the thief. */
static int give(int32_t thief, int n, int of)
{
	int given = 0;
	for (struct vr_context *c = vr_pe->head->run_next; c && n; c = c->run_next) {
		if (!vr_steal_may_go(c) || of-- > n)
			continue;
		given += !vr_move_give(c->rank, thief);
		n--;
	}
	return given;
}

static void answer(struct vr_work *w)
{
	struct vr_pe *thief = (struct vr_pe *)((char *)w - offsetof(struct vr_pe, steal.work));
	uint64_t work;
	int n = candidates(&work), given = 0;
	thief->steal.answered_at = vr_ticks();
	thief->steal.is_first = 1;
	if (*(volatile uint64_t *)&thief->idle_since && n && work > 2 * vr_steal_policy.cost)
		given = give(thief->id, vr_steal_policy.half ? (n + 1) / 2 : 1, n);
	atomic_fetch_add(&thief->steal.pending, given - 1);
}
