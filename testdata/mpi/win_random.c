/* Do random operations on windows by all ranks add up, in epochs of all kinds one after the other? Argument: rounds. */
#include "check.h"

enum { SUM, LOCKED, SWAPPED, MARKS, CELLS = MARKS + 64 };

static MPI_Win win;
static MPI_Group everybody;
static long *memory;
static long added; /* to any rank's cells by this one */
static unsigned state;

static unsigned next_random(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return (state >> 8) % n;
}

static void add(int target)
{
	static long room[64][2]; /* buffers are the operations' until the end of the epoch */
	static int used;
	long *x = room[used++ % 64], *old = x + 1;

	*x = 1 + next_random(9);
	switch (next_random(3)) {
	case 0:
		MPI_Accumulate(x, 1, MPI_LONG, target, SUM, 1, MPI_LONG, MPI_SUM, win);
		break;
	case 1:
		MPI_Fetch_and_op(x, old, MPI_LONG, target, SUM, MPI_SUM, win);
		break;
	default:
		MPI_Get_accumulate(x, 1, MPI_LONG, old, 1, MPI_LONG, target, SUM, 1, MPI_LONG, MPI_SUM, win);
	}
	added += *x;
	MPI_Put(x, 1, MPI_LONG, target, MARKS + rank % 64, 1, MPI_LONG, win);
}

static void swap(int target)
{
	long seen = 0, was, now;

	for (;;) {
		now = seen + 1;
		MPI_Compare_and_swap(&now, &seen, &was, MPI_LONG, target, SWAPPED, win);
		MPI_Win_flush(target, win);
		if (was == seen)
			break;
		seen = was;
	}
	added++;
}

static void locked(int target)
{
	long x;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
	MPI_Get(&x, 1, MPI_LONG, target, LOCKED, 1, MPI_LONG, win);
	MPI_Win_flush(target, win);
	x += 3;
	added += 3;
	if (!next_random(4))
		add(target);
	MPI_Put(&x, 1, MPI_LONG, target, LOCKED, 1, MPI_LONG, win);
	MPI_Win_unlock(target, win);
}

static void passive(void)
{
	int target = next_random(size), n = 1 + next_random(4);

	switch (next_random(3)) {
	case 0:
		locked(target);
		break;
	case 1:
		MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
		while (n--)
			next_random(2) ? add(target) : swap(target);
		MPI_Win_unlock(target, win);
		break;
	default:
		MPI_Win_lock_all(0, win);
		while (n--)
			next_random(2) ? add(next_random(size)) : swap(next_random(size));
		MPI_Win_unlock_all(win);
	}
}

/* All ranks do the same kind of epoch. */
static void active(int kind)
{
	if (kind) {
		MPI_Win_fence(0, win);
		add(next_random(size));
		MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	} else {
		MPI_Win_post(everybody, 0, win);
		MPI_Win_start(everybody, 0, win);
		add(next_random(size));
		MPI_Win_complete(win);
		MPI_Win_wait(win);
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 20;
	long sums[2] = {0}, all[2];

	check_begin(&argc, &argv);
	state = 12345 + 77 * rank;
	memory = calloc(CELLS, sizeof *memory);
	MPI_Win_create(memory, CELLS * sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &win);
	MPI_Win_get_group(win, &everybody);
	MPI_Barrier(WORLD);
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < 10; k++)
			passive();
		MPI_Barrier(WORLD);
		active(i % 2);
	}
	MPI_Barrier(WORLD);
	sums[0] = added;
	sums[1] = memory[SUM] + memory[LOCKED] + memory[SWAPPED];
	MPI_Allreduce(sums, all, 2, MPI_LONG, MPI_SUM, WORLD);
	CHECK_INT(all[1], all[0]);
	MPI_Group_free(&everybody);
	MPI_Win_free(&win);
	free(memory);
	return check_end("win_random");
}
