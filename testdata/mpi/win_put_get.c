/* Do puts and gets move data of all types and units between all ranks, in all kinds of epochs, and nothing else? */
#include "check.h"

#define N 60

static int *memory, out[N], in[N];
static MPI_Win win;

enum { FENCE, LOCK, LOCK_ALL, START, KINDS };
static MPI_Group everybody;

static void begin(int kind, int target)
{
	switch (kind) {
	case FENCE:
		MPI_Win_fence(0, win);
		break;
	case LOCK:
		MPI_Barrier(WORLD);
		MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
		break;
	case LOCK_ALL:
		MPI_Barrier(WORLD);
		MPI_Win_lock_all(0, win);
		break;
	case START:
		MPI_Win_post(everybody, 0, win);
		MPI_Win_start(everybody, 0, win);
		break;
	}
}

static void end(int kind, int target)
{
	switch (kind) {
	case FENCE:
		MPI_Win_fence(0, win);
		break;
	case LOCK:
		MPI_Win_unlock(target, win);
		MPI_Barrier(WORLD);
		break;
	case LOCK_ALL:
		MPI_Win_unlock_all(win);
		MPI_Barrier(WORLD);
		break;
	case START:
		MPI_Win_complete(win);
		MPI_Win_wait(win);
		break;
	}
}

static void plain(int kind, int target, int from)
{
	check_wipe(memory, N);
	check_fill(out, N, rank);
	begin(kind, target);
	MPI_Put(out, 10, MPI_INT, target, 7, 10, MPI_INT, win);
	MPI_Put(out + 30, 1, MPI_INT, target, 0, 1, MPI_INT, win);
	MPI_Put(NULL, 0, MPI_INT, target, 5, 0, MPI_INT, win);
	MPI_Put(out, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, win);
	end(kind, target);
	for (int i = 0; i < N; i++)
		CHECK_INT(memory[i], i == 0 ? check_value(from, 30) : i >= 7 && i < 17 ? check_value(from, i - 7) : -1);
	check_wipe(in, N);
	begin(kind, target);
	MPI_Get(in + 2, 10, MPI_INT, target, 7, 10, MPI_INT, win);
	MPI_Get(in, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, win);
	end(kind, target);
	for (int i = 0; i < N; i++)
		CHECK_INT(in[i], i >= 2 && i < 12 ? check_value(rank, i - 2) : -1);
}

/* Other type maps at both sides. */
static void spread(int kind, int target, int from)
{
	MPI_Datatype every_third, pairs, bytes;
	int lengths[2] = {2, 4}, at[2] = {20, 1};

	MPI_Type_vector(6, 1, 3, MPI_INT, &every_third);
	MPI_Type_indexed(2, lengths, at, MPI_INT, &pairs);
	MPI_Type_contiguous(4, MPI_BYTE, &bytes);
	MPI_Type_commit(&every_third);
	MPI_Type_commit(&pairs);
	MPI_Type_commit(&bytes);
	check_wipe(memory, N);
	check_fill(out, N, rank);
	begin(kind, target);
	MPI_Put(out, 1, every_third, target, 10, 1, pairs, win);
	MPI_Put(out, 1, bytes, target, 0, 4, MPI_BYTE, win);
	end(kind, target);
	for (int i = 0; i < N; i++) {
		int k = i == 30 ? 0 : i == 31 ? 3 : i >= 11 && i < 15 ? 6 + 3 * (i - 11) : i == 0 ? 0 : -1;
		CHECK_INT(memory[i], k < 0 ? -1 : check_value(from, k));
	}
	check_wipe(in, N);
	begin(kind, target);
	MPI_Get(in, 6, MPI_INT, target, 10, 1, pairs, win);
	end(kind, target);
	for (int i = 0; i < N; i++)
		CHECK_INT(in[i], i < 6 ? check_value(rank, 3 * i) : -1);
	MPI_Type_free(&every_third);
	MPI_Type_free(&pairs);
	MPI_Type_free(&bytes);
}

static void requests(int target, int from)
{
	MPI_Request r[3];

	check_wipe(memory, N);
	check_wipe(in, N);
	check_fill(out, N, rank);
	MPI_Barrier(WORLD);
	MPI_Win_lock_all(0, win);
	MPI_Rput(out, 4, MPI_INT, target, 0, 4, MPI_INT, win, &r[0]);
	MPI_Rput(out + 4, 4, MPI_INT, target, 4, 4, MPI_INT, win, &r[1]);
	MPI_Rput(out, 4, MPI_INT, MPI_PROC_NULL, 4, 4, MPI_INT, win, &r[2]);
	MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
	check_wipe(out, N);
	MPI_Win_flush(target, win);
	MPI_Rget(in, 8, MPI_INT, target, 0, 8, MPI_INT, win, &r[0]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	CHECK(check_filled(in, 8, rank));
	MPI_Win_unlock_all(win);
	MPI_Barrier(WORLD);
	CHECK(check_filled(memory, 8, from));
}

/* Each rank has a unit of its own. */
static void units(void)
{
	static char room[64];
	char mark = (char)(rank + 1);
	MPI_Win own;

	memset(room, 0, sizeof room);
	MPI_Win_create(room, sizeof room, 1 + rank % 5, MPI_INFO_NULL, WORLD, &own);
	MPI_Win_fence(MPI_MODE_NOPRECEDE, own);
	if (rank < 12)
		for (int t = 0; t < size; t++)
			MPI_Put(&mark, 1, MPI_CHAR, t, rank, 1, MPI_CHAR, own);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, own);
	for (int i = 0; i < size && i < 12; i++)
		CHECK_INT(room[i * (1 + rank % 5)], i + 1);
	MPI_Win_free(&own);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Win_allocate(N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &win);
	MPI_Win_get_group(win, &everybody);
	for (int kind = 0; kind < KINDS; kind++)
		for (int d = 0; d < size && d < 3; d++) {
			plain(kind, (rank + d) % size, (rank - d + size) % size);
			spread(kind, (rank + d) % size, (rank - d + size) % size);
			if (kind != FENCE)
				requests((rank + d) % size, (rank - d + size) % size);
		}
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Group_free(&everybody);
	MPI_Win_free(&win);
	units();
	return check_end("win_put_get");
}
