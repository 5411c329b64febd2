/* Active messages: see active.h. */
#include "vrank/p2p/active.h"

#include <string.h>

#include "vrank/core/access.h"
#include "vrank/core/inbox.h"
#include "vrank/core/pool.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/tls.h"
#include "vrank/p2p/p2p.h"
#include "vrank/p2p/traffic.h"

void (*vr_active_handler)(struct vr_rank *to, struct vr_env *e);

/* What of a large message lies in the sender's slice: it goes when the receiver is done. */
struct large {
	const void *data;
	int64_t bytes;
	char trailer[VR_ACTIVE_TRAILER];
	char copy[];
};

static void fill(struct vr_env *e, enum vr_node_kind kind, const struct vr_active *m, int64_t bytes)
{
	e->node.kind = kind;
	e->node.context = m->context | VR_ACTIVE;
	e->source = m->source;
	e->tag = m->tag;
	e->bytes = bytes;
	e->flow = 0;
}

static void join(char *to, const struct vr_active *m)
{
	memcpy(to, m->data, m->bytes);
	memcpy(to + m->bytes, m->trailer, m->trailer_bytes);
}

static void deliver(struct vr_rank *to, struct vr_env *e, int local)
{
	if (local)
		vr_active_handler(to, e);
	else
		vr_inbox_push(to, &e->node);
}

static int send_fastbox(struct vr_rank *to, const struct vr_active *m, int64_t bytes)
{
	struct vr_fastbox *f = vr_fastbox_open(to);
	if (!f)
		return 0;
	f->context = m->context | VR_ACTIVE;
	f->source = m->source;
	f->tag = m->tag;
	f->bytes = bytes;
	join(f->data, m);
	vr_fastbox_send(to);
	return 1;
}

static int send_small(struct vr_rank *to, const struct vr_active *m, int64_t bytes, int local)
{
	if (!local && bytes <= VR_FASTBOX_BYTES && send_fastbox(to, m, bytes))
		return 1;
	struct vr_env *e = vr_env_alloc(bytes);
	if (!e)
		return 0;
	fill(e, VR_NODE_EAGER, m, bytes);
	join(vr_env_data(e), m);
	deliver(to, e, local);
	return 1;
}

static struct large *make_large(struct vr_rank *me, const struct vr_active *m)
{
	const void *at = vr_canonical(me, m->data);
	int in_place = m->stays && vr_others_can_read(me, at, m->bytes);
	struct large *l = vr_rank_alloc(me, sizeof *l + (in_place ? 0 : m->bytes));
	if (!l)
		return NULL;
	l->data = in_place ? at : l->copy;
	l->bytes = m->bytes;
	if (!in_place)
		memcpy(l->copy, m->data, m->bytes);
	memcpy(l->trailer + VR_ACTIVE_TRAILER - m->trailer_bytes, m->trailer, m->trailer_bytes);
	return l;
}

/* The request frees itself, and its memory, when the receiver acknowledges. */
static int send_large(struct vr_rank *me, struct vr_rank *to, const struct vr_active *m, int64_t bytes, int local)
{
	struct vr_request *r = vr_request_alloc(me, VR_REQ_SEND);
	struct large *l = r ? make_large(me, m) : NULL;
	if (!l) {
		if (r)
			vr_request_free(r);
		return -1;
	}
	r->context = m->context;
	r->peer = r->peer_world = m->dest_world;
	r->tag = m->tag;
	r->buf = l;
	r->flags = VR_RQ_ORPHAN | VR_RQ_OWNS_BUFFER;
	fill(&r->env, VR_NODE_RENDEZVOUS, m, bytes);
	r->env.sender = r;
	r->env.buf = l;
	deliver(to, &r->env, local);
	return 0;
}

int vr_active_send(struct vr_rank *me, const struct vr_active *m)
{
	struct vr_rank *to = vr_rank_of(m->dest_world);
	int64_t bytes = m->bytes + m->trailer_bytes;
	int local = vr_is_local(to);
	me->counters.sent++;
	me->counters.sent_bytes += m->bytes;
	if (vr_unlikely(vr_traffic_on))
		vr_traffic_add(me, m->dest_world, m->bytes);
	if (vr_likely(bytes <= VR_EAGER_MAX) && vr_likely(send_small(to, m, bytes, local)))
		return 0;
	return send_large(me, to, m, bytes, local);
}

/* ---- receiving ---- */

struct vr_arrived vr_active_open(struct vr_env *e)
{
	if (e->node.kind == VR_NODE_EAGER) {
		const char *data = vr_env_data(e);
		return (struct vr_arrived){.data = data, .bytes = e->bytes, .trailer_end = data + e->bytes};
	}
	const struct large *l = e->buf;
	return (struct vr_arrived){.data = vr_live(l->data), .bytes = e->bytes, .trailer_end = l->trailer + VR_ACTIVE_TRAILER};
}

void vr_active_done(struct vr_env *e)
{
	if (e->node.kind == VR_NODE_EAGER)
		vr_env_free(e);
	else
		vr_acknowledge(e->sender);
}
