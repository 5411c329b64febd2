/* Do post, start, complete, wait and test order what groups of any shape do, round after round? */
#include "check.h"

#define ROUNDS 40

static MPI_Win win;
static int *memory;

/* The ranks [from, from + n), in a circle. */
static MPI_Group circle(MPI_Group all, int from, int n)
{
	MPI_Group g;
	int list[64];

	for (int i = 0; i < n; i++)
		list[i] = (from + i + size) % size;
	MPI_Group_incl(all, n, list, &g);
	return g;
}

static void exchange(MPI_Group all, int n)
{
	MPI_Group to = circle(all, rank + 1, n), from = circle(all, rank - n, n);

	for (int round = 0; round < ROUNDS; round++) {
		int x = 1000 * rank + round, done = 0;
		MPI_Win_post(from, 0, win);
		MPI_Win_start(to, 0, win);
		for (int i = 1; i <= n; i++)
			MPI_Put(&x, 1, MPI_INT, (rank + i) % size, n - i, 1, MPI_INT, win);
		MPI_Win_complete(win);
		if (round % 2)
			MPI_Win_wait(win);
		while (round % 2 == 0 && !done)
			MPI_Win_test(win, &done);
		for (int i = 0; i < n; i++)
			CHECK_INT(memory[i], 1000 * ((rank - n + i + size) % size) + round);
	}
	MPI_Group_free(&to);
	MPI_Group_free(&from);
}

/* One target, many origins; then one origin, many targets. */
static void star(MPI_Group all)
{
	MPI_Group others = circle(all, 1, size - 1), first = circle(all, 0, 1);
	int x = rank + 500;

	for (int round = 0; round < ROUNDS; round++) {
		if (rank == 0) {
			MPI_Win_post(others, MPI_MODE_NOSTORE, win);
			MPI_Win_wait(win);
			for (int i = 1; i < size; i++)
				CHECK_INT(memory[i], 500 + i);
			MPI_Win_start(others, 0, win);
			for (int i = 1; i < size; i++)
				MPI_Put(&round, 1, MPI_INT, i, 0, 1, MPI_INT, win);
			MPI_Win_complete(win);
		} else {
			MPI_Win_start(first, 0, win);
			MPI_Put(&x, 1, MPI_INT, 0, rank, 1, MPI_INT, win);
			MPI_Win_complete(win);
			MPI_Win_post(first, 0, win);
			MPI_Win_wait(win);
			CHECK_INT(memory[0], round);
		}
	}
	MPI_Group_free(&others);
	MPI_Group_free(&first);
}

int main(int argc, char **argv)
{
	MPI_Group all;

	check_begin(&argc, &argv);
	MPI_Win_allocate(64 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &win);
	MPI_Win_get_group(win, &all);
	for (int n = 0; n < size && n < 4; n++)
		exchange(all, n);
	if (size > 1)
		star(all);
	MPI_Win_post(MPI_GROUP_EMPTY, 0, win);
	MPI_Win_wait(win);
	MPI_Group_free(&all);
	MPI_Win_free(&win);
	return check_end("win_post");
}
