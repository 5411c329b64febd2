/* Do many requests in flight between all pairs, mixed in size and completed out of order, all carry their own data? */
#include "check.h"

#define EACH 6

static int length(int from, int to, int k) { return (from * 131 + to * 17 + k * 977) % 5 == 0 ? 9000 : k * 40; }

int main(int argc, char **argv)
{
	int n, index, (*in)[9000], (*out)[9000];
	MPI_Request *req;
	MPI_Status status;

	check_begin(&argc, &argv);
	n = size * EACH;
	req = malloc(2 * n * sizeof *req);
	in = malloc(n * sizeof *in);
	out = malloc(n * sizeof *out);
	for (int i = n - 1; i >= 0; i--)
		MPI_Irecv(in[i], 9000, MPI_INT, i / EACH, i % EACH, WORLD, &req[i]);
	for (int i = 0; i < n; i++) {
		check_fill(out[i], 9000, rank * 100 + i % EACH);
		MPI_Isend(out[i], length(rank, i / EACH, i % EACH), MPI_INT, i / EACH, i % EACH, WORLD, &req[n + i]);
	}
	for (int done = 0; done < 2 * n; done++) {
		MPI_Waitany(2 * n, req, &index, &status);
		if (index >= n)
			continue;
		int got, from = index / EACH, k = index % EACH;
		MPI_Get_count(&status, MPI_INT, &got);
		CHECK_INT(got, length(from, rank, k));
		CHECK(check_filled(in[index], got, from * 100 + k));
	}
	free(req);
	free(in);
	free(out);
	return check_end("pingpong_many");
}
