/* Are wrong calls on windows refused with the standard's class, at the window's handler, and do right ones work after them? */
#include "check.h"

static MPI_Win win;
static int memory[10], x = 1, y, z, seen, seen_code;

static void handler(MPI_Win *at, int *code, ...)
{
	CHECK(*at == win);
	seen++;
	seen_code = *code;
}

static void handlers(void)
{
	MPI_Errhandler mine, got;

	MPI_Win_get_errhandler(win, &got);
	CHECK(got == MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&got);
	MPI_Win_create_errhandler(handler, &mine);
	MPI_Win_set_errhandler(win, mine);
	MPI_Win_get_errhandler(win, &got);
	CHECK(got == mine);
	MPI_Errhandler_free(&got);
	MPI_Errhandler_free(&mine);
	CHECK_FAILS(MPI_Put(&x, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
	CHECK_INT(seen, 1);
	MPI_Win_call_errhandler(win, MPI_ERR_OTHER);
	CHECK_INT(seen, 2);
	CHECK_INT(seen_code, MPI_ERR_OTHER);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
}

static void arguments(void)
{
	MPI_Datatype loose;

	MPI_Type_vector(2, 1, 2, MPI_INT, &loose);
	MPI_Win_fence(0, win);
	CHECK_FAILS(MPI_Put(&x, 1, MPI_INT, size, 0, 1, MPI_INT, win), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Put(&x, -1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Put(&x, 1, MPI_INT, 0, 0, -1, MPI_INT, win), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Put(&x, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Get(&x, 1, MPI_INT, 0, 0, 1, loose, win), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Put(&x, 1, MPI_INT, 0, -1, 1, MPI_INT, win), MPI_ERR_DISP);
	CHECK_FAILS(MPI_Put(&x, 1, MPI_INT, 0, 10, 1, MPI_INT, win), MPI_ERR_RMA_RANGE);
	CHECK_FAILS(MPI_Get(&x, 2, MPI_INT, 0, 9, 2, MPI_INT, win), MPI_ERR_RMA_RANGE);
	CHECK_FAILS(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_OP_NULL, win), MPI_ERR_OP);
	CHECK_FAILS(MPI_Accumulate(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAXLOC, win), MPI_ERR_OP);
	CHECK_FAILS(MPI_Fetch_and_op(&x, &y, loose, 0, 0, MPI_SUM, win), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Compare_and_swap(&x, &y, &z, MPI_DOUBLE, 0, 0, win), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Win_fence(-1, win), MPI_ERR_ASSERT);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Type_free(&loose);
}

static void epochs(void)
{
	MPI_Group all, nobody = MPI_GROUP_NULL;
	MPI_Request r;
	MPI_Win copy = win;

	MPI_Win_get_group(win, &all);
	CHECK_FAILS(MPI_Put(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_unlock(0, win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_flush_all(win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_lock(7, 0, 0, win), MPI_ERR_LOCKTYPE);
	CHECK_FAILS(MPI_Win_lock(MPI_LOCK_SHARED, size, 0, win), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Win_start(nobody, 0, win), MPI_ERR_GROUP);

	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	CHECK_FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_free(&copy), MPI_ERR_RMA_SYNC);
	if (size > 1)
		CHECK_FAILS(MPI_Put(&x, 1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_RMA_SYNC);
	CHECK_INT(MPI_Get(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win), MPI_SUCCESS);
	MPI_Win_unlock(0, win);

	MPI_Win_lock_all(0, win);
	CHECK_FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
	CHECK_FAILS(MPI_Win_start(all, 0, win), MPI_ERR_RMA_SYNC);
	MPI_Win_unlock_all(win);

	MPI_Win_fence(0, win);
	CHECK_FAILS(MPI_Rput(&x, 1, MPI_INT, 0, 0, 1, MPI_INT, win, &r), MPI_ERR_RMA_SYNC);
	MPI_Get(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	CHECK_FAILS(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win), MPI_ERR_RMA_SYNC);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	MPI_Group_free(&all);
}

static void making(void)
{
	MPI_Win other = MPI_WIN_NULL;
	MPI_Comm self;

	MPI_Comm_dup(MPI_COMM_SELF, &self);
	MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
	CHECK_FAILS(MPI_Win_create(memory, -1, 1, MPI_INFO_NULL, self, &other), MPI_ERR_SIZE);
	CHECK_FAILS(MPI_Win_create(memory, 4, 0, MPI_INFO_NULL, self, &other), MPI_ERR_DISP);
	CHECK(MPI_Win_create(NULL, 4, 1, MPI_INFO_NULL, self, &other) != MPI_SUCCESS);
	MPI_Comm_free(&self);
	CHECK_FAILS(MPI_Win_free(&other), MPI_ERR_WIN);
	CHECK_FAILS(MPI_Win_attach(win, memory, 4), MPI_ERR_RMA_FLAVOR);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, WORLD, &win);
	handlers();
	arguments();
	epochs();
	making();
	memory[0] = rank;
	MPI_Win_fence(0, win);
	MPI_Get(&y, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	CHECK_INT(y, (rank + 1) % size);
	MPI_Win_free(&win);
	return check_end("win_errors");
}
