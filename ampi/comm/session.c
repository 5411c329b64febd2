/* Sessions: opening and closing them, and the process sets that they know (MPI 5.0 section 11.3). */
#include "ampi/comm/session.h"

#include "ampi/p2p/bsend.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "ampi/comm/comm_make.h"

struct ampi_comm *ampi_comm_of_session(MPI_Comm c)
{
	return ampi_me()->open_sessions ? ampi_lookup(&ampi_me()->comms, AMPI_COMM, (uint64_t)c) : NULL;
}

/* ---- handles and errors ---- */

struct ampi_session *ampi_session(MPI_Session session)
{
	return ampi_lookup(&ampi_me()->sessions, AMPI_SESSION, (uint64_t)session);
}

struct ampi_culprit ampi_session_culprit(const struct ampi_session *s)
{
	return (struct ampi_culprit){AMPI_SESSION, s->handle, s->errhandler};
}

int ampi_bad_session(MPI_Session session, int fn)
{
	if (session == MPI_SESSION_NULL)
		return ampi_raise(NULL, MPI_ERR_SESSION, fn, "session is MPI_SESSION_NULL");
	return ampi_raise(NULL, MPI_ERR_SESSION, fn, "session (handle 0x%lx) is not a session, or was finalized", (unsigned long)session);
}

/* What Go has found wrong in a call for this one. */
static int raise_served(const struct ampi_culprit *at, int klass, int fn)
{
	return klass ? ampi_raise_on(at, klass, fn, "%s", vr_context->call.text) : MPI_SUCCESS;
}

static int null(const struct ampi_session *s, int fn, const char *name)
{
	struct ampi_culprit at = ampi_session_culprit(s);
	return ampi_raise_on(&at, MPI_ERR_ARG, fn, "%s is a null pointer", name);
}

/* ---- opening ---- */

static const char *const level_names[] = {
	[MPI_THREAD_SINGLE] = "MPI_THREAD_SINGLE", [MPI_THREAD_FUNNELED] = "MPI_THREAD_FUNNELED",
	[MPI_THREAD_SERIALIZED] = "MPI_THREAD_SERIALIZED", [MPI_THREAD_MULTIPLE] = "MPI_THREAD_MULTIPLE",
};

/* What a program asks for that says nothing is granted in full. */
static int level_of(const struct ampi_culprit *at, MPI_Info info, int *level)
{
	static const int levels[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED, MPI_THREAD_MULTIPLE};
	char value[MPI_MAX_INFO_VAL + 1];
	*level = MPI_THREAD_MULTIPLE;
	if (!ampi_info_value(info, "thread_level", value, sizeof value))
		return MPI_SUCCESS;
	for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
		if (!strcmp(value, level_names[levels[i]])) {
			*level = levels[i];
			return MPI_SUCCESS;
		}
	return ampi_raise_on(at, MPI_ERR_INFO_VALUE, AMPI_FN_MPI_Session_init, "thread_level is \"%.100s\": no level of thread support has that name",
			     value);
}

static int enter(const struct ampi_culprit *at, int level, MPI_Session *session)
{
	struct ampi_session *s = vr_rank_calloc(vr_current, 1, sizeof *s);
	uint64_t h = s ? ampi_enter(vr_current, &ampi_me()->sessions, AMPI_SESSION, s) : 0;
	if (!h) {
		vr_rank_free(vr_current, s);
		return ampi_raise_on(at, MPI_ERR_NO_MEM, AMPI_FN_MPI_Session_init, "%s", vr_why_full(vr_current));
	}
	*s = (struct ampi_session){h, level, at->errhandler};
	ampi_errhandler_hold(s->errhandler);
	ampi_me()->open_sessions++;
	if (level > ampi_me()->session_level)
		ampi_me()->session_level = level;
	*session = (MPI_Session)h;
	return MPI_SUCCESS;
}

int ampi_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
	const int fn = AMPI_FN_MPI_Session_init;
	struct ampi_culprit none = ampi_culprit_none(AMPI_SESSION);
	int error = ampi_errhandler_check(&none, fn, errhandler);
	if (error)
		return error;
	struct ampi_culprit at = {AMPI_SESSION, (uint64_t)MPI_SESSION_NULL, (uint64_t)errhandler};
	if (!session)
		return ampi_raise_on(&at, MPI_ERR_ARG, fn, "session is a null pointer");
	*session = MPI_SESSION_NULL;
	int level;
	if ((error = ampi_check_info_on(&at, fn, info)) || (error = level_of(&at, info, &level)))
		return error;
	return enter(&at, level, session);
}

int ampi_Session_finalize(MPI_Session *session)
{
	struct ampi_session *s = session ? ampi_session(*session) : NULL;
	if (!s)
		return ampi_bad_session(session ? *session : MPI_SESSION_NULL, AMPI_FN_MPI_Session_finalize);
	ampi_buffer_drop(s->handle, AMPI_FN_MPI_Session_finalize);
	ampi_errhandler_release(s->errhandler);
	ampi_remove(&ampi_me()->sessions, s->handle);
	ampi_me()->open_sessions--;
	vr_rank_free(vr_current, s);
	*session = MPI_SESSION_NULL;
	return MPI_SUCCESS;
}

/* ---- error handlers ---- */

int ampi_Session_set_errhandler(MPI_Session session, MPI_Errhandler h)
{
	const int fn = AMPI_FN_MPI_Session_set_errhandler;
	struct ampi_session *s = ampi_session(session);
	if (!s)
		return ampi_bad_session(session, fn);
	struct ampi_culprit at = ampi_session_culprit(s);
	return ampi_errhandler_set(&at, fn, &s->errhandler, h);
}

int ampi_Session_get_errhandler(MPI_Session session, MPI_Errhandler *h)
{
	const int fn = AMPI_FN_MPI_Session_get_errhandler;
	struct ampi_session *s = ampi_session(session);
	if (!s)
		return ampi_bad_session(session, fn);
	return h ? ampi_errhandler_get(s->errhandler, h) : null(s, fn, "errhandler");
}

int ampi_Session_call_errhandler(MPI_Session session, int code)
{
	const int fn = AMPI_FN_MPI_Session_call_errhandler;
	struct ampi_session *s = ampi_session(session);
	if (!s)
		return ampi_bad_session(session, fn);
	struct ampi_culprit at = ampi_session_culprit(s);
	return ampi_errhandler_call(&at, code, fn);
}

/* ---- info ---- */

/* A new info object with one key. */
static int info_of(const struct ampi_session *s, int fn, const char *key, const char *value, MPI_Info *out)
{
	struct ampi_culprit at = ampi_session_culprit(s);
	int klass = ampi_serve_class(AMPI_FN_MPI_Info_create, (uint64_t[]){(uint64_t)out}, 1);
	if (!klass)
		klass = ampi_serve_class(AMPI_FN_MPI_Info_set, (uint64_t[]){(uint64_t)*out, (uint64_t)key, (uint64_t)value}, 3);
	return raise_served(&at, klass, fn);
}

int ampi_Session_get_info(MPI_Session session, MPI_Info *info)
{
	const int fn = AMPI_FN_MPI_Session_get_info;
	struct ampi_session *s = ampi_session(session);
	if (!s)
		return ampi_bad_session(session, fn);
	return info ? info_of(s, fn, "thread_level", level_names[s->thread_level], info) : null(s, fn, "info_used");
}

/* ---- process sets: those of the standard. Their names are URIs, whose case does not count ---- */

enum { PSET_WORLD, PSET_SELF, PSETS };
static const char *const pset_names[PSETS] = {"mpi://WORLD", "mpi://SELF"};

/* PSETS: there is none with this name; *error is what was raised. */
static int find_pset(const struct ampi_session *s, int fn, const char *name, int *error)
{
	struct ampi_culprit at = ampi_session_culprit(s);
	int i = 0;
	*error = MPI_SUCCESS;
	if (!name) {
		*error = null(s, fn, "pset_name");
		return PSETS;
	}
	while (i < PSETS && strcasecmp(name, pset_names[i]))
		i++;
	if (i == PSETS)
		*error = ampi_raise_on(&at, MPI_ERR_ARG, fn, "pset_name is \"%.100s\": there is no such process set", name);
	return i;
}

int ampi_Session_get_num_psets(MPI_Session session, MPI_Info info, int *n)
{
	const int fn = AMPI_FN_MPI_Session_get_num_psets;
	struct ampi_session *s = ampi_session(session);
	if (!s)
		return ampi_bad_session(session, fn);
	struct ampi_culprit at = ampi_session_culprit(s);
	int error = ampi_check_info_on(&at, fn, info);
	if (error)
		return error;
	if (!n)
		return null(s, fn, "npset_names");
	*n = PSETS;
	return MPI_SUCCESS;
}

/* Copies what fits and says how much the whole name needs, with its end. */
int ampi_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *length, char *name)
{
	const int fn = AMPI_FN_MPI_Session_get_nth_pset;
	struct ampi_session *s = ampi_session(session);
	if (!s)
		return ampi_bad_session(session, fn);
	struct ampi_culprit at = ampi_session_culprit(s);
	int error = ampi_check_info_on(&at, fn, info);
	if (error)
		return error;
	if (n < 0 || n >= PSETS)
		return ampi_raise_on(&at, MPI_ERR_ARG, fn, "n is %d, the session has %d process sets", n, PSETS);
	if (!length)
		return null(s, fn, "pset_len");
	if (*length < 0)
		return ampi_raise_on(&at, MPI_ERR_ARG, fn, "pset_len is %d", *length);
	if (*length && !name)
		return null(s, fn, "pset_name");
	if (*length)
		snprintf(name, *length, "%s", pset_names[n]);
	*length = (int)strlen(pset_names[n]) + 1;
	return MPI_SUCCESS;
}

int ampi_Session_get_pset_info(MPI_Session session, const char *name, MPI_Info *info)
{
	const int fn = AMPI_FN_MPI_Session_get_pset_info;
	struct ampi_session *s = ampi_session(session);
	char size[16];
	int error;
	if (!s)
		return ampi_bad_session(session, fn);
	int pset = find_pset(s, fn, name, &error);
	if (error)
		return error;
	snprintf(size, sizeof size, "%d", pset == PSET_SELF ? 1 : vr_job->ranks);
	return info ? info_of(s, fn, "mpi_size", size, info) : null(s, fn, "info");
}

static int group_of(const struct ampi_session *s, int fn, int pset, MPI_Group *group)
{
	struct ampi_culprit at = ampi_session_culprit(s);
	int n = pset == PSET_SELF ? 1 : vr_job->ranks;
	int32_t *ranks = vr_rank_alloc(vr_current, n * sizeof *ranks);
	if (!ranks)
		return ampi_raise_on(&at, MPI_ERR_NO_MEM, fn, "%s", vr_why_full(vr_current));
	for (int i = 0; i < n; i++)
		ranks[i] = pset == PSET_SELF ? vr_current->id : i;
	int klass = ampi_serve_class(AMPI_FN_GROUP_MAKE, (uint64_t[]){(uint64_t)n, (uint64_t)ranks, s->handle, (uint64_t)group}, 4);
	vr_rank_free(vr_current, ranks);
	return raise_served(&at, klass, fn);
}

int ampi_Group_from_session_pset(MPI_Session session, const char *name, MPI_Group *group)
{
	const int fn = AMPI_FN_MPI_Group_from_session_pset;
	struct ampi_session *s = ampi_session(session);
	int error;
	if (!s)
		return ampi_bad_session(session, fn);
	if (!group)
		return null(s, fn, "newgroup");
	*group = MPI_GROUP_NULL;
	int pset = find_pset(s, fn, name, &error);
	return error ? error : group_of(s, fn, pset, group);
}
