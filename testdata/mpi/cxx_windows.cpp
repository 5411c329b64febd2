// Do the C++ bindings serve windows: creation, operations, fences, locks, posts, attributes, names, and errors as exceptions?
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static int rank, size;

#define CHECK(cond) check_that((cond), #cond, __LINE__)

static void check_that(bool good, const char *what, int line)
{
	if (good)
		return;
	std::fprintf(stderr, "FAIL cxx_windows.cpp:%d: rank %d of %d: %s\n", line, rank, size, what);
	MPI::COMM_WORLD.Abort(1);
}

static void operations(MPI::Win &win, int *memory)
{
	int next = (rank + 1) % size, previous = (rank + size - 1) % size, x = rank + 10, got = -1;

	memory[0] = memory[1] = 0;
	win.Fence(0);
	win.Put(&x, 1, MPI::INT, next, 0, 1, MPI::INT);
	for (int t = 0; t < size; t++)
		win.Accumulate(&x, 1, MPI::INT, t, 1, 1, MPI::INT, MPI::SUM);
	win.Fence(0);
	CHECK(memory[0] == previous + 10);
	CHECK(memory[1] == 10 * size + size * (size - 1) / 2);
	win.Get(&got, 1, MPI::INT, next, 0, 1, MPI::INT);
	win.Fence(MPI::MODE_NOSUCCEED);
	CHECK(got == rank + 10);

	win.Lock(MPI::LOCK_EXCLUSIVE, next, 0);
	win.Get(&got, 1, MPI::INT, next, 1, 1, MPI::INT);
	win.Unlock(next);
	CHECK(got == memory[1]);

	MPI::Group all = win.Get_group(), to = all.Incl(1, &next), from = all.Incl(1, &previous);
	win.Post(from, 0);
	win.Start(to, 0);
	x = 70 + rank;
	win.Put(&x, 1, MPI::INT, next, 0, 1, MPI::INT);
	win.Complete();
	if (rank % 2)
		win.Wait();
	else
		while (!win.Test())
			;
	CHECK(memory[0] == 70 + previous);
	all.Free();
	to.Free();
	from.Free();
}

static void attributes(MPI::Win &win, int *memory)
{
	void *value = NULL;
	char name[MPI::MAX_OBJECT_NAME];
	int length, mine = 3;

	CHECK(win.Get_attr(MPI::WIN_BASE, &value) && value == memory);
	CHECK(win.Get_attr(MPI::WIN_SIZE, &value) && *(MPI::Aint *)value == 4 * (MPI::Aint)sizeof(int));
	win.Set_name("plane");
	win.Get_name(name, length);
	CHECK(length == 5 && !std::strcmp(name, "plane"));
	int key = MPI::Win::Create_keyval(MPI::Win::NULL_COPY_FN, MPI::Win::NULL_DELETE_FN, NULL);
	win.Set_attr(key, &mine);
	CHECK(win.Get_attr(key, &value) && value == &mine);
	win.Delete_attr(key);
	CHECK(!win.Get_attr(key, &value));
	MPI::Win::Free_keyval(key);
}

static void errors(MPI::Win &win)
{
	int x = 0, caught = 0;

	win.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
	try {
		win.Put(&x, 1, MPI::INT, 0, 0, 1, MPI::INT);
	} catch (MPI::Exception &e) {
		caught = e.Get_error_class() == MPI_ERR_RMA_SYNC;
	}
	CHECK(caught);
}

int main(int argc, char **argv)
{
	int memory[4];

	MPI::Init(argc, argv);
	rank = MPI::COMM_WORLD.Get_rank();
	size = MPI::COMM_WORLD.Get_size();
	MPI::Win win = MPI::Win::Create(memory, sizeof memory, sizeof *memory, MPI::INFO_NULL, MPI::COMM_WORLD);
	operations(win, memory);
	attributes(win, memory);
	errors(win);
	win.Free();
	CHECK(win == MPI::WIN_NULL);
	MPI::COMM_WORLD.Barrier();
	if (rank == 0)
		std::printf("PASS cxx_windows\n");
	MPI::Finalize();
	return 0;
}
