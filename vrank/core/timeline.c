/* Recording a timeline: see timeline.h. */
#include "vrank/core/timeline.h"
#include "vrank/core/job.h"

struct vr_timeline_limit vr_timeline_limit;
int vr_timeline_on;

uint64_t vr_timeline_size(void)
{
	return (sizeof(struct vr_timeline) + 4095) & ~4095ull;
}

void vr_timeline_begin(void)
{
	struct vr_timeline *t = vr_pe->timeline;
	atomic_store(&t->tail, atomic_load(&t->head)); /* what a job that goes on did before it was saved is not read */
	t->renew_at = 0;
	t->has_many = 0;
	t->unrecorded = t->lost = 0;
	t->flows_before = t->flows;
	atomic_store(&t->rank, -1);
	vr_timeline_on = 1;
}

/* ---- the ring ---- */

static uint64_t room(const struct vr_timeline *t)
{
	uint64_t used = atomic_load_explicit(&t->head, memory_order_relaxed) - atomic_load_explicit(&t->tail, memory_order_acquire);
	return used < VR_MOMENTS ? VR_MOMENTS - used : 0;
}

static void put(struct vr_timeline *t, const struct vr_moment *m)
{
	uint64_t head = atomic_load_explicit(&t->head, memory_order_relaxed);
	t->moment[head % VR_MOMENTS] = *m;
	atomic_store_explicit(&t->head, head + 1, memory_order_release);
}

/* ---- runs ---- */

static void renew(struct vr_timeline *t, uint64_t now)
{
	if (now < t->renew_at)
		return;
	t->renew_at = now + vr_timeline_limit.quantum;
	t->runs = vr_timeline_limit.runs;
	t->messages = vr_timeline_limit.messages;
}

/* Short runs leave half of a quantum's runs to long ones, of which there cannot be more. */
static int may_record(struct vr_timeline *t, uint64_t length)
{
	int32_t kept = length >= vr_timeline_limit.long_run ? 0 : vr_timeline_limit.runs / 2;
	return t->runs > kept && room(t) > VR_MOMENTS_SPARE + 1;
}

static void flush_many(struct vr_timeline *t)
{
	put(t, &t->many);
	t->has_many = 0;
}

static void add(struct vr_timeline *t, const struct vr_moment *m)
{
	if (!t->has_many) {
		t->many = (struct vr_moment){.kind = VR_MOMENT_MANY, .at = m->at, .rank = -1, .peer = -1, .fn = -1};
		t->has_many = 1;
	}
	t->many.length = m->at + m->length - t->many.at;
	if (m->kind == VR_MOMENT_RUN) {
		t->many.flow += m->length;
		t->many.amount++;
	}
}

static void record(const struct vr_moment *m)
{
	struct vr_timeline *t = vr_pe->timeline;
	renew(t, m->at + m->length);
	if (!may_record(t, m->length)) {
		add(t, m);
		return;
	}
	if (t->has_many)
		flush_many(t);
	put(t, m);
	t->runs--;
}

void vr_timeline_switch(const struct vr_context *from, const struct vr_context *to, uint64_t now)
{
	struct vr_timeline *t = vr_pe->timeline;
	if (from) {
		int blocked = atomic_load_explicit(&from->state, memory_order_relaxed) == VR_BLOCKED;
		record(&(struct vr_moment){.kind = VR_MOMENT_RUN, .at = from->resumed_at, .length = now - from->resumed_at,
			.rank = from->rank->id, .peer = -1, .fn = blocked ? from->wait.fn : -1});
	}
	t->since = now;
	atomic_store_explicit(&t->rank, to ? to->rank->id : -1, memory_order_release);
}

void vr_timeline_idle(uint64_t since, uint64_t now)
{
	record(&(struct vr_moment){.kind = VR_MOMENT_IDLE, .at = since, .length = now - since, .rank = -1, .peer = -1, .fn = -1});
	atomic_store_explicit(&vr_pe->timeline->rank, -1, memory_order_relaxed);
}

/* ---- messages ---- */

uint64_t vr_timeline_sent(const struct vr_rank *from, int32_t to, int64_t bytes)
{
	struct vr_timeline *t = vr_pe->timeline;
	uint64_t now = vr_ticks();
	renew(t, now);
	if (t->messages <= 0 || room(t) <= VR_MOMENTS_SPARE) {
		t->unrecorded++;
		return 0;
	}
	t->messages--;
	uint64_t flow = (uint64_t)(vr_pe->id + 1) << 48 | ++t->flows;
	put(t, &(struct vr_moment){.kind = VR_MOMENT_SENT, .at = now, .flow = flow, .amount = bytes, .rank = from->id, .peer = to, .fn = -1});
	return flow;
}

/* A message that was sent before the job was saved is in no timeline of this run. */
static int is_old(uint64_t flow)
{
	int pe = (int)(flow >> 48) - 1;
	return pe >= vr_job->pes || (flow & ~(0xffffull << 48)) <= vr_job->pe[pe].timeline->flows_before;
}

/* Those that arrive are as many as those that others record as sent; there is room for them unless all send to one PE. */
void vr_timeline_received(const struct vr_rank *r, uint64_t flow, int64_t bytes)
{
	struct vr_timeline *t = vr_pe->timeline;
	if (room(t) > VR_MOMENTS_SPARE && !is_old(flow))
		put(t, &(struct vr_moment){.kind = VR_MOMENT_RECEIVED, .at = vr_ticks(), .flow = flow, .amount = bytes, .rank = r->id, .peer = -1, .fn = -1});
}

/* ---- moves ---- */

static void put_move(enum vr_moment_kind kind, const struct vr_rank *r, int32_t pe)
{
	struct vr_timeline *t = vr_pe->timeline;
	if (!room(t)) {
		t->lost++;
		return;
	}
	put(t, &(struct vr_moment){.kind = kind, .at = vr_ticks(), .flow = r->counters.moves, .rank = r->id, .peer = pe, .fn = -1});
}

void vr_timeline_left(const struct vr_rank *r, int32_t to)
{
	put_move(VR_MOMENT_LEFT, r, to);
}

void vr_timeline_came(const struct vr_rank *r)
{
	put_move(VR_MOMENT_CAME, r, vr_pe->id);
}

/* ---- reading ---- */

/* The PE's process may have written anything into its memory: a count that cannot be is passed over. */
int vr_timeline_read(int pe, struct vr_moment *out, int n)
{
	struct vr_timeline *t = vr_job->pe[pe].timeline;
	uint64_t head = atomic_load_explicit(&t->head, memory_order_acquire), tail = atomic_load_explicit(&t->tail, memory_order_relaxed);
	int got = 0;
	if (head - tail > VR_MOMENTS)
		tail = head;
	for (; tail != head && got < n; tail++)
		out[got++] = t->moment[tail % VR_MOMENTS];
	atomic_store_explicit(&t->tail, tail, memory_order_release);
	return got;
}

int vr_timeline_rest(int pe, uint64_t now, struct vr_moment *out)
{
	struct vr_timeline *t = vr_job->pe[pe].timeline;
	uint64_t idle = vr_job->pe[pe].idle_since;
	int32_t rank = atomic_load_explicit(&t->rank, memory_order_acquire);
	int n = 0;
	if (t->has_many)
		out[n++] = t->many;
	t->has_many = 0;
	if (idle && now > idle)
		out[n++] = (struct vr_moment){.kind = VR_MOMENT_IDLE, .at = idle, .length = now - idle, .rank = -1, .peer = -1, .fn = -1};
	else if (rank >= 0 && rank < vr_job->ranks && now > t->since)
		out[n++] = (struct vr_moment){.kind = VR_MOMENT_RUN, .at = t->since, .length = now - t->since, .rank = rank, .peer = -1, .fn = -1};
	atomic_store_explicit(&t->rank, -1, memory_order_relaxed);
	return n;
}
