/* Are functions of AMPI_Register_pup called to pack at a checkpoint that all ranks ask for, and to unpack after a restart from it, but not when
 * the job simply goes on? The first run ends with code 3 behind the checkpoint. */
#include "../mpi/check.h"

#include "pup_c.h"

static int sizing, packing, unpacking, state;

static void pup_state(pup_er p, void *data)
{
	sizing += pup_isSizing(p);
	packing += pup_isPacking(p);
	unpacking += pup_isUnpacking(p);
	CHECK(!pup_isDeleting(p));
	pup_int(p, data);
}

int main(int argc, char **argv)
{
	int index;
	MPI_Info info;

	check_begin(&argc, &argv);
	state = 100 + rank;
	AMPI_Register_pup(pup_state, &state, &index);
	MPI_Info_create(&info);
	MPI_Info_set(info, "ampi_checkpoint", "to_file=anywhere");
	CHECK_INT(AMPI_Migrate(info), MPI_SUCCESS);
	MPI_Info_free(&info);
	CHECK_INT(sizing, 1);
	CHECK_INT(packing, 1);
	CHECK_INT(state, 100 + rank);
	MPI_Barrier(WORLD);
	if (!unpacking)
		exit(3);
	CHECK_INT(unpacking, 1);
	return check_end("pup_restart");
}
