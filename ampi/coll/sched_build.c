/* Building schedules, see sched.h: steps, and what they hold. */
#include "ampi/coll/sched.h"

#include "ampi/coll/sched_engine.h"
#include "ampi/type_lend.h"

/* ---- memory ---- */

struct ampi_sched_block {
	alignas(16) struct ampi_sched_block *next;
	char data[];
};

/* Small pieces are in the schedule itself. */
static void *alloc_near(struct ampi_sched *p, int64_t bytes)
{
	uint32_t at = p->near_used;
	p->near_used += (uint32_t)(bytes + 15) & ~15u;
	return p->near + at;
}

void *ampi_sched_alloc(struct ampi_sched *p, int64_t bytes)
{
	if (p && bytes <= (int64_t)(AMPI_SCHED_NEAR - p->near_used))
		return alloc_near(p, bytes);
	struct ampi_sched_block *b = p ? vr_rank_alloc(p->rank, sizeof *b + bytes) : NULL;
	if (!b) {
		if (p)
			p->failed = 1;
		return NULL;
	}
	b->next = p->memory;
	p->memory = b;
	return b->data;
}

void ampi_sched_free_memory(struct ampi_sched *p)
{
	struct ampi_sched_block *b, *next;
	for (b = p->memory; b; b = next) {
		next = b->next;
		vr_rank_free(p->rank, b);
	}
	p->memory = NULL;
}

/* ---- steps ---- */

/* Room for one more of n items at *at; the first ones may be in an array of the schedule. 0, or -1. */
static int grow(struct ampi_sched *p)
{
	uint32_t room = 4 * p->room;
	struct ampi_step *more = vr_rank_alloc(p->rank, room * sizeof *more);
	if (!more)
		return -1;
	for (uint32_t i = 0; i < p->n; i++)
		more[i] = p->steps[i];
	if (p->steps != p->few)
		vr_rank_free(p->rank, p->steps);
	p->steps = more;
	p->room = room;
	return 0;
}

/* The next step, for the caller to fill; NULL: the schedule has failed. */
static struct ampi_step *append(struct ampi_sched *p, enum ampi_step_kind kind)
{
	if (!p || p->failed)
		return NULL;
	if (p->n == p->room && grow(p)) {
		p->failed = 1;
		return NULL;
	}
	struct ampi_step *s = &p->steps[p->n++];
	s->kind = kind;
	s->after = p->waits || kind >= AMPI_STEP_COPY;
	p->waits = 0;
	return s;
}

static void set_data(struct ampi_sched *p, struct vr_data *d, const void *buf, int64_t count, const struct vr_type *type)
{
	d->buf = vr_canonical(p->rank, buf);
	d->count = count;
	d->type = type;
}

static void append_message(struct ampi_sched *p, enum ampi_step_kind kind, int across, int peer, const void *buf, int64_t count,
			   const struct vr_type *type)
{
	struct ampi_step *s = append(p, kind);
	if (!s)
		return;
	s->across = across;
	s->peer = peer;
	set_data(p, &s->data, buf, count, type);
}

void ampi_sched_send(struct ampi_sched *p, int peer, const void *buf, int64_t count, const struct vr_type *type)
{
	append_message(p, AMPI_STEP_SEND, 0, peer, buf, count, type);
}

void ampi_sched_recv(struct ampi_sched *p, int peer, void *buf, int64_t count, const struct vr_type *type)
{
	append_message(p, AMPI_STEP_RECV, 0, peer, buf, count, type);
}

void ampi_sched_send_across(struct ampi_sched *p, int peer, const void *buf, int64_t count, const struct vr_type *type)
{
	append_message(p, AMPI_STEP_SEND, 1, peer, buf, count, type);
}

void ampi_sched_recv_across(struct ampi_sched *p, int peer, void *buf, int64_t count, const struct vr_type *type)
{
	append_message(p, AMPI_STEP_RECV, 1, peer, buf, count, type);
}

void ampi_sched_wait(struct ampi_sched *p)
{
	if (p)
		p->waits = 1;
}

void ampi_sched_copy(struct ampi_sched *p, void *to, int64_t to_count, const struct vr_type *to_type, const void *from, int64_t from_count,
		    const struct vr_type *from_type)
{
	struct ampi_step *s = append(p, AMPI_STEP_COPY);
	if (!s)
		return;
	set_data(p, &s->data, to, to_count, to_type);
	set_data(p, &s->from, from, from_count, from_type);
}

void ampi_sched_reduce(struct ampi_sched *p, const void *in, void *inout, int64_t count)
{
	struct ampi_step *s = append(p, AMPI_STEP_REDUCE);
	if (!s)
		return;
	set_data(p, &s->data, inout, count, NULL);
	set_data(p, &s->from, in, count, NULL);
}

void ampi_sched_do(struct ampi_sched *p, void (*call)(struct ampi_sched *p, void *arg), void *arg)
{
	struct ampi_step *s = append(p, AMPI_STEP_CALL);
	if (!s)
		return;
	s->call = call;
	s->arg = arg;
}

/* ---- what must outlive its handle ---- */

void ampi_sched_hold_type(struct ampi_sched *p, const struct vr_type *type)
{
	if (!p || !type || (type->flags & VR_TYPE_PREDEFINED))
		return;
	if (p->ntypes == p->types_room) {
		uint32_t room = p->types_room ? 2 * p->types_room : 4;
		struct vr_type **types = vr_rank_realloc(p->rank, p->types, room * sizeof *types);
		if (!types) {
			p->failed = 1;
			return;
		}
		p->types = types;
		p->types_room = room;
	}
	p->types[p->ntypes] = (struct vr_type *)type;
	p->types[p->ntypes++]->refs++;
}

void ampi_sched_hold_op(struct ampi_sched *p, const struct ampi_reducer *op)
{
	if (!p)
		return;
	p->op = *op;
	if (!op->user)
		return;
	((struct ampi_op *)op->user)->refs++;
	ampi_type_lend(op->type);
	p->hook.borrows = 1;
}

/* ---- batches ---- */

void ampi_sched_batches(struct ampi_sched *p, int (*more)(struct ampi_sched *p), void *state)
{
	if (!p)
		return;
	p->state = state;
	if (!ampi_sched_is_small(p)) {
		p->more = more;
		return;
	}
	for (p->batch = 0; !p->failed && more(p); p->batch++)
		ampi_sched_wait(p);
}
