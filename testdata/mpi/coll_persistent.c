/* Can persistent collectives be started again and again, several of them at a time, with new data in the same buffers, and freed? */
#include "check.h"

#define TURNS 20
#define N 50

enum { ALLREDUCE, BCAST, GATHER, SCATTER, ALLGATHER, ALLTOALL, SCAN, EXSCAN, REDUCE, PARTS, BLOCKS, BARRIER, GATHERV, ALLTOALLV, KINDS };

static MPI_Request request[KINDS];
static int *in[KINDS], *out[KINDS], *want, counts[64], displs[64];

static void make(void)
{
	int last = size - 1;

	for (int i = 0; i < KINDS; i++) {
		in[i] = calloc(N * size, sizeof(int));
		out[i] = calloc(N * size, sizeof(int));
	}
	want = calloc(N * size, sizeof(int));
	for (int i = 0; i < size; i++) {
		counts[i] = N - i % 3;
		displs[i] = i * N;
	}
	MPI_Allreduce_init(in[ALLREDUCE], out[ALLREDUCE], N, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request[ALLREDUCE]);
	MPI_Bcast_init(out[BCAST], N, MPI_INT, last, WORLD, MPI_INFO_NULL, &request[BCAST]);
	MPI_Gather_init(in[GATHER], N, MPI_INT, out[GATHER], N, MPI_INT, last, WORLD, MPI_INFO_NULL, &request[GATHER]);
	MPI_Scatter_init(in[SCATTER], N, MPI_INT, out[SCATTER], N, MPI_INT, last, WORLD, MPI_INFO_NULL, &request[SCATTER]);
	MPI_Allgather_init(in[ALLGATHER], N, MPI_INT, out[ALLGATHER], N, MPI_INT, WORLD, MPI_INFO_NULL, &request[ALLGATHER]);
	MPI_Alltoall_init(in[ALLTOALL], N, MPI_INT, out[ALLTOALL], N, MPI_INT, WORLD, MPI_INFO_NULL, &request[ALLTOALL]);
	MPI_Scan_init(in[SCAN], out[SCAN], N, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request[SCAN]);
	MPI_Exscan_init(in[EXSCAN], out[EXSCAN], N, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request[EXSCAN]);
	MPI_Reduce_init(in[REDUCE], out[REDUCE], N, MPI_INT, MPI_MAX, last, WORLD, MPI_INFO_NULL, &request[REDUCE]);
	MPI_Reduce_scatter_init(in[PARTS], out[PARTS], counts, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request[PARTS]);
	MPI_Reduce_scatter_block_init(in[BLOCKS], out[BLOCKS], N, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &request[BLOCKS]);
	MPI_Barrier_init(WORLD, MPI_INFO_NULL, &request[BARRIER]);
	MPI_Gatherv_init(in[GATHERV], counts[rank], MPI_INT, out[GATHERV], counts, displs, MPI_INT, 0, WORLD, MPI_INFO_NULL, &request[GATHERV]);
	MPI_Alltoallv_init(in[ALLTOALLV], counts, displs, MPI_INT, out[ALLTOALLV], counts, displs, MPI_INT, WORLD, MPI_INFO_NULL, &request[ALLTOALLV]);
}

/* Blocks of alltoallv have a size per pair that both sides agree on. */
static void make_symmetric(void)
{
	static int sizes[64];

	for (int i = 0; i < size; i++)
		sizes[i] = N - (i + rank) % 3;
	MPI_Request_free(&request[ALLTOALLV]);
	CHECK(request[ALLTOALLV] == MPI_REQUEST_NULL);
	MPI_Alltoallv_init(in[ALLTOALLV], sizes, displs, MPI_INT, out[ALLTOALLV], sizes, displs, MPI_INT, WORLD, MPI_INFO_NULL, &request[ALLTOALLV]);
	memcpy(counts, sizes, sizeof sizes);
	MPI_Request_free(&request[GATHERV]);
	for (int i = 0; i < size; i++)
		counts[i] = N - i % 3;
	MPI_Gatherv_init(in[GATHERV], counts[rank], MPI_INT, out[GATHERV], counts, displs, MPI_INT, 0, WORLD, MPI_INFO_NULL, &request[GATHERV]);
}

static void fill(int turn)
{
	for (int k = 0; k < KINDS; k++) {
		check_fill(in[k], N * size, turn * 1000 + rank);
		for (int i = 0; i < N * size; i++)
			in[k][i] &= 0xffff;
		check_wipe(out[k], N * size);
	}
	if (rank == size - 1)
		memcpy(out[BCAST], in[BCAST], N * sizeof(int));
}

static void same(int kind, const int *w, int n)
{
	CHECK(!memcmp(out[kind], w, n * sizeof(int)));
}

/* What the blocking calls give. */
static void verify(void)
{
	int last = size - 1;

	MPI_Allreduce(in[ALLREDUCE], want, N, MPI_INT, MPI_SUM, WORLD);
	same(ALLREDUCE, want, N);
	memcpy(want, in[BCAST], N * sizeof(int));
	MPI_Bcast(want, N, MPI_INT, last, WORLD);
	same(BCAST, want, N);
	MPI_Gather(in[GATHER], N, MPI_INT, want, N, MPI_INT, last, WORLD);
	same(GATHER, want, rank == last ? N * size : 0);
	MPI_Scatter(in[SCATTER], N, MPI_INT, want, N, MPI_INT, last, WORLD);
	same(SCATTER, want, N);
	MPI_Allgather(in[ALLGATHER], N, MPI_INT, want, N, MPI_INT, WORLD);
	same(ALLGATHER, want, N * size);
	MPI_Alltoall(in[ALLTOALL], N, MPI_INT, want, N, MPI_INT, WORLD);
	same(ALLTOALL, want, N * size);
	MPI_Scan(in[SCAN], want, N, MPI_INT, MPI_SUM, WORLD);
	same(SCAN, want, N);
	MPI_Exscan(in[EXSCAN], want, N, MPI_INT, MPI_SUM, WORLD);
	same(EXSCAN, want, rank ? N : 0);
	MPI_Reduce(in[REDUCE], want, N, MPI_INT, MPI_MAX, last, WORLD);
	same(REDUCE, want, rank == last ? N : 0);
	MPI_Reduce_scatter(in[PARTS], want, counts, MPI_INT, MPI_SUM, WORLD);
	same(PARTS, want, counts[rank]);
	MPI_Reduce_scatter_block(in[BLOCKS], want, N, MPI_INT, MPI_SUM, WORLD);
	same(BLOCKS, want, N);
	check_wipe(want, N * size);
	MPI_Gatherv(in[GATHERV], counts[rank], MPI_INT, want, counts, displs, MPI_INT, 0, WORLD);
	same(GATHERV, want, N * size);
}

static void start(int turn)
{
	if (turn % 2) {
		MPI_Startall(KINDS, request);
		return;
	}
	for (int k = 0; k < KINDS; k++)
		MPI_Start(&request[k]);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (size > 64)
		MPI_Abort(WORLD, 2);
	make();
	make_symmetric();
	for (int turn = 0; turn < TURNS; turn++) {
		fill(turn);
		start(turn);
		if (turn % 3)
			MPI_Waitall(KINDS, request, MPI_STATUSES_IGNORE);
		else
			for (int k = KINDS - 1; k >= 0; k--)
				MPI_Wait(&request[k], MPI_STATUS_IGNORE);
		verify();
	}
	for (int k = 0; k < KINDS; k++) {
		CHECK(request[k] != MPI_REQUEST_NULL);
		MPI_Request_free(&request[k]);
		CHECK(request[k] == MPI_REQUEST_NULL);
	}
	return check_end("coll_persistent");
}
