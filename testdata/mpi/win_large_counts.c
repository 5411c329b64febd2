/* Do the calls on windows with large counts what those with small ones do? */
#include "check.h"

#define N 8

static MPI_Win win;
static long *memory;

static void operations(void)
{
	long out[N], in[N], old[N];
	int next = (rank + 1) % size, previous = (rank + size - 1) % size;
	MPI_Count n = N;
	MPI_Request r;

	for (int i = 0; i < N; i++)
		out[i] = 100 * rank + i;
	MPI_Win_fence(0, win);
	MPI_Put_c(out, n, MPI_LONG, next, 0, n, MPI_LONG, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < N; i++)
		CHECK_INT(memory[i], 100 * previous + i);
	MPI_Get_c(in, n, MPI_LONG, next, 0, n, MPI_LONG, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < N; i++)
		CHECK_INT(in[i], out[i]);
	MPI_Accumulate_c(out, n, MPI_LONG, next, 0, n, MPI_LONG, MPI_SUM, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	for (int i = 0; i < N; i++)
		CHECK_INT(memory[i], 2 * (100 * previous + i));
	MPI_Barrier(WORLD);

	MPI_Win_lock_all(0, win);
	MPI_Get_accumulate_c(out, n, MPI_LONG, old, n, MPI_LONG, next, 0, n, MPI_LONG, MPI_SUM, win);
	MPI_Win_flush(next, win);
	for (int i = 0; i < N; i++)
		CHECK_INT(old[i], 2 * out[i]);
	MPI_Rget_accumulate_c(out, n, MPI_LONG, old, n, MPI_LONG, next, 0, n, MPI_LONG, MPI_REPLACE, win, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	for (int i = 0; i < N; i++)
		CHECK_INT(old[i], 3 * out[i]);
	MPI_Raccumulate_c(out, n, MPI_LONG, next, 0, n, MPI_LONG, MPI_SUM, win, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Win_flush(next, win);
	MPI_Rget_c(in, n, MPI_LONG, next, 0, n, MPI_LONG, win, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	for (int i = 0; i < N; i++)
		CHECK_INT(in[i], 2 * out[i]);
	MPI_Rput_c(out, 1, MPI_LONG, next, N - 1, 1, MPI_LONG, win, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
	CHECK_INT(memory[N - 1], 100 * previous);
}

int main(int argc, char **argv)
{
	static long own[N];
	MPI_Aint bytes, unit;
	long *theirs;

	check_begin(&argc, &argv);
	memory = own;
	MPI_Win_create_c(own, sizeof own, sizeof *own, MPI_INFO_NULL, WORLD, &win);
	operations();
	MPI_Win_free(&win);
	MPI_Win_allocate_c(sizeof own, sizeof *own, MPI_INFO_NULL, WORLD, &memory, &win);
	operations();
	MPI_Win_free(&win);
	MPI_Win_allocate_shared_c(sizeof own, sizeof *own, MPI_INFO_NULL, WORLD, &memory, &win);
	operations();
	MPI_Win_shared_query_c(win, (rank + 1) % size, &bytes, &unit, &theirs);
	CHECK(bytes == sizeof own && unit == sizeof *own);
	CHECK_INT(theirs[N - 1], 100 * rank);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	return check_end("win_large_counts");
}
