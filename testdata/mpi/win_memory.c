/* Can memory of every kind be a window, and a buffer of the origin: heap, stack, zeroed and initialised globals, small and large, thread-local
 * variables, memory of MPI_Alloc_mem, anonymous mappings and mapped files? */
#include "check.h"

#include <sys/mman.h>
#include <unistd.h>

#define N 64
#define LARGE (1 << 20)

static int zeroed[N], initialised[N] = {1, 2, 3};
static int large[LARGE / sizeof(int)] = {[0] = 5, [LARGE / sizeof(int) - 1] = 6};
static __thread int local[N], local_initialised[N] = {4};
static int out[N], in[N];

static void check_window(const char *what, int *memory)
{
	int next = (rank + 1) % size, previous = (rank + size - 1) % size;
	MPI_Datatype apart;
	MPI_Win win;

	memory[N - 1] = 1000;
	MPI_Type_vector(4, 1, 2, MPI_INT, &apart);
	MPI_Type_commit(&apart);
	MPI_Win_create(memory, N * sizeof *memory, sizeof *memory, MPI_INFO_NULL, WORLD, &win);
	check_fill(out, N, rank);
	MPI_Win_fence(0, win);
	MPI_Put(out, 20, MPI_INT, next, 10, 20, MPI_INT, win);
	MPI_Put(out + 20, 4, MPI_INT, next, 40, 1, apart, win);
	for (int t = 0; t < size; t++)
		MPI_Accumulate(&size, 1, MPI_INT, t, N - 1, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_fence(0, win);
	if (!check_filled(memory + 10, 20, previous) || memory[42] != check_value(previous, 21)) {
		fprintf(stderr, "FAIL: %s: what was put is not there\n", what);
		MPI_Abort(WORLD, 1);
	}
	CHECK_INT(memory[N - 1], 1000 + size * size);
	check_wipe(in, N);
	MPI_Get(in, 20, MPI_INT, next, 10, 20, MPI_INT, win);
	MPI_Win_fence(0, win);
	CHECK(check_filled(in, 20, rank));
	/* the same memory as the origin's buffer */
	check_fill(memory, 8, rank + 50);
	MPI_Win_fence(0, win);
	MPI_Put(memory, 8, MPI_INT, next, 50, 8, MPI_INT, win);
	MPI_Win_fence(0, win);
	CHECK(check_filled(memory + 50, 8, previous + 50));
	MPI_Win_fence(0, win);
	MPI_Get(memory, 8, MPI_INT, next, 50, 8, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	CHECK(check_filled(memory, 8, rank + 50));
	MPI_Win_lock_all(0, win);
	int old, compare = check_value(rank, 0), new = -7;
	MPI_Fetch_and_op(&new, &old, MPI_INT, next, 50, MPI_REPLACE, win);
	MPI_Win_flush(next, win);
	CHECK_INT(old, check_value(rank + 50, 0));
	MPI_Compare_and_swap(&compare, &new, &old, MPI_INT, next, 50, win);
	MPI_Win_flush(next, win);
	CHECK_INT(old, -7);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
	CHECK_INT(memory[50], check_value(previous, 0));
	MPI_Type_free(&apart);
}

static void mapped_file(int flags, const char *what)
{
	char name[] = "/tmp/win_memoryXXXXXX";
	int fd = mkstemp(name);
	int *memory;

	CHECK(fd >= 0 && !unlink(name) && !ftruncate(fd, 2 * 4096));
	memory = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, flags, fd, 0);
	CHECK(memory != MAP_FAILED && !close(fd));
	check_window(what, memory);
	check_window(what, memory + 1000);
	munmap(memory, 2 * 4096);
}

int main(int argc, char **argv)
{
	int stack[N], *p;

	check_begin(&argc, &argv);
	check_window("stack", stack);
	check_window("zeroed global", zeroed);
	check_window("initialised global", initialised);
	check_window("large initialised global", large);
	check_window("middle of a large initialised global", large + LARGE / 8);
	CHECK(large[LARGE / sizeof(int) - 1] == 6);
	check_window("thread-local", local);
	check_window("initialised thread-local", local_initialised);
	p = malloc(N * sizeof *p);
	check_window("heap", p);
	free(p);
	p = malloc(8 << 20);
	check_window("large block", p + 1000000);
	free(p);
	MPI_Alloc_mem(N * sizeof *p, MPI_INFO_NULL, &p);
	check_window("MPI_Alloc_mem", p);
	MPI_Free_mem(p);
	p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	check_window("anonymous mapping", p);
	munmap(p, 1 << 20);
	mapped_file(MAP_PRIVATE, "private mapping of a file");
	mapped_file(MAP_SHARED, "shared mapping of a file");
	return check_end("win_memory");
}
