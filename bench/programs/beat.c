/* beat SOCKET MEGABYTES: every rank fills so much memory; then, round after round, each changes a byte in every 16th of its pages, and all meet. Rank 0
 * tells the driver behind each round, but once in a millisecond at most, with a datagram "pid time": of its worker, and the time of day in seconds. All end
 * when nobody listens any more; then every byte must have been changed as often as there were rounds. */
#include <errno.h>
#include <mpi.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sample.h"

#define PAGE 4096

/* Whether somebody has heard it, or is too slow for it. No socket is open between two rounds: a rank with one cannot be saved. */
static int tell(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	char text[64];
	int s = socket(AF_UNIX, SOCK_DGRAM, 0);
	sample_require(s >= 0 && strlen(path) < sizeof to.sun_path, "no socket");
	strcpy(to.sun_path, path);
	int n = snprintf(text, sizeof text, "%d %.6f", (int)getpid(), 1e-6 * sample_clock(CLOCK_REALTIME));
	int heard = sendto(s, text, n, MSG_DONTWAIT, (struct sockaddr *)&to, sizeof to) == n || errno == EAGAIN;
	close(s);
	return heard;
}

/* What a byte is in the beginning, one after the other. */
static unsigned char fresh(unsigned *seed) { return (*seed = *seed * 1103515245 + 12345) >> 16; }

int main(int argc, char **argv)
{
	int rank, ends = 0, all = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	sample_require(argc > 1, "which socket?");
	size_t n = sample_argument(argc, argv, 2, 1) << 20;
	unsigned seed = rank + 1;
	unsigned char *memory = malloc(n);
	sample_require(memory != NULL, "no memory");
	for (size_t i = 0; i < n; i++)
		memory[i] = fresh(&seed);
	double told = 0;
	unsigned char rounds = 0;
	for (; !all; rounds++) {
		for (size_t i = 0; i < n; i += 16 * PAGE)
			memory[i]++;
		MPI_Allreduce(&ends, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
		double now = sample_clock(CLOCK_REALTIME);
		if (rank == 0 && now - told >= 1000) {
			told = now;
			ends = !tell(argv[1]);
		}
	}
	seed = rank + 1;
	for (size_t i = 0; i < n; i++)
		sample_require(memory[i] == (unsigned char)(fresh(&seed) + (i % (16 * PAGE) == 0) * rounds), "the memory is wrong");
	free(memory);
	MPI_Finalize();
	return 0;
}
