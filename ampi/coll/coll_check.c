/* Which arguments of a collective call matter in which member (MPI 5.0 sections 6.4 to 6.8), and whether they are right. The same for
 * blocking calls, in shared memory, and for those that make schedules. */
#include "ampi/coll/coll.h"

int ampi_check_bcast(struct ampi_caller *c, struct ampi_exchange *x)
{
	int error = ampi_check_root(c, x->root);
	if (error || ampi_role(c, x->root) == AMPI_ASIDE)
		return error;
	return ampi_check_data(c, &ampi_one_names, x->recv.base, x->recv.count, x->recv_handle, &x->recv.type);
}

/* In an intracommunicator the root has a part of its own, which may be in place. */
static int check_in_place(struct ampi_caller *c, struct ampi_exchange *x, const char *name, const void *buf, enum ampi_role role)
{
	x->in_place = buf == MPI_IN_PLACE && !c->comm->is_inter;
	return x->in_place && role != AMPI_ROOT ? ampi_no_in_place(c, name, "only the root may pass") : MPI_SUCCESS;
}

/* `one` must be apart from the blocks of `many`, where block i is this member's own. */
static int check_apart(struct ampi_caller *c, const struct ampi_layout *one, const struct ampi_layout *many, int i)
{
	int64_t count = ampi_layout_count(many, i);
	int error = ampi_check_alias(c, one->base, one->count, many->base, count);
	return error ? error : ampi_check_alias(c, one->base, one->count, ampi_layout_at(many, i), count);
}

int ampi_check_gather(struct ampi_caller *c, struct ampi_exchange *x)
{
	enum ampi_role role;
	int error = ampi_check_root(c, x->root);
	if (error || (role = ampi_role(c, x->root)) == AMPI_ASIDE)
		return error;
	int is_root = role == AMPI_ROOT, sends = !is_root || !c->comm->is_inter;
	if ((error = check_in_place(c, x, "sendbuf", x->send.base, role)))
		return error;
	if (sends && !x->in_place &&
	    (error = ampi_check_data(c, &ampi_send_names, x->send.base, x->send.count, x->send_handle, &x->send.type)))
		return error;
	if (!is_root || (error = ampi_check_layout(c, &ampi_recv_names, &x->recv, x->recv_handle)) || !sends || x->in_place)
		return error;
	return check_apart(c, &x->send, &x->recv, x->root);
}

int ampi_check_scatter(struct ampi_caller *c, struct ampi_exchange *x)
{
	enum ampi_role role;
	int error = ampi_check_root(c, x->root);
	if (error || (role = ampi_role(c, x->root)) == AMPI_ASIDE)
		return error;
	int is_root = role == AMPI_ROOT, receives = !is_root || !c->comm->is_inter;
	if ((error = check_in_place(c, x, "recvbuf", x->recv.base, role)))
		return error;
	if (receives && !x->in_place &&
	    (error = ampi_check_data(c, &ampi_recv_names, x->recv.base, x->recv.count, x->recv_handle, &x->recv.type)))
		return error;
	if (!is_root || (error = ampi_check_layout(c, &ampi_send_names, &x->send, x->send_handle)) || !receives || x->in_place)
		return error;
	return check_apart(c, &x->recv, &x->send, x->root);
}

int ampi_check_allgather(struct ampi_caller *c, struct ampi_exchange *x)
{
	int error;
	x->in_place = x->send.base == MPI_IN_PLACE && !c->comm->is_inter;
	if ((error = ampi_check_layout(c, &ampi_recv_names, &x->recv, x->recv_handle)))
		return error;
	if (x->in_place) {
		x->send = (struct ampi_layout){.base = ampi_layout_at(&x->recv, c->rank), .count = ampi_layout_count(&x->recv, c->rank),
					       .type = x->recv.type};
		return MPI_SUCCESS;
	}
	if ((error = ampi_check_data(c, &ampi_send_names, x->send.base, x->send.count, x->send_handle, &x->send.type)))
		return error;
	return c->comm->is_inter ? ampi_check_alias(c, x->send.base, x->send.count, x->recv.base, ampi_layout_count(&x->recv, 0)) :
				   check_apart(c, &x->send, &x->recv, c->rank);
}

int ampi_check_alltoall(struct ampi_caller *c, struct ampi_exchange *x)
{
	int error;
	x->in_place = x->send.base == MPI_IN_PLACE && !c->comm->is_inter;
	if ((error = ampi_check_layout(c, &ampi_recv_names, &x->recv, x->recv_handle)))
		return error;
	if (x->in_place) {
		x->send = x->recv;
		return MPI_SUCCESS;
	}
	if ((error = ampi_check_layout(c, &ampi_send_names, &x->send, x->send_handle)))
		return error;
	return ampi_check_alias(c, x->send.base, ampi_layout_count(&x->send, 0), x->recv.base, ampi_layout_count(&x->recv, 0));
}
