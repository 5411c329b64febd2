/* Beginning and end of MPI in a rank (MPI 5.0 section 11.2). */
#include "ampi/coll/coll.h"

#include "vrank/core/fiber.h"

#include <string.h>
#include <unistd.h>

static void predefined_comm(struct ampi_comm *c, MPI_Comm handle, const char *name, uint32_t context, int rank, int size)
{
	c->handle = (uint32_t)(uint64_t)handle;
	c->refs = 1;
	c->context = context;
	c->rank = rank;
	c->size = size;
	c->errhandler = (uint64_t)MPI_ERRORS_ARE_FATAL;
	strcpy(c->name, name);
}

_Static_assert(sizeof(struct ampi_rank) <= VR_MPI_STATE, "the MPI state outgrew its place beside the control block");

/* PE stack: give a new rank its MPI state, in zeroed memory. */
void ampi_rank_init(struct vr_rank *r)
{
	struct ampi_rank *m = r->mpi;
	predefined_comm(&m->world, MPI_COMM_WORLD, "MPI_COMM_WORLD", AMPI_CONTEXT_WORLD, r->id, vr_job->ranks);
	predefined_comm(&m->self, MPI_COMM_SELF, "MPI_COMM_SELF", AMPI_CONTEXT_SELF, 0, 1);
	m->last_error_code = MPI_ERR_LASTCODE;
	m->file_errhandler = (uint64_t)MPI_ERRORS_RETURN; /* MPI 5.0 section 14.7 */
}

/* All levels are served. */
static int granted(int required)
{
	if (required > MPI_THREAD_SERIALIZED)
		return MPI_THREAD_MULTIPLE;
	if (required > MPI_THREAD_FUNNELED)
		return MPI_THREAD_SERIALIZED;
	return required > MPI_THREAD_SINGLE ? MPI_THREAD_FUNNELED : MPI_THREAD_SINGLE;
}

static int init(int fn, int required, int *provided)
{
	struct vr_rank *me = vr_current;
	if (me->mpi_state != VR_MPI_BEFORE)
		return ampi_raise(NULL, MPI_ERR_OTHER, fn, "MPI is initialized already, or was finalized");
	if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "required is %d", required);
	me->mpi_state = VR_MPI_RUNNING;
	ampi_me()->thread_level = granted(required);
	ampi_me()->main_thread = vr_calling_thread();
	*provided = ampi_me()->thread_level;
	ampi_me()->self.team = ampi_team_self();
	ampi_me()->world.team = ampi_team_world();
	return ampi_me()->world.team ? MPI_SUCCESS : ampi_raise(NULL, MPI_ERR_NO_MEM, fn, "the job's arena for communicators is full");
}

int ampi_Init(int *argc, char ***argv)
{
	int provided;
	(void)argc, (void)argv;
	return init(AMPI_FN_MPI_Init, MPI_THREAD_SINGLE, &provided);
}

int ampi_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	(void)argc, (void)argv;
	return init(AMPI_FN_MPI_Init_thread, required, provided);
}

/* Attributes of MPI_COMM_SELF are deleted first, so that libraries learn of the end (MPI 5.0 section 11.2.4). Everyone
 * leaves together: a rank that ends early could otherwise end the job for the others. */
int ampi_Finalize(void)
{
	const int fn = AMPI_FN_MPI_Finalize;
	struct vr_rank *me = vr_current;
	if (me->mpi_state != VR_MPI_RUNNING)
		return ampi_bad_comm(MPI_COMM_WORLD, fn);
	int error = ampi_attrs_free(&ampi_me()->self, fn);
	if (!error)
		error = ampi_attrs_free(&ampi_me()->world, fn);
	if (error)
		return ampi_raise(NULL, error, fn, "a delete function of an attribute returned an error");
	error = ampi_barrier(fn, AMPI_COLL_FINALIZE, MPI_COMM_WORLD);
	if (error)
		return error;
	vr_progress(); /* remote calls that others have made before */
	me->mpi_state = VR_MPI_FINALIZED;
	return MPI_SUCCESS;
}

int ampi_Initialized(int *flag)
{
	*flag = vr_current->mpi_state != VR_MPI_BEFORE;
	return MPI_SUCCESS;
}

int ampi_Finalized(int *flag)
{
	*flag = vr_current->mpi_state == VR_MPI_FINALIZED;
	return MPI_SUCCESS;
}

int ampi_Query_thread(int *provided)
{
	int error = ampi_check_running(AMPI_FN_MPI_Query_thread);
	if (!error)
		*provided = ampi_me()->thread_level;
	return error;
}

int ampi_Is_thread_main(int *flag)
{
	int error = ampi_check_running(AMPI_FN_MPI_Is_thread_main);
	if (!error)
		*flag = vr_calling_thread() == ampi_me()->main_thread;
	return error;
}
