/* restart MEGABYTES: every rank fills so much memory and asks for a checkpoint. Samples are times of day, in seconds:
 *
 *   begun   at the begin of main: of a new job
 *   going   behind the call in which the job was saved: of the job itself, and again of each that goes on from there */
#include <mpi.h>

#include "sample.h"

static void tell(const char *key)
{
	printf("sample %s %.6f\n", key, 1e-6 * sample_clock(CLOCK_REALTIME));
}

/* What does not shrink. */
static void fill(unsigned long *p, size_t n, unsigned long seed)
{
	for (size_t i = 0; i < n; i++) {
		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		p[i] = seed;
	}
}

static unsigned long sum(const unsigned long *p, size_t n)
{
	unsigned long s = 0;
	for (size_t i = 0; i < n; i++)
		s = s * 31 + p[i];
	return s;
}

int main(int argc, char **argv)
{
	tell("begun");
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	size_t n = (sample_argument(argc, argv, 1, 1) << 20) / sizeof(long);
	unsigned long *memory = malloc(n * sizeof *memory);
	sample_require(memory != NULL, "no memory");
	fill(memory, n, 88172645463325252ul + rank);
	unsigned long before = sum(memory, n);
	MPI_Info hints;
	MPI_Info_create(&hints);
	MPI_Info_set(hints, "ampi_checkpoint", "to_file=saves");
	AMPI_Migrate(hints);
	tell("going");
	sample_require(sum(memory, n) == before, "the memory has changed");
	MPI_Info_free(&hints);
	MPI_Finalize();
	return 0;
}
