/* Requests of a rank: an array in its slice, so that a handle is an index, and the free list through it. */
#include "vrank/p2p/p2p.h"

#include <stdio.h>

#include "vrank/core/access.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/schedule.h"

/* Whether the array has no room for one more. */
static int is_full(const struct vr_rank *rank)
{
	return (rank->nrequests + 1ull) * sizeof(struct vr_request) > vr_job->layout.requests_size;
}

struct vr_request *vr_request_new(struct vr_rank *rank)
{
	uint32_t index = rank->nrequests;
	if (is_full(rank) || (index >= VR_NEAR_REQUESTS && vr_access_requests(rank, (index + 1ull) * sizeof(struct vr_request))))
		return NULL;
	struct vr_request *r = vr_request_at(rank, index);
	rank->nrequests++;
	r->index = index;
	r->rank = rank;
	return r;
}

const char *vr_why_full(const struct vr_rank *r)
{
	static char text[160];
	const struct vr_layout *l = &vr_job->layout;
	if (r->free_requests || !is_full(r))
		snprintf(text, sizeof text, "the rank's slice is full: raise +slice, now %llu MiB", (unsigned long long)l->slice_size >> 20);
	else if (l->requests_size < VR_REQUESTS_MAX)
		snprintf(text, sizeof text, "the rank has %u open requests, and a slice of %llu MiB has no room for more: raise +slice", r->live_requests,
			 (unsigned long long)l->slice_size >> 20);
	else
		snprintf(text, sizeof text, "the rank has %u open requests, and there are no handles for more", r->live_requests);
	return text;
}

void vr_type_release(struct vr_type *t, struct vr_rank *r)
{
	if (--t->refs)
		return;
	vr_rank_free(r, t->loops);
	vr_rank_free(r, t);
}

/* For the deadlock report: what the first pending request is about. */
static void describe(struct vr_context *me, const struct vr_request *r, int64_t need)
{
	me->wait.peer = r->peer;
	me->wait.tag = r->tag;
	me->wait.context = r->context;
	me->wait.count = need;
	me->wait.members = 0;
}

/* Marks the pending ones; returns how many there are. */
static int64_t mark(struct vr_context *me, struct vr_request **r, int64_t n, const struct vr_request **first)
{
	int64_t pending = 0;
	for (int64_t i = 0; i < n; i++) {
		if (!r[i] || (r[i]->flags & VR_RQ_DONE))
			continue;
		r[i]->flags |= VR_RQ_WAITED;
		r[i]->waiter = me;
		if (!pending++)
			*first = r[i];
	}
	return pending;
}

static void unmark(struct vr_request **r, int64_t n)
{
	for (int64_t i = 0; i < n; i++)
		if (r[i])
			r[i]->flags &= ~VR_RQ_WAITED;
}

static int64_t count(struct vr_request **r, int64_t n)
{
	int64_t real = 0;
	for (int64_t i = 0; i < n; i++)
		real += r[i] != NULL;
	return real;
}

void vr_request_wait(struct vr_request **r, int64_t n, int64_t need)
{
	struct vr_context *me = vr_context;
	const struct vr_request *first = NULL;
	vr_progress();
	int64_t real = n == 1 ? 1 : count(r, n), pending = mark(me, r, n, &first);
	int64_t missing = need - (real - pending);
	if (missing > 0) {
		describe(me, first, missing);
		me->need = missing;
		vr_rank_block();
		me->need = 0;
	}
	if (pending && n > 1)
		unmark(r, n);
	else if (pending)
		r[0]->flags &= ~VR_RQ_WAITED;
}
