/* steal MICROSECONDS ROUNDS: microseconds until a rank runs that a PE with nothing to run has stolen. Needs three ranks on two PEs.
 *
 * BUSY computes so long, without a call, on PE 0; READY could go on, and waits for that core. IDLE, alone on PE 1, notes the time and waits for a
 * message, so that its PE has nothing to run; the first thing that READY does when it goes on is to note the time as well. That is "steal".
 * In every other round PE 1 has had nothing to run for milliseconds, and sleeps, before READY could go on: "woken" is from then. The
 * rounds in which READY has not been stolen are "missed", each of them 1, the others 0. */
#include <mpi.h>
#include <unistd.h>

#include "work.h"

enum { BUSY, READY, IDLE };

struct note {
	double could, did; /* when READY could go on, and when it did */
	double worker;
};

static double per_us;
static long us;

static void compute(double microseconds)
{
	volatile double x = work(0.5, (long)(microseconds * per_us));
	(void)x;
}

static double now(void)
{
	return sample_clock(CLOCK_MONOTONIC);
}

static void be_busy(int asleep)
{
	if (asleep)
		compute(4000);
	MPI_Send(NULL, 0, MPI_BYTE, READY, 0, MPI_COMM_WORLD);
	AMPI_Yield();
	compute(us);
}

static void be_ready(void)
{
	struct note n;
	MPI_Recv(NULL, 0, MPI_BYTE, BUSY, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	n.could = now();
	AMPI_Yield();
	n.did = now();
	n.worker = getpid();
	compute(us / 4); /* what makes it worth stealing */
	MPI_Send(&n, 3, MPI_DOUBLE, IDLE, 0, MPI_COMM_WORLD);
	AMPI_Migrate_to_pe(0);
}

static void be_idle(int asleep, int is_sample)
{
	struct note n;
	if (!asleep)
		compute(us / 2);
	double since = now();
	MPI_Recv(&n, 3, MPI_DOUBLE, READY, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	int is_stolen = n.worker == getpid() && (asleep || n.could < since);
	if (!is_sample)
		return;
	if (is_stolen)
		sample_print(asleep ? "woken" : "steal", n.did - (asleep ? n.could : since));
	sample_print("missed", !is_stolen);
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	sample_require(size == 3, "needs 3 ranks");
	us = sample_argument(argc, argv, 1, 1000);
	long rounds = sample_argument(argc, argv, 2, 100);
	per_us = work_speed();
	AMPI_Set_migratable(rank == READY);
	for (long i = -10; i < rounds; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == BUSY)
			be_busy(i & 1);
		else if (rank == READY)
			be_ready();
		else
			be_idle(i & 1, i >= 0);
	}
	MPI_Finalize();
	return 0;
}
