/* Point-to-point, see p2p.h.
 *
 * Ranks of one PE meet directly: the sender looks into the receiver's queues and copies once. Between workers an envelope
 * goes through the receiver's inbox, with its payload (eager) or with the address of the sender's buffer (rendezvous),
 * which the receiver copies from and then acknowledges. */
#include "vrank/p2p/p2p.h"

#include <string.h>

#include "vrank/core/access.h"
#include "vrank/core/errors.h"
#include "vrank/core/inbox.h"
#include "vrank/core/pool.h"
#include "vrank/core/progress_hook.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/schedule.h"
#include "vrank/core/timeline.h"
#include "vrank/core/tls.h"
#include "vrank/p2p/active.h"
#include "vrank/p2p/traffic.h"

/* ---- copying ---- */

static int64_t capacity(const struct vr_request *r)
{
	return r->count * r->type->size;
}

void vr_data_copy(const struct vr_data *to, const struct vr_data *from, int64_t bytes)
{
	vr_type_copy((struct vr_data){vr_live(to->buf), to->count, to->type}, (struct vr_data){vr_live(from->buf), from->count, from->type}, bytes);
}

/* Data that end inside of an element are of another type: noticed where they are unpacked anyway. */
static void check_whole(struct vr_request *r, int64_t bytes)
{
	uint32_t size = r->type->kind_size;
	if (vr_unlikely(size > 1 && bytes % size) && !r->error)
		r->error = MPI_ERR_TYPE;
}

/* From the sender's buffer into the receiver's, which this worker owns. */
static void copy_typed(struct vr_request *r, const struct vr_env *e, int64_t bytes)
{
	vr_data_copy(&(struct vr_data){r->buf, r->count, r->type}, &(struct vr_data){(void *)e->buf, e->count, e->type}, bytes);
}

static void copy_packed(struct vr_request *r, const void *data, int64_t bytes)
{
	int64_t to;
	if (vr_type_is_dense(r->type, r->count, &to)) {
		memcpy((char *)vr_live(r->buf) + to, data, bytes);
		return;
	}
	check_whole(r, bytes);
	vr_type_unpack(r->type, r->count, vr_live(r->buf), data, bytes);
}

static void pack(void *to, const struct vr_message *m, int64_t bytes)
{
	int64_t from;
	if (vr_type_is_dense(m->type, m->count, &from))
		memcpy(to, (const char *)m->buf + from, bytes);
	else
		vr_type_pack(m->type, m->count, m->buf, to, bytes);
}

/* ---- completing ---- */

/* A request has completed that a context waits for, and others perhaps. */
static void one_complete(struct vr_context *waiter)
{
	if (waiter->need && --waiter->need == 0)
		vr_rank_ready(waiter);
}

static void over(struct vr_request *r)
{
	if (r->flags & VR_RQ_HOOK)
		((struct vr_hook *)r->extra)->completed(r);
	else
		vr_request_free(r);
}

void vr_request_complete(struct vr_request *r)
{
	r->flags |= VR_RQ_DONE;
	if (r->flags & VR_RQ_OWNS_BUFFER) {
		vr_rank_free(r->rank, r->buf);
		r->flags &= ~VR_RQ_OWNS_BUFFER;
	}
	if (r->flags & VR_RQ_WAITED) {
		r->flags &= ~VR_RQ_WAITED;
		one_complete(r->waiter);
	}
	if (vr_unlikely(r->flags & (VR_RQ_ORPHAN | VR_RQ_HOOK)))
		over(r);
}

/* The status of a receive, and how many bytes of the message it takes. */
static int64_t accept(struct vr_request *r, int32_t source, int32_t tag, int64_t bytes)
{
	int64_t room = capacity(r);
	r->source = source;
	r->got_tag = tag;
	r->rank->counters.received++;
	r->rank->counters.received_bytes += bytes;
	if (vr_unlikely(bytes > room)) {
		r->error = MPI_ERR_TRUNCATE;
		bytes = room;
	}
	r->bytes = bytes;
	return bytes;
}

/* The receiver has the data. */
static void acked(struct vr_request *send)
{
	if (vr_unlikely(send->flags & VR_RQ_ASKED))
		send->flags |= VR_RQ_ACKED;
	else
		vr_request_complete(send);
}

void vr_acknowledge(struct vr_request *send)
{
	if (vr_is_mine(send->rank)) {
		acked(send);
		return;
	}
	send->env.node.kind = VR_NODE_ACK;
	vr_inbox_push(send->rank, &send->env.node);
}

/* Messages by how they are counted; larger numbers are of those that the timeline shows. */
enum { UNCOUNTED, COUNTED };

static inline void note_received(const struct vr_rank *r, uint64_t flow, int64_t bytes)
{
	if (flow > COUNTED)
		vr_timeline_received(r, flow, bytes);
}

/* A matched pair: move the data, complete both sides. */
static void receive(struct vr_request *r, struct vr_env *e)
{
	int64_t bytes = accept(r, e->source, e->tag, e->bytes);
	if (vr_unlikely(vr_timeline_on))
		note_received(r->rank, e->flow, e->bytes);
	if (e->node.kind == VR_NODE_EAGER) {
		copy_packed(r, vr_env_data(e), bytes);
		vr_env_free(e);
	} else {
		copy_typed(r, e, bytes);
		vr_acknowledge(e->sender);
	}
	vr_request_complete(r);
}

/* ---- arriving ---- */

/* They look again, and sleep again where it was not for them. */
static void wake_probers(struct vr_rank *r)
{
	struct vr_context *next, *p = r->probing;
	for (r->probing = NULL; p; p = next) {
		next = p->run_next;
		vr_rank_ready(p);
	}
}

static void keep(struct vr_rank *r, struct vr_env *e)
{
	if (vr_unlikely(e->node.context & VR_ACTIVE)) {
		vr_active_handler(r, e);
		return;
	}
	vr_match_enqueue_unexpected(&r->matcher, e);
	if (vr_unlikely(r->probing != NULL))
		wake_probers(r);
}

static void arrive(struct vr_rank *r, struct vr_env *e)
{
	struct vr_request *q = vr_match_arrived(&r->matcher, e->node.context, e->source, e->tag);
	if (q)
		receive(q, e);
	else
		keep(r, e);
}

void vr_p2p_fastbox(struct vr_rank *r, const struct vr_fastbox *fastbox)
{
	struct vr_request *q = vr_match_arrived(&r->matcher, fastbox->context, fastbox->source, fastbox->tag);
	if (vr_likely(q != NULL)) {
		copy_packed(q, fastbox->data, accept(q, fastbox->source, fastbox->tag, fastbox->bytes));
		vr_request_complete(q);
		return;
	}
	struct vr_env *e = vr_env_need(fastbox->bytes);
	e->node.kind = VR_NODE_EAGER;
	e->node.context = fastbox->context;
	e->source = fastbox->source;
	e->tag = fastbox->tag;
	e->bytes = fastbox->bytes;
	e->flow = COUNTED;
	memcpy(vr_env_data(e), fastbox->data, fastbox->bytes);
	keep(r, e);
}

/* ---- taking sends back ---- */

/* A rank on another worker may have the message: ask it. The answer always comes, and until then the request lives, so the
 * question cannot meet another message of the same request. 0 without memory to ask. */
static int ask_back(struct vr_request *send, struct vr_rank *to)
{
	struct vr_env *e = vr_env_alloc(0);
	if (!e)
		return 0;
	e->node.kind = VR_NODE_CANCEL;
	e->sender = send;
	e->bytes = 0;
	send->flags |= VR_RQ_ASKED;
	vr_inbox_push(to, &e->node);
	return 1;
}

static int is_unexpected(struct vr_matcher *m, const struct vr_env *wanted)
{
	struct vr_env *e = m->order.head;
	while (e && e != wanted)
		e = e->arrival_next;
	return e != NULL;
}

/* The question reaches the rank that has, or had, the message. */
static void give_back(struct vr_rank *r, struct vr_env *question)
{
	struct vr_request *send = question->sender;
	if (is_unexpected(&r->matcher, &send->env)) {
		vr_match_remove_unexpected(&r->matcher, &send->env);
		question->bytes = 1;
	}
	question->node.kind = VR_NODE_CANCEL_ANSWER;
	vr_inbox_push(send->rank, &question->node);
}

static void answered(struct vr_env *answer)
{
	struct vr_request *send = answer->sender;
	send->flags &= ~VR_RQ_ASKED;
	if (answer->bytes)
		send->flags |= VR_RQ_CANCELLED;
	vr_env_free(answer);
	if (send->flags & (VR_RQ_CANCELLED | VR_RQ_ACKED))
		vr_request_complete(send);
}

void vr_p2p_handle(struct vr_rank *r, struct vr_node *n)
{
	switch ((enum vr_node_kind)n->kind) {
	case VR_NODE_EAGER:
	case VR_NODE_RENDEZVOUS:
		arrive(r, (struct vr_env *)n);
		break;
	case VR_NODE_ACK:
		acked((struct vr_request *)n);
		break;
	case VR_NODE_CANCEL:
		give_back(r, (struct vr_env *)n);
		break;
	case VR_NODE_CANCEL_ANSWER:
		answered((struct vr_env *)n);
		break;
	case VR_NODE_WAKE:
		vr_rank_ready((struct vr_context *)((char *)n - offsetof(struct vr_context, wake)));
		break;
	case VR_NODE_RUN:
		((struct vr_work *)n)->run((struct vr_work *)n);
		break;
	}
}

static inline void drain_own(struct vr_rank *r)
{
	if (vr_unlikely(atomic_load_explicit(&r->inbox, memory_order_relaxed)))
		vr_inbox_drain(r);
	if (vr_unlikely(r->calls_waiting))
		vr_calls_run(r);
}

void vr_progress(void)
{
	drain_own(vr_current);
}

/* ---- sending ---- */

static inline void fill(struct vr_env *e, enum vr_node_kind kind, const struct vr_message *m, int64_t bytes, uint64_t flow)
{
	e->node.kind = kind;
	e->node.context = m->context;
	e->source = m->source;
	e->tag = m->tag;
	e->bytes = bytes;
	if (vr_unlikely(flow != UNCOUNTED))
		e->flow = flow;
}

/* The receiver waits already: one copy, nothing is queued. */
static __attribute__((always_inline)) inline void send_matched(struct vr_request *q, const struct vr_message *m, int64_t bytes, uint64_t flow)
{
	int64_t from;
	note_received(q->rank, flow, bytes);
	bytes = accept(q, m->source, m->tag, bytes);
	if (vr_likely(vr_type_is_dense(m->type, m->count, &from))) {
		copy_packed(q, (const char *)m->buf + from, bytes);
	} else {
		struct vr_env e = {.buf = m->buf, .type = m->type, .count = m->count};
		copy_typed(q, &e, bytes);
	}
	vr_request_complete(q);
}

static int send_fastbox(struct vr_rank *to, const struct vr_message *m, int64_t bytes)
{
	struct vr_fastbox *fastbox = vr_fastbox_open(to);
	if (!fastbox)
		return 0;
	fastbox->context = m->context;
	fastbox->source = m->source;
	fastbox->tag = m->tag;
	fastbox->bytes = bytes;
	pack(fastbox->data, m, bytes);
	vr_fastbox_send(to);
	return 1;
}

static int send_eager(struct vr_rank *to, const struct vr_message *m, int64_t bytes, int local, uint64_t flow)
{
	struct vr_env *e = vr_env_alloc(bytes);
	if (vr_unlikely(!e))
		return 0;
	fill(e, VR_NODE_EAGER, m, bytes, flow);
	pack(vr_env_data(e), m, bytes);
	if (local)
		keep(to, e);
	else
		vr_inbox_push(to, &e->node);
	return 1;
}

/* Other workers cannot read this buffer, and the receiver is on one or may go there, or the program may change it: send from a packed copy in the slice. */
static int bounce(struct vr_request *r, const struct vr_message *m, int64_t bytes)
{
	void *copy = vr_rank_alloc(r->rank, bytes);
	if (!copy)
		return -1;
	pack(copy, m, bytes);
	r->flags |= VR_RQ_OWNS_BUFFER;
	r->buf = copy;
	r->env.buf = copy;
	r->env.type = vr_type_predefined(VR_MPI_BYTE);
	r->env.count = bytes;
	return 0;
}

static int send_rendezvous(struct vr_request *r, struct vr_rank *to, const struct vr_message *m, int64_t bytes, int local, uint64_t flow)
{
	int64_t reach = m->count > 0 ? (m->count - 1) * m->type->extent + m->type->true_extent : 0;
	fill(&r->env, VR_NODE_RENDEZVOUS, m, bytes, flow);
	r->env.sender = r;
	r->env.buf = vr_canonical(r->rank, m->buf);
	r->env.type = m->type;
	r->env.count = m->count;
	if (m->mode == VR_BUFFERED || !vr_others_can_read(r->rank, (const char *)r->env.buf + m->type->true_lb, reach))
		if (bounce(r, m, bytes))
			return -1;
	if (local)
		keep(to, &r->env);
	else
		vr_inbox_push(to, &r->env.node);
	return 0;
}

static inline int64_t count_sent(struct vr_rank *me, const struct vr_message *m)
{
	int64_t bytes = m->count * m->type->size;
	me->counters.sent++;
	me->counters.sent_bytes += bytes;
	return bytes;
}

/* For jobs that want to know who talks to whom. */
static uint64_t note_sent(struct vr_rank *me, const struct vr_message *m, int64_t bytes)
{
	vr_traffic_add(me, m->dest_world, bytes);
	uint64_t flow = vr_timeline_on ? vr_timeline_sent(me, m->dest_world, bytes) : 0;
	return flow ? flow : COUNTED;
}

/* All that completes at once; 0 when a rendezvous is needed. A fastbox has no room for a flow. */
static __attribute__((always_inline)) inline int send_at_once(struct vr_rank *to, const struct vr_message *m, int64_t bytes, int local, uint64_t flow)
{
	if (local) {
		struct vr_request *q = vr_match_arrived(&to->matcher, m->context, m->source, m->tag);
		if (q) {
			send_matched(q, m, bytes, flow);
			return 1;
		}
	}
	if (m->mode == VR_SYNCHRONOUS)
		return 0;
	if (!local && bytes <= VR_FASTBOX_BYTES && flow <= COUNTED && send_fastbox(to, m, bytes))
		return 1;
	return bytes <= VR_EAGER_MAX && send_eager(to, m, bytes, local, flow);
}

static struct vr_request *send_request(struct vr_rank *me, const struct vr_message *m)
{
	struct vr_request *r = vr_request_alloc(me, VR_REQ_SEND);
	if (!r)
		return VR_NO_MEMORY;
	r->context = m->context;
	r->peer = m->dest;
	r->peer_world = m->dest_world;
	r->tag = m->tag;
	return r;
}

static __attribute__((always_inline)) inline struct vr_request *start(struct vr_rank *me, struct vr_rank *to, const struct vr_message *m, int64_t bytes, int local, uint64_t flow)
{
	if (vr_likely(send_at_once(to, m, bytes, local, flow)))
		return NULL;
	struct vr_request *r = send_request(me, m);
	if (r != VR_NO_MEMORY && send_rendezvous(r, to, m, bytes, local, flow)) {
		vr_request_free(r);
		return VR_NO_MEMORY;
	}
	return r;
}

/* Apart, so that the way without flows has no tests for them. */
static __attribute__((noinline)) struct vr_request *start_noted(struct vr_rank *me, struct vr_rank *to, const struct vr_message *m, int64_t bytes, int local)
{
	return start(me, to, m, bytes, local, note_sent(me, m, bytes));
}

struct vr_request *vr_send_start_as(struct vr_rank *me, const struct vr_message *m)
{
	struct vr_rank *to = vr_rank_of(m->dest_world);
	int64_t bytes = count_sent(me, m);
	int local = vr_is_local(to);
	if (vr_unlikely(vr_traffic_on))
		return start_noted(me, to, m, bytes, local);
	return start(me, to, m, bytes, local, UNCOUNTED);
}

int vr_send_start_on(struct vr_request *r, const struct vr_message *m)
{
	struct vr_rank *to = vr_rank_of(m->dest_world);
	int64_t bytes = count_sent(r->rank, m);
	int local = vr_is_local(to);
	uint64_t flow = vr_unlikely(vr_traffic_on) ? note_sent(r->rank, m, bytes) : UNCOUNTED;
	if (!send_at_once(to, m, bytes, local, flow))
		return send_rendezvous(r, to, m, bytes, local, flow);
	vr_request_complete(r);
	return 0;
}

/* ---- receiving ---- */

void vr_recv_message(struct vr_request *r, struct vr_env *e)
{
	r->buf = vr_canonical(r->rank, r->buf);
	receive(r, e);
}

void vr_recv_start(struct vr_request *r)
{
	struct vr_matcher *m = &r->rank->matcher;
	drain_own(r->rank);
	r->buf = vr_canonical(r->rank, r->buf);
	struct vr_env *e = vr_match_find(m, r->context, r->peer, r->tag);
	if (!e) {
		vr_match_post(m, r);
		return;
	}
	vr_match_remove_unexpected(m, e);
	receive(r, e);
}

struct vr_env *vr_probe_now(uint32_t context, int32_t source, int32_t tag)
{
	drain_own(vr_current);
	return vr_match_find(&vr_current->matcher, context, source, tag);
}

struct vr_env *vr_probe_wait(uint32_t context, int32_t source, int32_t tag)
{
	struct vr_context *me = vr_context;
	struct vr_env *e;
	while (!(e = vr_probe_now(context, source, tag))) {
		me->wait.peer = source;
		me->wait.tag = tag;
		me->wait.context = context;
		me->wait.members = 0;
		me->run_next = me->rank->probing;
		me->rank->probing = me;
		vr_rank_block();
	}
	return e;
}

int vr_request_cancel(struct vr_request *r)
{
	if (r->flags & (VR_RQ_DONE | VR_RQ_ASKED))
		return 0;
	if (r->flags & VR_RQ_POSTED) {
		vr_match_unpost(&r->rank->matcher, r);
	} else if (r->kind == VR_REQ_SEND) {
		struct vr_rank *to = vr_rank_of(r->peer_world);
		if (!vr_is_local(to))
			return ask_back(r, to);
		if (!is_unexpected(&to->matcher, &r->env))
			return 0; /* a matched probe has it */
		vr_match_remove_unexpected(&to->matcher, &r->env);
	} else {
		return 0;
	}
	r->flags |= VR_RQ_CANCELLED;
	vr_request_complete(r);
	return 1;
}
