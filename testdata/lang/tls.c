/* Are __thread variables of every model private to a rank: zero, initialised, addresses kept, MPI buffers in them? */
#include "check.h"

static __thread int initialised = 11;
static __thread int zero[100];
__thread double global_tls = 2.5;
static __thread char aligned[64] __attribute__((aligned(64))) = "aligned";
static __thread int *self;

int main(int argc, char **argv)
{
	int got = -1;

	check_begin(&argc, &argv);
	CHECK(initialised == 11 && zero[99] == 0 && global_tls == 2.5 && strcmp(aligned, "aligned") == 0);
	CHECK((unsigned long)aligned % 64 == 0);
	self = &initialised;
	initialised += rank;
	zero[99] = rank;
	global_tls *= rank;
	aligned[0] = (char)('a' + rank % 26);
	check_others_run();
	CHECK(*self == 11 + rank && self == &initialised);
	CHECK(zero[99] == rank && global_tls == 2.5 * rank && aligned[0] == 'a' + rank % 26);

	/* Buffers in thread-local memory, while their owner waits. */
	MPI_Sendrecv(&initialised, 1, MPI_INT, (rank + 1) % size, 1, &zero[5], 1, MPI_INT, (rank + size - 1) % size, 1,
	             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(zero[5] == 11 + (rank + size - 1) % size);
	MPI_Allreduce(&zero[99], &zero[7], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(zero[7] == size * (size - 1) / 2);
	MPI_Bcast(zero, 100, MPI_INT, 0, MPI_COMM_WORLD);
	CHECK(zero[99] == 0);
	MPI_Scan(&rank, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(got == rank * (rank + 1) / 2);
	return check_end("tls");
}
