/* Do collectives that follow each other at once, on several communicators, with point-to-point pending, stay apart? */
#include "check.h"

#define ROUNDS 60

static MPI_Comm odd_even, reversed;

static void one_round(int round)
{
	int root = round % size, value = rank == root ? round * 7 : -1, sum, half_rank, half_size, below = -1;

	MPI_Bcast(&value, 1, MPI_INT, root, WORLD);
	CHECK_INT(value, round * 7);
	MPI_Comm_rank(odd_even, &half_rank);
	MPI_Comm_size(odd_even, &half_size);
	MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, odd_even);
	CHECK_INT(sum, round * half_size);
	MPI_Exscan(&(int){1}, &below, 1, MPI_INT, MPI_SUM, reversed);
	CHECK(rank == size - 1 || below == size - 1 - rank);
	value = rank == root ? round : -1;
	MPI_Bcast(&value, 1, MPI_INT, size - 1 - root, reversed);
	CHECK_INT(value, round);
}

int main(int argc, char **argv)
{
	MPI_Request req[2 * ROUNDS];
	MPI_Status status[2 * ROUNDS];
	int in[ROUNDS], out[ROUNDS], to, from;

	check_begin(&argc, &argv);
	to = (rank + 1) % size;
	from = (rank + size - 1) % size;
	MPI_Comm_split(WORLD, rank % 2, rank, &odd_even);
	MPI_Comm_split(WORLD, 0, -rank, &reversed);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &req[i]);
		one_round(i);
		out[i] = rank * 1000 + i;
		MPI_Isend(&out[i], 1, MPI_INT, to, i, WORLD, &req[ROUNDS + i]);
	}
	MPI_Waitall(2 * ROUNDS, req, status);
	for (int i = 0; i < ROUNDS; i++)
		CHECK_INT(in[i], from * 1000 + i);
	MPI_Comm_free(&odd_even);
	MPI_Comm_free(&reversed);
	return check_end("coll_stress");
}
