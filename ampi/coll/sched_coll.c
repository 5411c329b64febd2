/* Barrier, broadcast, gather, scatter and allgather as schedules (MPI 5.0 sections 6.3 to 6.7, 6.12), inside one group and between two.
 *
 * Between groups, blocks go straight from one group's members to the other's; what all members of a group are to have
 * comes to its member 0, which spreads it. */
#include "ampi/coll/coll_sched.h"
#include "ampi/coll/sched_blocks.h"
#include "ampi/coll/sched_tree.h"

static void hold_types(struct ampi_sched *p, const struct ampi_exchange *x)
{
	ampi_sched_hold_type(p, x->send.type);
	ampi_sched_hold_type(p, x->recv.type);
}

/* ---- barrier ---- */

static void barrier(struct ampi_sched *p)
{
	ampi_tree_gather_all(p);
	if (p->comm->is_inter && p->comm->rank == 0) {
		ampi_sched_recv_across(p, 0, NULL, 0, ampi_bytes());
		ampi_sched_send_across(p, 0, NULL, 0, ampi_bytes());
		ampi_sched_wait(p);
	}
	ampi_tree_release_all(p);
}

int ampi_begin_barrier(enum ampi_way way, int fn, MPI_Comm comm, MPI_Request *request)
{
	struct ampi_sched_call call;
	int error = ampi_sched_call_open(&call, way, fn, comm, request);
	if (error)
		return error;
	struct ampi_sched *p = ampi_sched_new(&call);
	if (p)
		barrier(p);
	return ampi_sched_launch(p, &call);
}

/* ---- broadcast ---- */

static void bcast_across(struct ampi_sched *p, const struct ampi_exchange *x, enum ampi_role role)
{
	const struct ampi_layout *l = &x->recv;
	if (role == AMPI_ROOT)
		ampi_sched_send_across(p, 0, l->base, l->count, l->type);
	if (role != AMPI_MEMBER)
		return;
	if (p->comm->rank == 0) {
		ampi_sched_recv_across(p, x->root, l->base, l->count, l->type);
		ampi_sched_wait(p);
	}
	ampi_tree_bcast(p, 0, l->base, l->count, l->type);
}

static void bcast(struct ampi_sched *p, const struct ampi_exchange *x, const struct ampi_caller *c)
{
	if (p->comm->is_inter)
		bcast_across(p, x, ampi_role(c, x->root));
	else
		ampi_tree_bcast(p, x->root, x->recv.base, x->recv.count, x->recv.type);
}

/* ---- gather and scatter ---- */

static void gather(struct ampi_sched *p, const struct ampi_exchange *x, const struct ampi_caller *c)
{
	if (!p->comm->is_inter)
		ampi_tree_gather(p, x);
	else if (ampi_role(c, x->root) == AMPI_MEMBER)
		ampi_sched_send_across(p, x->root, x->send.base, x->send.count, x->send.type);
	else if (ampi_role(c, x->root) == AMPI_ROOT)
		for (int i = 0; i < p->comm->remote_size; i++)
			ampi_sched_recv_across(p, i, ampi_layout_at(&x->recv, i), ampi_layout_count(&x->recv, i), x->recv.type);
}

static void scatter(struct ampi_sched *p, const struct ampi_exchange *x, const struct ampi_caller *c)
{
	if (!p->comm->is_inter)
		ampi_tree_scatter(p, x);
	else if (ampi_role(c, x->root) == AMPI_MEMBER)
		ampi_sched_recv_across(p, x->root, x->recv.base, x->recv.count, x->recv.type);
	else if (ampi_role(c, x->root) == AMPI_ROOT)
		for (int i = 0; i < p->comm->remote_size; i++)
			ampi_sched_send_across(p, i, ampi_layout_at(&x->send, i), ampi_layout_count(&x->send, i), x->send.type);
}

/* ---- allgather ---- */

/* Where all n blocks follow each other without gaps: the whole as one block. 0 when they do not. */
static int in_one_piece(const struct ampi_layout *l, int n, struct vr_data *whole)
{
	*whole = (struct vr_data){l->base, l->counts ? 0 : n * l->count, l->type};
	if (!l->counts)
		return 1;
	for (int i = 0; i < n; i++) {
		int64_t count = ampi_layout_count(l, i);
		char *at = ampi_layout_at(l, i);
		if (!whole->count)
			whole->buf = at;
		if (count && at != (char *)whole->buf + whole->count * l->type->extent)
			return 0;
		whole->count += count;
	}
	return 1;
}

static void spread_packed(struct ampi_sched *p, const struct ampi_layout *l, int n)
{
	struct ampi_blocks blocks = ampi_blocks_keep(p, l, n, 1);
	int64_t bytes = ampi_blocks_bytes(&blocks, n);
	char *packed = ampi_sched_alloc(p, bytes);
	struct ampi_packing *all = ampi_blocks_packing(p, &blocks, n, packed);
	if (p->comm->rank == 0)
		ampi_blocks_pack(p, all);
	ampi_tree_bcast(p, 0, packed, bytes, ampi_bytes());
	if (p->comm->rank)
		ampi_blocks_unpack(p, all);
}

/* Member 0 has all n blocks: give them to the others, who may have them laid out in other ways. */
static void spread(struct ampi_sched *p, const struct ampi_layout *l, int n)
{
	struct vr_data whole;
	ampi_sched_wait(p);
	if (in_one_piece(l, n, &whole))
		ampi_tree_bcast(p, 0, whole.buf, whole.count, whole.type);
	else
		spread_packed(p, l, n);
}

static void allgather_across(struct ampi_sched *p, const struct ampi_exchange *x)
{
	int n = p->comm->remote_size;
	for (int i = 0; p->comm->rank == 0 && i < n; i++)
		ampi_sched_recv_across(p, i, ampi_layout_at(&x->recv, i), ampi_layout_count(&x->recv, i), x->recv.type);
	ampi_sched_send_across(p, 0, x->send.base, x->send.count, x->send.type);
	spread(p, &x->recv, n);
}

static void allgather(struct ampi_sched *p, const struct ampi_exchange *x, const struct ampi_caller *c)
{
	struct ampi_exchange to_first = *x;
	(void)c;
	if (p->comm->is_inter) {
		allgather_across(p, x);
		return;
	}
	to_first.root = 0;
	ampi_tree_gather(p, &to_first);
	spread(p, &x->recv, p->size);
}

/* ---- the calls ---- */

typedef int check_fn(struct ampi_caller *c, struct ampi_exchange *x);
typedef void build_fn(struct ampi_sched *p, const struct ampi_exchange *x, const struct ampi_caller *c);

static int begin(enum ampi_way way, int fn, const struct ampi_exchange *given, MPI_Comm comm, MPI_Request *request, check_fn *check,
		 build_fn *build)
{
	struct ampi_exchange x = *given;
	struct ampi_sched_call call;
	int error;
	if ((error = ampi_sched_call_open(&call, way, fn, comm, request)) || (error = check(&call.caller, &x)))
		return error;
	struct ampi_sched *p = ampi_sched_new(&call);
	if (p) {
		hold_types(p, &x);
		build(p, &x, &call.caller);
	}
	return ampi_sched_launch(p, &call);
}

int ampi_begin_bcast(enum ampi_way way, int fn, const struct ampi_exchange *x, MPI_Comm comm, MPI_Request *request)
{
	return begin(way, fn, x, comm, request, ampi_check_bcast, bcast);
}

int ampi_begin_gather(enum ampi_way way, int fn, const struct ampi_exchange *x, MPI_Comm comm, MPI_Request *request)
{
	return begin(way, fn, x, comm, request, ampi_check_gather, gather);
}

int ampi_begin_scatter(enum ampi_way way, int fn, const struct ampi_exchange *x, MPI_Comm comm, MPI_Request *request)
{
	return begin(way, fn, x, comm, request, ampi_check_scatter, scatter);
}

int ampi_begin_allgather(enum ampi_way way, int fn, const struct ampi_exchange *x, MPI_Comm comm, MPI_Request *request)
{
	return begin(way, fn, x, comm, request, ampi_check_allgather, allgather);
}
