/* The calls by which programs written for AMPI take part in load balancing. AMPI's manual tells what they do there; here ranks
 * move at any time without them. */
#include <string.h>

#include "ampi/ampi.h"
#include "ampi/migrate.h"
#include "ampi/pup.h"
#include "vrank/freeze/freeze.h"
#include "vrank/migrate/balance.h"
#include "vrank/migrate/move.h"

/* How often the rank that asked for a step looks whether it is done, in nanoseconds. */
#define LOOK_EVERY 20000

enum hint { HINT_NONE, HINT_SYNC, HINT_ASYNC, HINT_TO_FILE, HINT_IN_MEMORY, HINT_BAD };

/* ---- moving by itself ---- */

/* Functions of the program run on the rank's stack, in the worker that it leaves and in the one that it comes to. */
const char *ampi_go(int32_t to)
{
	struct ampi_rank *me = ampi_me();
	if (to == vr_pe->id)
		return NULL;
	if (me->about_to_migrate)
		me->about_to_migrate();
	int error = ampi_pups_pack(AMPI_FN_AMPI_Migrate, 1);
	const char *why = error ? "what it has cannot be packed" : vr_move_self(to);
	ampi_pups_unpack(AMPI_FN_AMPI_Migrate);
	if (!why && me->just_migrated)
		me->just_migrated();
	return why;
}

static int32_t next_pe(int32_t pe, int32_t but)
{
	do
		pe = (pe + 1) % vr_job->pes;
	while (pe == but);
	return pe;
}

static void go_where_told(void)
{
	int32_t to = atomic_exchange(&vr_current->load.destination, 0);
	if (to)
		ampi_go(to - 1); /* whoever cannot go stays: balancing is no promise */
}

int ampi_AMPI_Evacuate(void)
{
	const int fn = AMPI_FN_AMPI_Evacuate;
	int error = ampi_check_running(fn);
	int32_t here = vr_pe->id, to = here;
	if (error)
		return error;
	if (vr_job->pes == 1)
		return ampi_raise(NULL, MPI_ERR_OTHER, fn, "the job has one PE (see +p)");
	for (struct vr_rank *r = vr_pe->all; r; r = r->all_next) {
		if (r == vr_current || atomic_load(&r->context.state) == VR_ENDED)
			continue;
		to = next_pe(to, here);
		if (vr_move_order(r, to))
			return ampi_raise(NULL, MPI_ERR_NO_MEM, fn, "the memory that the workers share is full");
	}
	const char *why = ampi_go(next_pe(to, here));
	return why ? ampi_raise(NULL, MPI_ERR_OTHER, fn, "rank %d cannot move: %s", vr_current->id, why) : MPI_SUCCESS;
}

int ampi_AMPI_Migrate_to_pe(int dest)
{
	const int fn = AMPI_FN_AMPI_Migrate_to_pe;
	int error = ampi_check_running(fn);
	if (error)
		return error;
	if (dest < 0 || dest >= vr_job->pes)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "dest is %d, with %d PEs", dest, vr_job->pes);
	const char *why = ampi_go(dest);
	return why ? ampi_raise(NULL, MPI_ERR_OTHER, fn, "rank %d cannot move: %s", vr_current->id, why) : MPI_SUCCESS;
}

/* ---- steps of balancing ---- */

static int read_hint(MPI_Info info, const char *key, char *value, int room)
{
	int flag = 0;
	ampi_serve_as(AMPI_FN_AMPI_Migrate, AMPI_FN_MPI_Info_get,
		      (uint64_t[]){(uint64_t)info, (uint64_t)key, (uint64_t)(room - 1), (uint64_t)value, (uint64_t)&flag}, 5);
	return flag;
}

/* Where a checkpoint goes is for the one to say who runs the job: the directory in the hint is not looked at. */
static enum hint checkpoint_hint(const char *value, int *error)
{
	const int fn = AMPI_FN_AMPI_Migrate;
	int in_memory = !strcmp(value, "in_memory");
	if (!in_memory && strncmp(value, "to_file=", 8))
		*error = ampi_raise(NULL, MPI_ERR_INFO_VALUE, fn, "ampi_checkpoint is \"%s\", not to_file=DIR or in_memory", value);
	else if (!(vr_job->saves & (in_memory ? VR_TO_MEMORY : VR_TO_DISK)))
		*error = ampi_raise(NULL, MPI_ERR_UNSUPPORTED_OPERATION, fn, "ampi_checkpoint is \"%s\": run the job with %s to have checkpoints", value,
				    in_memory ? "+ft memory" : "+ckpt DIR");
	else
		return in_memory ? HINT_IN_MEMORY : HINT_TO_FILE;
	return HINT_BAD;
}

static enum hint hint_of(MPI_Info info, int *error)
{
	const int fn = AMPI_FN_AMPI_Migrate;
	char value[4200] = "";
	if (info == MPI_INFO_NULL)
		return HINT_NONE;
	if (read_hint(info, "ampi_checkpoint", value, sizeof value))
		return checkpoint_hint(value, error);
	if (!read_hint(info, "ampi_load_balance", value, sizeof value))
		return HINT_NONE;
	if (!strcmp(value, "sync"))
		return HINT_SYNC;
	if (!strcmp(value, "async"))
		return HINT_ASYNC;
	*error = ampi_raise(NULL, MPI_ERR_INFO_VALUE, fn, "ampi_load_balance is \"%s\", not sync or async", value);
	return HINT_BAD;
}

static void step_and_wait(void)
{
	uint32_t step = vr_step_ask();
	while (!vr_step_is_done(step))
		vr_rank_sleep(LOOK_EVERY);
}

/* All ranks are here while the step goes on, so all are at rest, and all moves are over when it returns. */
static int migrate_sync(void)
{
	struct vr_load *l = &vr_current->load;
	atomic_store(&l->at_point, 1);
	int error = ampi_Barrier(MPI_COMM_WORLD);
	if (!error && vr_current->id == 0)
		step_and_wait();
	if (!error)
		error = ampi_Barrier(MPI_COMM_WORLD);
	atomic_store(&l->at_point, 0);
	go_where_told();
	return error ? error : ampi_Barrier(MPI_COMM_WORLD);
}

/* Ranks with functions to call stay: they are told nothing while they compute. */
static int migrate_async(void)
{
	int error = ampi_Barrier(MPI_COMM_WORLD);
	if (!error && vr_current->id == 0)
		vr_step_ask();
	return error;
}

static int save_at_barrier(enum vr_saves place)
{
	int error = ampi_Barrier(MPI_COMM_WORLD);
	if (!error && vr_current->id == 0)
		vr_freeze_and_wait(place);
	return error ? error : ampi_Barrier(MPI_COMM_WORLD);
}

/* All ranks have called when the job is saved, and all go on behind the call: now, or after a restart, which sets the job's clock anew. A job
 * that cannot be saved goes on too; its manager says why. */
static int save(enum vr_saves place)
{
	const int fn = AMPI_FN_AMPI_Migrate;
	int64_t clock = vr_job->clock;
	int own = ampi_pups_pack(fn, 0), error = save_at_barrier(place);
	if (!own && clock != vr_job->clock)
		own = ampi_pups_unpack(fn);
	ampi_pups_drop();
	return error ? error : own;
}

int ampi_AMPI_Migrate(MPI_Info info)
{
	int error = ampi_check_running(AMPI_FN_AMPI_Migrate);
	if (error)
		return error;
	go_where_told();
	switch (hint_of(info, &error)) {
	case HINT_SYNC:
		return migrate_sync();
	case HINT_ASYNC:
		return migrate_async();
	case HINT_TO_FILE:
		return save(VR_TO_DISK);
	case HINT_IN_MEMORY:
		return save(VR_TO_MEMORY);
	default:
		return error;
	}
}

/* ---- what balancing is to know ---- */

int ampi_AMPI_Set_migratable(int mig)
{
	int error = ampi_check_running(AMPI_FN_AMPI_Set_migratable);
	if (!error)
		vr_current->load.is_fixed = !mig;
	return error;
}

int ampi_AMPI_Comm_set_migratable(MPI_Comm comm, int mig)
{
	if (!ampi_comm(comm))
		return ampi_bad_comm(comm, AMPI_FN_AMPI_Comm_set_migratable);
	vr_current->load.is_fixed = !mig;
	return MPI_SUCCESS;
}

int ampi_AMPI_Load_start_measure(void)
{
	vr_measure_all();
	vr_load_start();
	return MPI_SUCCESS;
}

int ampi_AMPI_Load_stop_measure(void)
{
	vr_load_stop();
	return MPI_SUCCESS;
}

int ampi_AMPI_Load_reset_measure(void)
{
	vr_load_reset();
	return MPI_SUCCESS;
}

int ampi_AMPI_Load_set_value(double value)
{
	if (!(value >= 0 && value < 1e300))
		return ampi_raise(NULL, MPI_ERR_ARG, AMPI_FN_AMPI_Load_set_value, "value is %g", value);
	vr_load_set(value);
	return MPI_SUCCESS;
}

void ampi_is_told_changes(void)
{
	vr_current->load.is_told = ampi_me()->about_to_migrate || ampi_me()->just_migrated || ampi_me()->npups;
}

int ampi_AMPI_Register_about_to_migrate(MPI_MigrateFn fn)
{
	ampi_me()->about_to_migrate = fn;
	ampi_is_told_changes();
	return MPI_SUCCESS;
}

int ampi_AMPI_Register_just_migrated(MPI_MigrateFn fn)
{
	ampi_me()->just_migrated = fn;
	ampi_is_told_changes();
	return MPI_SUCCESS;
}
