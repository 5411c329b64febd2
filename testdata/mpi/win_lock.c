/* Do locks, with fetch_and_op, compare_and_swap and flush, keep ranks apart that must be, and let all of them in? */
#include "check.h"

#define ROUNDS 200

static MPI_Win win;
static long *memory;

/* Read, change and write under a lock that nobody shares. */
static void exclusive(void)
{
	long value;

	memory[0] = memory[1] = 0;
	MPI_Barrier(WORLD);
	for (int i = 0; i < ROUNDS; i++) {
		int target = i % size;
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
		MPI_Get(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
		MPI_Win_flush(target, win);
		value++;
		MPI_Put(&value, 1, MPI_LONG, target, 0, 1, MPI_LONG, win);
		MPI_Win_unlock(target, win);
	}
	MPI_Barrier(WORLD);
	CHECK_INT(memory[0], (long)size * (ROUNDS / size + (rank < ROUNDS % size)));
}

static void fetch(void)
{
	long one = 1, old, sum = 0, zero = 0;

	memory[0] = 0;
	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < ROUNDS; i++) {
		MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		CHECK(i == 0 || old > sum);
		sum = old;
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Fetch_and_op(&zero, &old, MPI_LONG, 0, 0, MPI_NO_OP, win);
	MPI_Win_unlock(0, win);
	CHECK_INT(old, (long)ROUNDS * size);
	MPI_Barrier(WORLD);
}

/* A lock of the program's own, out of compare_and_swap: who waits polls. */
static void swap(void)
{
	long mine = rank + 1, none = 0, was, value;

	memory[0] = memory[1] = 0;
	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < ROUNDS / 10; i++) {
		do {
			MPI_Compare_and_swap(&mine, &none, &was, MPI_LONG, 0, 0, win);
			MPI_Win_flush(0, win);
		} while (was != 0);
		MPI_Get(&value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
		MPI_Win_flush(0, win);
		value += mine;
		MPI_Put(&value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
		MPI_Win_flush(0, win);
		MPI_Accumulate(&none, 1, MPI_LONG, 0, 0, 1, MPI_LONG, MPI_REPLACE, win);
		MPI_Win_flush(0, win);
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Get(&value, 1, MPI_LONG, 0, 1, 1, MPI_LONG, win);
	MPI_Win_unlock(0, win);
	CHECK_INT(value, (long)(ROUNDS / 10) * size * (size + 1) / 2);
	MPI_Barrier(WORLD);
}

/* Some lock all, some one for themselves. */
static void mixed(void)
{
	long one = 1, value;

	memory[0] = 0;
	MPI_Barrier(WORLD);
	for (int i = 0; i < ROUNDS / 4; i++) {
		if ((i + rank) % 3 == 0) {
			MPI_Win_lock_all(0, win);
			for (int t = 0; t < size; t++)
				MPI_Accumulate(&one, 1, MPI_LONG, t, 0, 1, MPI_LONG, MPI_SUM, win);
			MPI_Win_unlock_all(win);
		} else {
			for (int t = 0; t < size; t++) {
				MPI_Win_lock(MPI_LOCK_EXCLUSIVE, t, 0, win);
				MPI_Get(&value, 1, MPI_LONG, t, 0, 1, MPI_LONG, win);
				MPI_Win_flush_local(t, win);
				value++;
				MPI_Put(&value, 1, MPI_LONG, t, 0, 1, MPI_LONG, win);
				MPI_Win_unlock(t, win);
			}
		}
	}
	MPI_Barrier(WORLD);
	CHECK_INT(memory[0], (long)(ROUNDS / 4) * size);
}

/* Several targets at a time. */
static void nested(void)
{
	long one = 1;

	memory[0] = 0;
	MPI_Barrier(WORLD);
	for (int i = 0; i < 20; i++) {
		for (int t = 0; t < size; t++)
			MPI_Win_lock(i % 2 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, t, 0, win);
		for (int t = 0; t < size; t++)
			MPI_Accumulate(&one, 1, MPI_LONG, t, 0, 1, MPI_LONG, MPI_SUM, win);
		MPI_Win_flush_all(win);
		MPI_Win_flush_local_all(win);
		for (int t = 0; t < size; t++)
			MPI_Win_unlock(t, win);
	}
	MPI_Barrier(WORLD);
	CHECK_INT(memory[0], 20L * size);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, MPI_MODE_NOCHECK, win);
	MPI_Win_unlock(rank, win);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Win_allocate(2 * sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &win);
	exclusive();
	fetch();
	swap();
	mixed();
	nested();
	MPI_Win_free(&win);
	return check_end("win_lock");
}
