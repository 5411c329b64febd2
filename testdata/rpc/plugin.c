/* A library whose functions others call: built several times, with NUMBER. */
#include <stddef.h>

#include "ampi_rpc.h"

#ifndef NUMBER
#define NUMBER 1
#endif

int value = NUMBER; /* in the library that is linked this is the one that all have */

static int calls;

static size_t hidden(const void *arg, size_t size, void *reply, size_t capacity, int origin, MPI_Comm comm)
{
	(void)arg, (void)size, (void)capacity, (void)origin, (void)comm;
	*(int *)reply = ++calls + 100 * NUMBER;
	return sizeof calls;
}

/* A function that no table of symbols for others has. */
AMPI_Rpc_reply_fn get_hidden(void)
{
	return hidden;
}

/* A call from within the library, to the library. */
int call(int rank, int *out)
{
	size_t n = sizeof *out;
	return AMPI_Rpc(rank, hidden, NULL, 0, out, &n, MPI_COMM_WORLD);
}
