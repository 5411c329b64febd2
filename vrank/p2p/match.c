/* Matching of one rank, see match.h. Runs on any stack of the worker that owns the rank. */
#include "vrank/p2p/match.h"
#include "vrank/core/rank_memory.h"

#define ANY_SOURCE (-1)
#define ANY_TAG (-2)
#define BUCKETS_MAX 65536

static uint32_t bucket(const struct vr_matcher *m, uint32_t context, int32_t source, int32_t tag)
{
	uint64_t h = ((uint64_t)context << 32 ^ (uint64_t)(uint32_t)source << 16 ^ (uint32_t)tag) * 0x9e3779b97f4a7c15u;
	return (uint32_t)(h >> 40) & (m->buckets - 1);
}

static int takes(const struct vr_request *r, uint32_t context, int32_t source, int32_t tag)
{
	return r->context == context && (r->peer == source || r->peer == ANY_SOURCE) && (r->tag == tag || r->tag == ANY_TAG);
}

static int is_wildcard(const struct vr_request *r)
{
	return r->peer == ANY_SOURCE || r->tag == ANY_TAG;
}

void vr_match_init(struct vr_matcher *m)
{
	m->buckets = VR_BUCKETS;
	m->posted = m->first_posted;
	m->unexpected = m->first_unexpected;
}

static void posted_append(struct vr_posted *q, struct vr_request *r)
{
	r->next = NULL;
	r->prev = q->tail;
	*(q->tail ? &q->tail->next : &q->head) = r;
	q->tail = r;
}

static void posted_remove(struct vr_posted *q, struct vr_request *r)
{
	*(r->prev ? &r->prev->next : &q->head) = r->next;
	*(r->next ? &r->next->prev : &q->tail) = r->prev;
}

static void bucket_append(struct vr_unexpected *q, struct vr_env *e)
{
	e->bucket_next = NULL;
	e->bucket_prev = q->tail;
	*(q->tail ? &q->tail->bucket_next : &q->head) = e;
	q->tail = e;
}

static void bucket_remove(struct vr_unexpected *q, struct vr_env *e)
{
	*(e->bucket_prev ? &e->bucket_prev->bucket_next : &q->head) = e->bucket_next;
	*(e->bucket_next ? &e->bucket_next->bucket_prev : &q->tail) = e->bucket_prev;
}

static struct vr_posted *posted_queue(struct vr_matcher *m, const struct vr_request *r)
{
	return is_wildcard(r) ? &m->wildcards : &m->posted[bucket(m, r->context, r->peer, r->tag)];
}

static struct vr_unexpected *unexpected_queue(struct vr_matcher *m, const struct vr_env *e)
{
	return &m->unexpected[bucket(m, e->node.context, e->source, e->tag)];
}

/* Buckets keep the order of their members, so rehashing walks each old bucket from its head. */
static void rehash(struct vr_matcher *m, struct vr_posted *posted, struct vr_unexpected *unexpected, uint32_t n)
{
	uint32_t old = m->buckets;
	struct vr_posted *old_posted = m->posted;
	struct vr_unexpected *old_unexpected = m->unexpected;
	m->buckets = n;
	m->posted = posted;
	m->unexpected = unexpected;
	for (uint32_t i = 0; i < old; i++) {
		for (struct vr_request *r = old_posted[i].head, *next; r; r = next) {
			next = r->next;
			posted_append(posted_queue(m, r), r);
		}
		for (struct vr_env *e = old_unexpected[i].head, *next; e; e = next) {
			next = e->bucket_next;
			bucket_append(unexpected_queue(m, e), e);
		}
	}
}

/* A table four times as large, once queues hold four a bucket; without memory for it, matching stays right but slower. */
static void grow(struct vr_matcher *m)
{
	uint32_t n = m->buckets * 4;
	struct vr_rank *rank = (struct vr_rank *)((char *)m - offsetof(struct vr_rank, matcher));
	if (n > BUCKETS_MAX)
		return;
	struct vr_posted *posted = vr_rank_calloc(rank, n, sizeof *posted + sizeof(struct vr_unexpected));
	if (!posted)
		return;
	void *old = m->posted == m->first_posted ? NULL : m->posted;
	rehash(m, posted, (struct vr_unexpected *)(posted + n), n);
	vr_rank_free(rank, old);
}

struct vr_request *vr_match_posted(struct vr_matcher *m, uint32_t context, int32_t source, int32_t tag)
{
	struct vr_request *r = NULL, *w = NULL;
	if (m->nposted > m->nwildcards)
		for (r = m->posted[bucket(m, context, source, tag)].head; r; r = r->next)
			if (r->context == context && r->peer == source && r->tag == tag)
				break;
	for (w = m->wildcards.head; w; w = w->next)
		if (takes(w, context, source, tag))
			break;
	if (w && (!r || w->sequence < r->sequence))
		r = w;
	if (r)
		vr_match_unpost(m, r);
	return r;
}

static struct vr_env *find_exact(struct vr_matcher *m, uint32_t context, int32_t source, int32_t tag)
{
	for (struct vr_env *e = m->unexpected[bucket(m, context, source, tag)].head; e; e = e->bucket_next)
		if (e->node.context == context && e->source == source && e->tag == tag)
			return e;
	return NULL;
}

struct vr_env *vr_match_find_unexpected(struct vr_matcher *m, uint32_t context, int32_t source, int32_t tag)
{
	if (source != ANY_SOURCE && tag != ANY_TAG)
		return find_exact(m, context, source, tag);
	for (struct vr_env *e = m->order.head; e; e = e->arrival_next)
		if (e->node.context == context && (source == ANY_SOURCE || e->source == source) && (tag == ANY_TAG || e->tag == tag))
			return e;
	return NULL;
}

void vr_match_post(struct vr_matcher *m, struct vr_request *r)
{
	if (vr_unlikely(m->nposted > 4 * m->buckets))
		grow(m);
	r->sequence = m->sequence++;
	r->flags |= VR_RQ_POSTED;
	m->nposted++;
	m->nwildcards += is_wildcard(r);
	posted_append(posted_queue(m, r), r);
}

void vr_match_unpost(struct vr_matcher *m, struct vr_request *r)
{
	r->flags &= ~VR_RQ_POSTED;
	m->nposted--;
	m->nwildcards -= is_wildcard(r);
	posted_remove(posted_queue(m, r), r);
}

void vr_match_enqueue_unexpected(struct vr_matcher *m, struct vr_env *e)
{
	if (vr_unlikely(m->nunexpected > 4 * m->buckets))
		grow(m);
	m->nunexpected++;
	bucket_append(unexpected_queue(m, e), e);
	e->arrival_next = NULL;
	e->arrival_prev = m->order.tail;
	*(m->order.tail ? &m->order.tail->arrival_next : &m->order.head) = e;
	m->order.tail = e;
}

void vr_match_remove_unexpected(struct vr_matcher *m, struct vr_env *e)
{
	m->nunexpected--;
	bucket_remove(unexpected_queue(m, e), e);
	*(e->arrival_prev ? &e->arrival_prev->arrival_next : &m->order.head) = e->arrival_next;
	*(e->arrival_next ? &e->arrival_next->arrival_prev : &m->order.tail) = e->arrival_prev;
}
