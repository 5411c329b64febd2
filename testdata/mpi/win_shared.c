/* Do ranks load and store in each other's parts of shared windows, which lie one behind the other unless the program says otherwise? */
#include "check.h"

static void contiguous(MPI_Comm comm)
{
	int *mine, *first, *theirs, unit;
	MPI_Aint bytes, all = 0;
	MPI_Win win;

	MPI_Win_allocate_shared((rank % 3) * 10 * sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &mine, &win);
	MPI_Win_shared_query(win, MPI_PROC_NULL, &bytes, &unit, &first);
	for (int i = 0; i < size; i++) {
		MPI_Win_shared_query(win, i, &bytes, &unit, &theirs);
		CHECK_INT(bytes, (i % 3) * 10 * sizeof(int));
		CHECK_INT(unit, sizeof(int));
		if (bytes)
			CHECK((char *)theirs == (char *)first + all);
		if (i == rank && bytes)
			CHECK(theirs == mine);
		all += bytes;
	}
	MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	for (int i = 0; i < rank % 3 * 10; i++)
		mine[i] = check_value(rank, i);
	MPI_Win_sync(win);
	MPI_Barrier(comm);
	MPI_Win_sync(win);
	for (int r = 0, k = 0; r < size; r++)
		for (int i = 0; i < r % 3 * 10; i++, k++)
			CHECK_INT(first[k], check_value(r, i));
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
}

static void apart(MPI_Comm comm)
{
	char *mine, *next;
	int unit;
	MPI_Aint bytes;
	MPI_Info info;
	MPI_Win win;

	MPI_Info_create(&info);
	MPI_Info_set(info, "alloc_shared_noncontig", "true");
	MPI_Win_allocate_shared(100, 1, info, comm, &mine, &win);
	MPI_Info_free(&info);
	memset(mine, rank + 1, 100);
	MPI_Win_fence(0, win);
	MPI_Win_shared_query(win, (rank + 1) % size, &bytes, &unit, &next);
	CHECK_INT(bytes, 100);
	for (int i = 0; i < 100; i++)
		CHECK_INT(next[i], (rank + 1) % size + 1);
	MPI_Win_fence(0, win);
	MPI_Put(mine, 50, MPI_CHAR, (rank + 1) % size, 50, 50, MPI_CHAR, win); /* operations work there, too */
	MPI_Win_fence(0, win);
	CHECK_INT(mine[99], (rank + size - 1) % size + 1);
	MPI_Win_free(&win);
}

/* A token goes round by loads, stores and MPI_Win_sync alone. */
static void relay(MPI_Comm comm)
{
	volatile int *token;
	int *mine, unit;
	MPI_Aint bytes;
	MPI_Win win;

	MPI_Win_allocate_shared(rank ? 0 : sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &mine, &win);
	MPI_Win_shared_query(win, 0, &bytes, &unit, &mine);
	token = mine;
	if (rank == 0)
		*token = 0;
	MPI_Barrier(comm);
	MPI_Win_lock_all(0, win);
	for (int round = 0; round < 20; round++) {
		while (*token != round * size + rank)
			MPI_Win_sync(win);
		*token += 1;
		MPI_Win_sync(win);
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(comm);
	CHECK_INT(*token, 20 * size);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	MPI_Comm node;
	int n;

	check_begin(&argc, &argv);
	MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
	MPI_Comm_size(node, &n);
	CHECK_INT(n, size); /* these tests run on one node */
	contiguous(node);
	apart(node);
	relay(node);
	MPI_Comm_free(&node);
	return check_end("win_shared");
}
