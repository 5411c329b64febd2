/* Counting messages by receiver: see traffic.h. */
#include "vrank/p2p/traffic.h"
#include "vrank/core/job.h"
#include "vrank/core/rank_memory.h"

#define FIRST_ROOM 16

int vr_traffic_on;

static struct vr_peer *find_peer(struct vr_traffic *t, int32_t to)
{
	uint32_t i = (uint32_t)to * 0x9e3779b1u;
	while (t->peer[i & (t->room - 1)].is_used && t->peer[i & (t->room - 1)].rank != to)
		i++;
	return &t->peer[i & (t->room - 1)];
}

/* The old table is freed while another worker may read it: it stays mapped, and what is read of it then is not used (Go looks whether
 * it makes sense). */
static struct vr_traffic *grow(struct vr_rank *r, struct vr_traffic *old)
{
	uint32_t room = old ? 2 * old->room : FIRST_ROOM;
	struct vr_traffic *t = vr_rank_calloc(r, 1, sizeof *t + room * sizeof *t->peer);
	if (!t)
		return old;
	t->room = room;
	for (uint32_t i = 0; old && i < old->room; i++)
		if (old->peer[i].is_used) {
			*find_peer(t, old->peer[i].rank) = old->peer[i];
			t->used++;
		}
	atomic_store(&r->traffic, t);
	vr_rank_free(r, old);
	return t;
}

void vr_traffic_add(struct vr_rank *r, int32_t to, int64_t bytes)
{
	struct vr_traffic *t = atomic_load_explicit(&r->traffic, memory_order_relaxed);
	if (!t || 2 * t->used >= t->room)
		t = grow(r, t);
	if (!t || t->used + 1 >= t->room)
		return; /* its slice is full */
	struct vr_peer *p = find_peer(t, to);
	t->used += !p->is_used;
	p->rank = to;
	p->messages++;
	p->bytes += bytes;
	p->is_used = 1;
}

/* Is this memory of slices? What a rank has damaged may say anything. */
static int in_slices(const void *p, uint64_t n)
{
	uint64_t at = (uint64_t)p - vr_job->slices, all = vr_job->ranks * vr_job->layout.slice_size;
	return at < all && n <= all - at;
}

int vr_traffic_read(const struct vr_rank *r, struct vr_peer *out, int room)
{
	const struct vr_traffic *t = atomic_load(&r->traffic);
	uint32_t size = in_slices(t, sizeof *t) ? *(volatile const uint32_t *)&t->room : 0;
	int n = 0;
	if (size & (size - 1) || size > 2u * vr_job->ranks + 2 * FIRST_ROOM || !in_slices(t, sizeof *t + size * sizeof *t->peer))
		return 0; /* freed meanwhile */
	for (uint32_t i = 0; i < size; i++) {
		struct vr_peer p = t->peer[i];
		if (p.is_used != 1 || p.rank < 0 || p.rank >= vr_job->ranks)
			continue;
		if (n < room)
			out[n] = p;
		n++;
	}
	return n;
}
