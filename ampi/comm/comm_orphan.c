/* Communicators that have no parent: by groups and a string, for sessions (MPI 5.0 sections 7.4.2 and 7.6.2). */
#include <string.h>

#include "ampi/comm/comm_make.h"
#include "ampi/errhandler.h"

/* Contexts below the first one that communicators get. */
enum { CONTEXT_GROUP = 12, CONTEXT_LEADERS, CONTEXT_SIDE };

/* Messages with other strings go by, unless their hashes are equal; then the order of calls keeps them apart. */
static int tag_of(const char *string)
{
	uint32_t h = 2166136261u;
	while (*string)
		h = (h ^ (unsigned char)*string++) * 16777619u;
	return (int)(h >> 1);
}

/* Stands for the communicator that is not there yet: errors are raised on the handler that the program gave. */
static int orphan_open(struct ampi_comm *c, int fn, const char *string, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
	struct ampi_culprit at = ampi_culprit_none(AMPI_COMM);
	*c = (struct ampi_comm){.handle = (uint32_t)(uint64_t)MPI_COMM_NULL, .errhandler = (uint64_t)errhandler};
	if (!ampi_running())
		return ampi_bad_comm(MPI_COMM_NULL, fn);
	int error = ampi_errhandler_check(&at, fn, errhandler);
	if (error)
		return error;
	if (!newcomm)
		return ampi_raise(c, MPI_ERR_ARG, fn, "the place for the new communicator is a null pointer");
	*newcomm = MPI_COMM_NULL;
	if (!string || strnlen(string, MPI_MAX_STRINGTAG_LEN) == MPI_MAX_STRINGTAG_LEN)
		return ampi_raise(c, MPI_ERR_ARG, fn, "stringtag is %s", string ? "too long" : "a null pointer");
	at = (struct ampi_culprit){AMPI_COMM, (uint64_t)MPI_COMM_NULL, c->errhandler};
	return ampi_check_info_on(&at, fn, info);
}

static int take_hints(struct ampi_comm *errs, int fn, MPI_Info info, MPI_Comm made)
{
	struct ampi_comm *c = ampi_comm(made);
	return c ? ampi_hints_take(errs, fn, c, info) : MPI_SUCCESS;
}

static int no_member(struct ampi_comm *c, int fn)
{
	return ampi_raise(c, MPI_ERR_GROUP, fn, "the calling rank is not in the group");
}

int ampi_Comm_create_from_group(MPI_Group group, const char *string, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
	const int fn = AMPI_FN_MPI_Comm_create_from_group;
	struct ampi_comm errs;
	struct ampi_members g;
	int error;
	if ((error = orphan_open(&errs, fn, string, info, errhandler, newcomm)) || (error = ampi_members_open(&g, &errs, fn, group, "group")) || !g.n)
		return error;
	errs.session = g.session;
	struct ampi_link l = {.context = CONTEXT_GROUP, .source = vr_current->id, .tag = tag_of(string), .fn = fn};
	error = g.me == AMPI_NO_MEMBER ? no_member(&errs, fn) : ampi_group_create(&errs, &l, &g, newcomm);
	ampi_members_close(&g);
	return error ? error : take_hints(&errs, fn, info, *newcomm);
}

/* What the local leader finds out with the remote one. The class of what it raised itself. */
static int lead(struct ampi_comm *errs, const struct ampi_link *side, const struct ampi_members *g, MPI_Group remote, int remote_leader,
		struct ampi_place *p)
{
	struct ampi_members r;
	struct ampi_link l = *side;
	int error = ampi_members_open(&r, errs, l.fn, remote, "remote_group");
	*p = (struct ampi_place){.error = error};
	if (error)
		return error;
	if ((uint32_t)remote_leader >= (uint32_t)r.n)
		p->error = error = ampi_raise(errs, MPI_ERR_RANK, l.fn, "remote_leader is %d, in a group of %d", remote_leader, r.n);
	else if (r.ranks[remote_leader] == vr_current->id)
		p->error = error = ampi_raise(errs, MPI_ERR_RANK, l.fn, "remote_leader is %d, which is the local leader itself", remote_leader);
	l.context = CONTEXT_LEADERS;
	if (!error) {
		l.peer = l.peer_world = r.ranks[remote_leader];
		ampi_leaders_agree(&l, g, p);
	}
	ampi_members_close(&r);
	return error;
}

static int create_inter(struct ampi_comm *errs, const struct ampi_members *g, int leader, MPI_Group remote, int remote_leader, int tag, int fn,
			MPI_Comm *newcomm)
{
	struct ampi_link l = {.context = CONTEXT_SIDE, .source = vr_current->id, .tag = tag, .fn = fn};
	struct ampi_place p = {0};
	int own = MPI_SUCCESS;
	if (g->me == AMPI_NO_MEMBER)
		return no_member(errs, fn);
	if ((uint32_t)leader >= (uint32_t)g->n)
		return ampi_raise(errs, MPI_ERR_RANK, fn, "local_leader is %d, in a group of %d", leader, g->n);
	if (g->me == leader)
		own = lead(errs, &l, g, remote, remote_leader, &p);
	ampi_spread(&l, g, leader, &p);
	if (p.error)
		return own ? own : ampi_raise_agreed(errs, fn, p.error);
	return ampi_make_handle(errs, fn, &p, newcomm);
}

int ampi_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char *string,
				      MPI_Info info, MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
	const int fn = AMPI_FN_MPI_Intercomm_create_from_groups;
	struct ampi_comm errs;
	struct ampi_members g;
	int error;
	if ((error = orphan_open(&errs, fn, string, info, errhandler, newcomm)) ||
	    (error = ampi_members_open(&g, &errs, fn, local_group, "local_group")))
		return error;
	errs.session = g.session;
	error = create_inter(&errs, &g, local_leader, remote_group, remote_leader, tag_of(string), fn, newcomm);
	ampi_members_close(&g);
	return error ? error : take_hints(&errs, fn, info, *newcomm);
}
