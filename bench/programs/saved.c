/* saved KIB PERCENT CHECKPOINTS [PAUSE]: every rank fills so much memory, and has the job saved so many times (+ckpt), PAUSE milliseconds after the last one.
 * In between it changes so many percent of its pages: those that come next, so that in 100/PERCENT rounds each of them has its turn. The times are in the
 * table of +stats. Samples, in microseconds:
 *
 *   memcpy   each PE copies all that its ranks have, at the same time, into memory that was touched before */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sample.h"

#define PAGE 4096

static int rank, ranks;

static char *room(size_t n)
{
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sample_require(p != MAP_FAILED, "no room");
	memset(p, 1, n);
	return p;
}

/* One rank of each PE copies for all of them: the first that comes, since the others wait for it in the barrier. */
static void copies(size_t n)
{
	int *pes, found;
	MPI_Comm_get_attr(MPI_COMM_WORLD, AMPI_NUM_WTHS, &pes, &found);
	sample_require(found, "not under AMPI");
	int each = ranks / *pes, me = rank % each == 0;
	char *from = me ? room(n * each) : NULL, *to = me ? room(n * each) : NULL;
	for (int i = 0; i < 5; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		double most, t = MPI_Wtime();
		if (me)
			memcpy(to, from, n * each);
		t = me ? 1e6 * (MPI_Wtime() - t) : 0;
		MPI_Reduce(&t, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
		if (rank == 0 && i > 0)
			sample_print("memcpy", most);
	}
	if (me) {
		munmap(from, n * each);
		munmap(to, n * each);
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	size_t n = sample_argument(argc, argv, 1, 1024) * 1024ul, pages = n / PAGE;
	long percent = sample_argument(argc, argv, 2, 100), pause = sample_argument(argc, argv, 4, 0);
	copies(n);
	unsigned seed = rank + 1;
	unsigned char *p = malloc(n);
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)((seed = seed * 1103515245 + 12345) >> 16);
	MPI_Info how;
	MPI_Info_create(&how);
	MPI_Info_set(how, "ampi_checkpoint", "to_file=.");
	size_t next = 0;
	for (long c = sample_argument(argc, argv, 3, 3); c > 0; c--) {
		MPI_Barrier(MPI_COMM_WORLD);
		AMPI_Migrate(how);
		usleep(1000 * pause);
		for (size_t k = 0; k < (pages * percent + 99) / 100; k++, next++)
			p[next % pages * PAGE + next % PAGE]++;
	}
	MPI_Info_free(&how);
	free(p);
	MPI_Finalize();
	return 0;
}
