/* Moves of the rank that calls, for programs that look at what holds in another worker. */
#ifndef MOVES_H
#define MOVES_H

#include <stdlib.h>
#include <unistd.h>

#include "../mpi/check.h"

/* Go to the other one of two workers: 1, or 0 where the rank had to stay. */
static int moves(void)
{
	static int at = -1;
	int was = getpid();
	if (at < 0) {
		at = atoi(getenv("AMPI_PE"));
		MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	}
	int error = AMPI_Migrate_to_pe(1 - at);
	CHECK_INT(error == MPI_SUCCESS, getpid() != was);
	at = error ? at : 1 - at;
	return !error;
}

#endif
