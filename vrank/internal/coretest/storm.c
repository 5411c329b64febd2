/* Ranks that send to one another from several processes: every rank sends `each` messages to every rank, itself included,
 * in random order; a receiver knows from (source, dest, number) what must arrive next from each source. Ranks with even
 * numbers receive into requests that they post ahead, the others take what they probe. */
#include "vrank/internal/coretest/process.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "vrank/core/errors.h"
#include "vrank/core/inbox.h"
#include "vrank/core/rank_memory.h"
#include "vrank/p2p/p2p.h"

#define RANKS 64 /* at most */
#define POSTED 8
#define SENDING 4
#define CONTEXT 2
#define HEADER 12

struct slot {
	struct vr_request *request;
	char *in_slice, *outside; /* buffers: one that other workers can read, one that they cannot */
};

struct side {
	struct vr_rank *rank;
	uint64_t random;
	int sent[RANKS], got[RANKS];
	int to_send, to_post, to_get;
	struct slot sends[SENDING], receives[POSTED];
	int oldest; /* of the posted ones */
};

static const struct ct_storm *storm;

static uint64_t traits(int source, int dest, int number)
{
	return ct_mix(storm->seed + ((uint64_t)source << 48 | (uint64_t)dest << 32 | (uint64_t)number));
}

/* Half of the messages fit into an envelope, one in eight is as long as they get. */
static int64_t length(uint64_t traits)
{
	static const int64_t most[8] = {VR_INLINE, VR_INLINE, VR_INLINE, VR_INLINE, 600, 600, VR_EAGER_MAX, 0};
	int64_t limit = most[traits & 7] ? most[traits & 7] : storm->most;
	return HEADER + (int64_t)(traits >> 8) % (limit - HEADER + 1);
}

static void fill(char *p, int source, int dest, int number, int64_t n)
{
	int32_t header[] = {source, dest, number};
	memcpy(p, header, HEADER);
	for (int64_t i = HEADER; i < n; i++)
		p[i] = (char)(source * 31 + dest * 7 + number + i);
}

static int is_filled(const char *p, int source, int dest, int number, int64_t n)
{
	for (int64_t i = HEADER; i < n; i++)
		if (p[i] != (char)(source * 31 + dest * 7 + number + i))
			return 0;
	return 1;
}

static int tag_of(int number)
{
	return number % 7;
}

/* ---- sending ---- */

static struct slot *idle_slot(struct side *s)
{
	for (int i = 0; i < SENDING; i++) {
		struct slot *slot = &s->sends[i];
		if (slot->request && (slot->request->flags & VR_RQ_DONE)) {
			vr_request_free(slot->request);
			slot->request = NULL;
		}
		if (!slot->request)
			return slot;
	}
	return NULL;
}

static int pick_dest(struct side *s)
{
	int dest;
	do
		dest = (int)(ct_mix(s->random++) % vr_job->ranks);
	while (s->sent[dest] == storm->each);
	return dest;
}

static const char *send_one(struct side *s)
{
	struct slot *slot = s->to_send ? idle_slot(s) : NULL;
	if (!slot)
		return NULL;
	int me = s->rank->id, dest = pick_dest(s), number = s->sent[dest]++;
	uint64_t is = traits(me, dest, number);
	struct vr_message m = {.buf = is & 0x1000000000 ? slot->in_slice : slot->outside, .count = length(is), .type = vr_type_predefined(VR_MPI_BYTE),
			       .context = CONTEXT, .source = me, .dest = dest, .dest_world = dest, .tag = tag_of(number),
			       .mode = is >> 40 & 15 ? VR_STANDARD : VR_SYNCHRONOUS};
	fill((char *)m.buf, me, dest, number, m.count);
	s->to_send--;
	slot->request = vr_send_start(&m);
	if (slot->request == VR_NO_MEMORY)
		return ct_text("rank %d: no memory to send", me);
	return NULL;
}

/* ---- receiving ---- */

static const char *check(struct side *s, const struct vr_request *r)
{
	const char *p = r->buf;
	int32_t header[3];
	int me = s->rank->id, source = r->source;
	memcpy(header, p, HEADER);
	if (source < 0 || source >= vr_job->ranks || header[0] != source || header[1] != me)
		return ct_text("rank %d: a message of %d to %d came as one of %d", me, header[0], header[1], source);
	int number = s->got[source]++;
	if (header[2] != number)
		return ct_text("rank %d: message %d of rank %d came when %d was due", me, header[2], source, number);
	if (r->got_tag != tag_of(number) || r->bytes != length(traits(source, me, number)) || r->error)
		return ct_text("rank %d: message %d of rank %d has tag %d, %d bytes, error %d", me, number, source, r->got_tag, (int)r->bytes, r->error);
	if (!is_filled(p, source, me, number, r->bytes))
		return ct_text("rank %d: message %d of rank %d, %d bytes, is damaged", me, number, source, (int)r->bytes);
	s->to_get--;
	return NULL;
}

static struct vr_request *new_receive(struct side *s, char *buf)
{
	struct vr_request *r = vr_request_alloc(s->rank, VR_REQ_RECV);
	r->context = CONTEXT;
	r->peer = -1;
	r->tag = -2;
	r->buf = buf;
	r->type = vr_type_predefined(VR_MPI_BYTE);
	r->count = storm->most;
	return r;
}

static void post_all(struct side *s)
{
	for (int i = 0; i < POSTED && s->to_post; i++) {
		struct slot *slot = &s->receives[(s->oldest + i) % POSTED];
		if (slot->request)
			continue;
		slot->request = new_receive(s, slot->in_slice);
		s->to_post--;
		vr_recv_start(slot->request);
	}
}

static const char *receive_posted(struct side *s)
{
	struct slot *slot = &s->receives[s->oldest];
	vr_progress();
	if (!slot->request || !(slot->request->flags & VR_RQ_DONE))
		return NULL;
	const char *wrong = check(s, slot->request);
	vr_request_free(slot->request);
	slot->request = NULL;
	s->oldest = (s->oldest + 1) % POSTED;
	post_all(s);
	return wrong;
}

static const char *receive_probed(struct side *s)
{
	struct vr_env *e = vr_probe_now(CONTEXT, -1, -2);
	if (!e)
		return NULL;
	struct vr_request *r = new_receive(s, s->receives[0].in_slice);
	vr_match_remove_unexpected(&s->rank->matcher, e);
	vr_recv_message(r, e);
	const char *wrong = check(s, r);
	vr_request_free(r);
	return wrong;
}

/* ---- a worker ---- */

static int buffers(struct side *s, struct slot *slot)
{
	slot->in_slice = vr_rank_alloc(s->rank, storm->most);
	slot->outside = malloc(storm->most);
	return slot->in_slice && slot->outside;
}

static const char *start(struct side *s, int id)
{
	int ok = 1;
	*s = (struct side){.rank = vr_rank_of(id), .random = ct_mix(storm->seed + id) & ~0xffffffull};
	s->to_send = s->to_get = storm->each * vr_job->ranks;
	s->to_post = id % 2 ? 0 : s->to_get;
	for (int i = 0; i < SENDING; i++)
		ok &= buffers(s, &s->sends[i]);
	for (int i = 0; i < POSTED; i++)
		ok &= buffers(s, &s->receives[i]);
	if (!ok)
		return "no memory for buffers";
	vr_current = s->rank;
	post_all(s);
	return NULL;
}

static int sends_pending(struct side *s)
{
	int n = 0;
	for (int i = 0; i < SENDING; i++)
		n += s->sends[i].request && !(s->sends[i].request->flags & VR_RQ_DONE);
	return n;
}

static const char *step(struct side *s)
{
	vr_current = s->rank;
	const char *wrong = send_one(s);
	if (!wrong && s->to_get)
		wrong = s->rank->id % 2 ? receive_probed(s) : receive_posted(s);
	return wrong;
}

static int is_done(struct side *s)
{
	return !s->to_send && !s->to_get && !sends_pending(s);
}

static const char *finish(struct side *s)
{
	const struct vr_rank *r = s->rank;
	vr_current = s->rank;
	for (int i = 0; i < SENDING; i++)
		if (s->sends[i].request)
			vr_request_free(s->sends[i].request);
	if (r->matcher.nposted || r->matcher.nunexpected || r->matcher.nwildcards || atomic_load(&r->inbox))
		return ct_text("rank %d: posted %u, unexpected %u are left", r->id, r->matcher.nposted, r->matcher.nunexpected);
	return r->live_requests ? ct_text("rank %d: %u requests are left", r->id, r->live_requests) : NULL;
}

/* Every so often the worker lets another of its inboxes be watched, or none. */
static void look_around(struct side *s, int n, uint64_t round)
{
	uint64_t pick = ct_mix(storm->seed + round) % 64;
	if (pick <= (uint64_t)n)
		vr_pe_watch(pick < (uint64_t)n ? s[pick].rank : NULL);
	if (!vr_pe_poll() && round % 4 == 0)
		sched_yield();
}

static const char *worker(int pe, void *arg)
{
	static struct side side[RANKS];
	const char *wrong = NULL;
	int n = 0, busy = 1;
	storm = arg;
	for (int id = 0; id < vr_job->ranks && !wrong; id++)
		if (vr_is_mine(vr_rank_of(id)))
			wrong = start(&side[n++], id);
	for (uint64_t round = 0; busy && !wrong; round++) {
		busy = 0;
		for (int i = 0; i < n && !wrong; i++) {
			wrong = step(&side[i]);
			busy |= !is_done(&side[i]);
		}
		look_around(side, n, round);
	}
	for (int i = 0; i < n && !wrong; i++)
		wrong = finish(&side[i]);
	return wrong;
}

const char *ct_storm(const struct ct_storm *s)
{
	return vr_job->ranks > RANKS ? "too many ranks" : ct_processes(worker, (void *)s);
}
