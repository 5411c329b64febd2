/* Is memory that ranks attach to a dynamic window reached by its address, and grows a list of such pieces that all ranks build? */
#include "check.h"

struct item {
	int value;
	int next_rank;
	MPI_Aint next;
};

static MPI_Win win;

static MPI_Aint address_of(void *p)
{
	MPI_Aint a;

	MPI_Get_address(p, &a);
	return a;
}

static void pieces(void)
{
	static int a[40], b[10];
	MPI_Aint mine[2] = {0}, theirs[2];
	int next = (rank + 1) % size, previous = (rank + size - 1) % size, out[4], in[4];

	mine[0] = address_of(a);
	mine[1] = address_of(b);
	MPI_Win_attach(win, a, sizeof a);
	MPI_Win_attach(win, b, sizeof b);
	MPI_Sendrecv(mine, 2, MPI_AINT, previous, 0, theirs, 2, MPI_AINT, next, 0, WORLD, MPI_STATUS_IGNORE);
	check_fill(out, 4, rank);
	MPI_Win_fence(0, win);
	MPI_Put(out, 4, MPI_INT, next, MPI_Aint_add(theirs[0], 36 * sizeof(int)), 4, MPI_INT, win);
	MPI_Accumulate(out, 4, MPI_INT, next, theirs[1], 4, MPI_INT, MPI_SUM, win);
	MPI_Win_fence(0, win);
	CHECK(check_filled(a + 36, 4, previous) && check_filled(b, 4, previous));
	MPI_Get(in, 4, MPI_INT, next, theirs[1], 4, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	CHECK(check_filled(in, 4, rank));
	MPI_Win_detach(win, a);
	MPI_Win_attach(win, a, 4);
	MPI_Win_detach(win, a);
	MPI_Win_detach(win, b);
}

/* Rank 0 has the head, under a lock of its own. Each rank puts items in front. */
static void list(void)
{
	enum { EACH = 10 };
	struct item *items = calloc(EACH + 1, sizeof *items), *head = items + EACH, at;
	MPI_Aint first = address_of(head);
	int *seen = calloc(size * EACH, sizeof *seen), n = 0;

	head->next_rank = -1;
	MPI_Win_attach(win, items, (EACH + 1) * sizeof *items);
	MPI_Bcast(&first, 1, MPI_AINT, 0, WORLD);
	for (int i = 0; i < EACH; i++) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Get(&at, sizeof at, MPI_BYTE, 0, first, sizeof at, MPI_BYTE, win);
		MPI_Win_flush(0, win);
		items[i] = (struct item){rank * EACH + i, at.next_rank, at.next};
		at = (struct item){0, rank, address_of(&items[i])};
		MPI_Put(&at, sizeof at, MPI_BYTE, 0, first, sizeof at, MPI_BYTE, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	for (at = (struct item){-1, 0, first};; n++) {
		MPI_Get(&at, sizeof at, MPI_BYTE, at.next_rank, at.next, sizeof at, MPI_BYTE, win);
		MPI_Win_flush_all(win);
		if (n)
			seen[at.value]++;
		if (at.next_rank < 0)
			break;
	}
	MPI_Win_unlock_all(win);
	CHECK_INT(n, size * EACH);
	for (int i = 0; i < size * EACH; i++)
		CHECK_INT(seen[i], 1);
	MPI_Barrier(WORLD);
	MPI_Win_detach(win, items);
	free(items);
	free(seen);
}

/* More than any table has room for at first. */
static void many(void)
{
	enum { PIECES = 300 };
	static int room[2 * PIECES];
	int one = 1;

	for (int i = 0; i < PIECES; i++)
		MPI_Win_attach(win, &room[2 * (i * 7 % PIECES)], sizeof *room);
	MPI_Barrier(WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
	for (int i = 0; i < PIECES; i++)
		MPI_Put(&one, 1, MPI_INT, rank, address_of(&room[2 * i]), 1, MPI_INT, win);
	MPI_Win_unlock(rank, win);
	for (int i = 0; i < 2 * PIECES; i++)
		CHECK_INT(room[i], i % 2 == 0);
	for (int i = 0; i < PIECES; i++)
		MPI_Win_detach(win, &room[2 * i]);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Win_create_dynamic(MPI_INFO_NULL, WORLD, &win);
	pieces();
	list();
	many();
	MPI_Win_free(&win);
	return check_end("win_dynamic");
}
