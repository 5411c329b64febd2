/* Communicators as objects: what they are, what they are called, and their end (MPI 5.0 sections 7.4 and 7.8). */
#include "ampi/comm/comm_make.h"
#include "ampi/comm/topo.h"
#include "ampi/p2p/bsend.h"
#include "ampi/rpc/rpc_closed.h"

#include <string.h>

void ampi_comm_release(struct ampi_comm *c)
{
	if (--c->refs)
		return;
	ampi_errhandler_release(c->errhandler);
	if (c->team)
		ampi_team_release(c->team);
	if (c->remote_team)
		ampi_team_release(c->remote_team);
	if (c->info)
		ampi_serve(AMPI_FN_MPI_Info_free, (uint64_t[]){(uint64_t)&c->info}, 1);
	ampi_topology_release(c->topology);
	vr_rank_free(vr_current, c);
}

void ampi_comm_close(struct ampi_comm *c)
{
	ampi_remove(&ampi_me()->comms, c->handle);
	ampi_rpc_closed(c->context);
	ampi_comm_release(c);
}

/* What MPI_Comm_free and MPI_Comm_disconnect check. */
static int check_free(MPI_Comm *comm, int fn, struct ampi_comm **out)
{
	if (!comm)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "comm is a null pointer");
	struct ampi_comm *c = *out = ampi_comm(*comm);
	if (!c)
		return ampi_bad_comm(*comm, fn);
	if (c == &ampi_me()->world || c == &ampi_me()->self)
		return ampi_raise(c, MPI_ERR_COMM, fn, "comm is %s, which is predefined", c->name);
	return c->is_inter == AMPI_UNBORN ? ampi_check_intra(c, fn) : MPI_SUCCESS;
}

/* Attributes first: their delete functions may use the communicator, or refuse. */
static int end(struct ampi_comm *c, MPI_Comm *comm, int fn)
{
	int error = ampi_attrs_free(c, fn);
	if (error)
		return ampi_raise(c, error, fn, "a delete function of an attribute returned error %d", error);
	ampi_buffer_drop(c->handle, fn);
	ampi_comm_close(c);
	*comm = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

int ampi_Comm_free(MPI_Comm *comm)
{
	struct ampi_comm *c;
	int error = check_free(comm, AMPI_FN_MPI_Comm_free, &c);
	return error ? error : end(c, comm, AMPI_FN_MPI_Comm_free);
}

#define OTHERS_NS 20000 /* between looks at what another thread of the rank waits for */

static int is_under_way(const struct vr_request *r, const struct ampi_comm *c)
{
	return r->kind == VR_REQ_SEND && r->comm == c->handle && !(r->flags & (VR_RQ_DONE | VR_RQ_PERSISTENT));
}

static void wait_for_sends(const struct ampi_comm *c)
{
	for (uint32_t i = 0; i < vr_current->nrequests; i++) {
		struct vr_request *r = vr_request_at(vr_current, i);
		while (is_under_way(r, c)) {
			if (r->flags & VR_RQ_WAITED)
				vr_rank_sleep(OTHERS_NS);
			else
				vr_request_wait(&r, 1, 1);
		}
	}
}

/* All messages that this rank sent have been taken, then all members leave together. */
int ampi_Comm_disconnect(MPI_Comm *comm)
{
	const int fn = AMPI_FN_MPI_Comm_disconnect;
	struct ampi_comm *c;
	int error = check_free(comm, fn, &c);
	if (error)
		return error;
	vr_context->wait.fn = fn;
	wait_for_sends(c);
	error = ampi_make_barrier(c, fn);
	return error ? error : end(c, comm, fn);
}

/* Nobody was spawned. */
int ampi_Comm_get_parent(MPI_Comm *parent)
{
	if (!ampi_running())
		return ampi_bad_comm(MPI_COMM_SELF, AMPI_FN_MPI_Comm_get_parent);
	if (!parent)
		return ampi_raise(NULL, MPI_ERR_ARG, AMPI_FN_MPI_Comm_get_parent, "parent is a null pointer");
	*parent = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

/* ---- asking ---- */

int ampi_Comm_size(MPI_Comm comm, int *size)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (vr_unlikely(!c))
		return ampi_bad_comm(comm, AMPI_FN_MPI_Comm_size);
	if (vr_unlikely(!size))
		return ampi_null(c, AMPI_FN_MPI_Comm_size, "size");
	*size = c->size;
	return MPI_SUCCESS;
}

int ampi_Comm_rank(MPI_Comm comm, int *rank)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (vr_unlikely(!c))
		return ampi_bad_comm(comm, AMPI_FN_MPI_Comm_rank);
	if (vr_unlikely(!rank))
		return ampi_null(c, AMPI_FN_MPI_Comm_rank, "rank");
	*rank = c->rank;
	return MPI_SUCCESS;
}

int ampi_Comm_remote_size(MPI_Comm comm, int *size)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, AMPI_FN_MPI_Comm_remote_size);
	if (!c->is_inter)
		return ampi_raise(c, MPI_ERR_COMM, AMPI_FN_MPI_Comm_remote_size, "comm is not an intercommunicator");
	if (!size)
		return ampi_null(c, AMPI_FN_MPI_Comm_remote_size, "size");
	*size = c->remote_size;
	return MPI_SUCCESS;
}

int ampi_Comm_test_inter(MPI_Comm comm, int *flag)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, AMPI_FN_MPI_Comm_test_inter);
	if (!flag)
		return ampi_null(c, AMPI_FN_MPI_Comm_test_inter, "flag");
	*flag = c->is_inter != 0;
	return MPI_SUCCESS;
}

int ampi_Comm_set_name(MPI_Comm comm, const char *name)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, AMPI_FN_MPI_Comm_set_name);
	if (!name)
		return ampi_raise(c, MPI_ERR_ARG, AMPI_FN_MPI_Comm_set_name, "comm_name is a null pointer");
	size_t n = strnlen(name, sizeof c->name - 1);
	memmove(c->name, name, n);
	c->name[n] = 0;
	return MPI_SUCCESS;
}

/* Of MPI_COMM_NULL, too (MPI 5.0 section 7.8). */
int ampi_Comm_get_name(MPI_Comm comm, char *name, int *length)
{
	const int fn = AMPI_FN_MPI_Comm_get_name;
	struct ampi_comm *c = ampi_comm(comm);
	int null = comm == MPI_COMM_NULL && ampi_running();
	if (!c && !null)
		return ampi_bad_comm(comm, fn);
	if (!name || !length)
		return ampi_null(c, fn, name ? "resultlen" : "comm_name");
	const char *is = null ? "MPI_COMM_NULL" : c->name;
	*length = (int)strlen(is);
	memcpy(name, is, *length + 1);
	return MPI_SUCCESS;
}

/* ---- comparing ---- */

/* A group in one of two communicators. */
struct side {
	const struct ampi_comm *comm;
	int remote;
};

static int side_size(const struct side *s)
{
	return s->remote ? s->comm->remote_size : s->comm->size;
}

static int32_t side_world(const struct side *s, int i)
{
	return s->remote ? s->comm->remote_world[i] : ampi_to_world(s->comm, i);
}

static int same_order(const struct side *a, const struct side *b)
{
	for (int i = 0; i < side_size(a); i++)
		if (side_world(a, i) != side_world(b, i))
			return 0;
	return 1;
}

/* Members are distinct, so it is enough that all of b's are in a. -1 without memory. */
static int same_members(const struct side *a, const struct side *b)
{
	char *seen = vr_rank_calloc(vr_current, vr_job->ranks, 1);
	int same = 1;
	if (!seen)
		return -1;
	for (int i = 0; i < side_size(a); i++)
		seen[side_world(a, i)] = 1;
	for (int i = 0; i < side_size(b); i++)
		same &= seen[side_world(b, i)];
	vr_rank_free(vr_current, seen);
	return same;
}

/* MPI_CONGRUENT, MPI_SIMILAR or MPI_UNEQUAL; -1 without memory. The constants are in ascending order of difference. */
static int compare_sides(const struct side *a, const struct side *b)
{
	if (side_size(a) != side_size(b))
		return MPI_UNEQUAL;
	if (same_order(a, b))
		return MPI_CONGRUENT;
	int same = same_members(a, b);
	return same < 0 ? -1 : same ? MPI_SIMILAR : MPI_UNEQUAL;
}

static int compare(const struct ampi_comm *a, const struct ampi_comm *b)
{
	if (a == b)
		return MPI_IDENT;
	if (a->is_inter != b->is_inter)
		return MPI_UNEQUAL;
	int local = compare_sides(&(struct side){a, 0}, &(struct side){b, 0});
	if (!a->is_inter || local < 0)
		return local;
	int remote = compare_sides(&(struct side){a, 1}, &(struct side){b, 1});
	return remote < 0 || remote > local ? remote : local;
}

int ampi_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
	int fn = AMPI_FN_MPI_Comm_compare;
	struct ampi_comm *a = ampi_comm(comm1), *b = ampi_comm(comm2);
	if (!a || !b)
		return ampi_bad_comm(a ? comm2 : comm1, fn);
	if (!result)
		return ampi_null(a, fn, "result");
	int r = compare(a, b);
	if (r < 0)
		return ampi_no_memory(a, fn);
	*result = r;
	return MPI_SUCCESS;
}
