/* Reductions as schedules (MPI 5.0 sections 6.9 to 6.11, 6.12).
 *
 * Contributions are combined along a binomial tree in the order of ranks: member v has the product of the stretch that begins
 * with v. So operations that do not commute are served, and the result does not depend on who is where, when messages arrive, or
 * which rank is the root. It may differ in its last bits from that of the blocking call, which combines in another
 * order. */
#include "ampi/coll/reduce_sched.h"

#include "ampi/coll/sched_tree.h"

#define AT_ONCE_MAX 16384 /* bytes of vectors that are received from all children at once, each in a place of its own */

/* ---- vectors ---- */

char *ampi_sched_vector(struct ampi_sched *p, int64_t count)
{
	struct ampi_span s = ampi_span_of(p->op.type, count);
	char *at = ampi_sched_alloc(p, s.bytes);
	return at ? at - s.first : NULL;
}

static void copy_vector(struct ampi_sched *p, void *to, const void *from, int64_t count)
{
	if (to != from)
		ampi_sched_copy(p, to, count, p->op.type, from, count, p->op.type);
}

/* ---- the tree ---- */

/* Where the vectors of children go: one place for each while they are short, else two in turn. */
struct places {
	struct ampi_sched *p;
	const struct ampi_operands *o;
	char *place[2], *target;
	int children, next;
	int at_once;
};

static struct places places_of(struct ampi_sched *p, const struct ampi_operands *o, char *target)
{
	struct places s = {.p = p, .o = o, .target = target == o->send ? NULL : target};
	for (int bit = 1; p->comm->rank + bit < p->size && !(p->comm->rank & bit); bit <<= 1)
		s.children++;
	s.at_once = o->count * o->op.type->size <= AT_ONCE_MAX;
	return s;
}

/* The result of the last child's step is that of all. */
static char *next_place(struct places *s)
{
	int i = s->next++;
	if (i == s->children - 1 && s->target)
		return s->target;
	if (s->at_once)
		return ampi_sched_vector(s->p, s->o->count);
	if (!s->place[i & 1])
		s->place[i & 1] = ampi_sched_vector(s->p, s->o->count);
	return s->place[i & 1];
}

static const char *combine_at_once(struct places *s)
{
	struct ampi_sched *p = s->p;
	int64_t count = s->o->count;
	const char *acc = s->o->send;
	char *from[32];
	for (int k = 0; k < s->children; k++)
		ampi_sched_recv(p, p->comm->rank + (1 << k), from[k] = next_place(s), count, p->op.type);
	for (int k = 0; k < s->children; acc = from[k++])
		ampi_sched_reduce(p, acc, from[k], count);
	return acc;
}

static const char *combine_in_turn(struct places *s)
{
	struct ampi_sched *p = s->p;
	int64_t count = s->o->count;
	const char *acc = s->o->send;
	for (int k = 0; k < s->children; k++) {
		char *from = next_place(s);
		ampi_sched_recv(p, p->comm->rank + (1 << k), from, count, p->op.type);
		ampi_sched_reduce(p, acc, from, count);
		acc = from;
	}
	return acc;
}

const char *ampi_tree_reduce(struct ampi_sched *p, const struct ampi_operands *o, char *target)
{
	int rank = p->comm->rank;
	struct places s = places_of(p, o, rank ? NULL : target);
	ampi_sched_exact(p);
	const char *acc = s.at_once ? combine_at_once(&s) : combine_in_turn(&s);
	if (!rank)
		return acc;
	ampi_sched_send(p, rank & (rank - 1), acc, o->count, o->op.type);
	ampi_sched_wait(p);
	return NULL;
}

/* ---- the operations inside a group ---- */

static void reduce_inside(struct ampi_sched *p, const struct ampi_operands *o, int root)
{
	int rank = p->comm->rank;
	const char *acc = ampi_tree_reduce(p, o, rank == root ? o->recv : NULL);
	if (!rank && root)
		ampi_sched_send(p, root, acc, o->count, o->op.type);
	else if (!rank)
		copy_vector(p, o->recv, acc, o->count);
	else if (rank == root)
		ampi_sched_recv(p, 0, o->recv, o->count, o->op.type);
}

static void allreduce_inside(struct ampi_sched *p, const struct ampi_operands *o)
{
	const char *acc = ampi_tree_reduce(p, o, o->recv);
	if (acc)
		copy_vector(p, o->recv, acc, o->count);
	ampi_tree_bcast(p, 0, o->recv, o->count, o->op.type);
}

/* Every member's part of a result that member 0 has. */
static void deal_out(struct ampi_sched *p, const struct ampi_operands *o, const struct ampi_reduce_args *a, const char *result)
{
	const struct vr_type *type = o->op.type;
	int64_t mine = ampi_reduce_part(a, p->comm->rank);
	if (p->comm->rank) {
		ampi_sched_recv(p, 0, o->recv, mine, type);
		return;
	}
	int64_t at = mine;
	for (int i = 1; i < p->size; i++) {
		int64_t n = ampi_reduce_part(a, i);
		ampi_sched_send(p, i, result + at * type->extent, n, type);
		at += n;
	}
	copy_vector(p, o->recv, result, mine);
}

/* ---- between the groups of an intercommunicator: each one's members 0 tell the other what theirs have ---- */

static void reduce_across(struct ampi_sched *p, const struct ampi_operands *o, const struct ampi_caller *c, int root)
{
	if (ampi_role(c, root) == AMPI_ROOT)
		ampi_sched_recv_across(p, 0, o->recv, o->count, o->op.type);
	if (ampi_role(c, root) != AMPI_MEMBER)
		return;
	const char *acc = ampi_tree_reduce(p, o, NULL);
	if (acc)
		ampi_sched_send_across(p, root, acc, o->count, o->op.type);
}

/* In member 0: the other group's result. */
static void swap_results(struct ampi_sched *p, const struct ampi_operands *o, char *other)
{
	const char *acc = ampi_tree_reduce(p, o, NULL);
	if (!acc)
		return;
	ampi_sched_recv_across(p, 0, other, o->count, o->op.type);
	ampi_sched_send_across(p, 0, acc, o->count, o->op.type);
	ampi_sched_wait(p);
}

/* ---- the calls ---- */

static struct ampi_sched *sched_for(const struct ampi_sched_call *call, const struct ampi_operands *o)
{
	struct ampi_sched *p = ampi_sched_new(call);
	if (!p || !o->op.type) /* a member that stands aside has not told its type */
		return p;
	ampi_sched_hold_op(p, &o->op);
	ampi_sched_hold_type(p, o->op.type);
	return p;
}

int ampi_begin_reduce(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request)
{
	struct ampi_sched_call call;
	struct ampi_operands o = {.count = 0};
	int error;
	if ((error = ampi_sched_call_open(&call, way, fn, comm, request)) || (error = ampi_check_reduce(&call.caller, &o, a)))
		return error;
	struct ampi_sched *p = sched_for(&call, &o);
	if (p && p->comm->is_inter)
		reduce_across(p, &o, &call.caller, a->root);
	else if (p)
		reduce_inside(p, &o, a->root);
	return ampi_sched_launch(p, &call);
}

int ampi_begin_allreduce(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request)
{
	struct ampi_sched_call call;
	struct ampi_operands o;
	int error;
	if ((error = ampi_sched_call_open(&call, way, fn, comm, request)) || (error = ampi_check_allreduce(&call.caller, &o, a)))
		return error;
	struct ampi_sched *p = sched_for(&call, &o);
	if (p && p->comm->is_inter) {
		swap_results(p, &o, o.recv);
		ampi_tree_bcast(p, 0, o.recv, o.count, o.op.type);
	} else if (p) {
		allreduce_inside(p, &o);
	}
	return ampi_sched_launch(p, &call);
}

int ampi_begin_reduce_scatter(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request)
{
	struct ampi_sched_call call;
	struct ampi_operands o;
	int64_t before, mine;
	int error;
	if ((error = ampi_sched_call_open(&call, way, fn, comm, request)) ||
	    (error = ampi_check_reduce_scatter(&call.caller, &o, a, &before, &mine)))
		return error;
	struct ampi_sched *p = sched_for(&call, &o);
	if (p && p->comm->is_inter) {
		char *other = p->comm->rank ? NULL : ampi_sched_vector(p, o.count);
		swap_results(p, &o, other);
		deal_out(p, &o, a, other);
	} else if (p) {
		deal_out(p, &o, a, ampi_tree_reduce(p, &o, NULL));
	}
	return ampi_sched_launch(p, &call);
}
