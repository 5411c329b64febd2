/* Work that PEs post to a PE which sleeps in between: none may be lost, nor the call that wakes it. */
#include "vrank/internal/coretest/process.h"

#include <sched.h>

#include "vrank/core/inbox.h"
#include "vrank/core/pe_thread.h"
#include "vrank/core/schedule.h"

struct piece {
	struct vr_work work;
	int pe, number;
	_Atomic int done;
};

struct post_storm {
	int each;
	struct piece pieces[];
};

static int next[VR_MAX_PES], total, expected;
static const char *wrong;

static void run(struct vr_work *w)
{
	struct piece *p = (struct piece *)w;
	if (p->number != next[p->pe]++ && !wrong)
		wrong = ct_text("piece %d of worker %d came when %d was due", p->number, p->pe, next[p->pe] - 1);
	if (++total == expected || wrong)
		vr_stop();
	atomic_store(&p->done, 1);
}

static const char *take(const struct post_storm *s)
{
	expected = s->each * (vr_job->pes - 1);
	enum vr_reason why = vr_pe_run(NULL);
	if (wrong || why != VR_STOPPED)
		return wrong ? wrong : ct_text("the loop came back for reason %d after %d pieces", why, total);
	return total == expected ? NULL : ct_text("%d of %d pieces came", total, expected);
}

static void pause_for(uint64_t ticks)
{
	for (uint64_t until = vr_ticks() + ticks; vr_ticks() < until;)
		__builtin_ia32_pause();
}

/* With pauses about as long as the receiver takes to fall asleep. Most pieces are waited for before the next is posted:
 * only then does nobody else wake a receiver that this piece should have woken. */
static const char *post(int pe, struct post_storm *s)
{
	for (int i = 0; i < s->each; i++) {
		struct piece *p = &s->pieces[(pe - 1) * s->each + i];
		uint64_t random = ct_mix(pe * 1000003ull + i);
		*p = (struct piece){.work.run = run, .pe = pe, .number = i};
		vr_pe_post(0, &p->work);
		while (random % 8 && !atomic_load(&p->done) && !atomic_load(&vr_job->stop))
			sched_yield();
		pause_for(random >> 8 & 8191);
	}
	return NULL;
}

static const char *worker(int pe, void *arg)
{
	return pe ? post(pe, arg) : take(arg);
}

const char *ct_post_storm(int each)
{
	size_t size = sizeof(struct post_storm) + sizeof(struct piece) * each * vr_job->pes;
	struct post_storm *s = vr_arena_alloc(size);
	if (!s)
		return "no memory";
	s->each = each;
	const char *text = ct_processes(worker, s);
	vr_arena_free(s, size);
	return text;
}
