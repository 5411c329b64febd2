/* A program for the MPI 5 standard ABI. With an argument it also opens the library itself, as wrappers for other languages do. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size, bad;

#define CHECK(what) ((what) ? (void)0 : (void)(bad++, printf("rank %d: line %d: " #what "\n", rank, __LINE__)))

static void open_standard(const char *name)
{
	int (*size_of)(MPI_Comm, int *), n = -1;
	void *handle = dlopen(name, RTLD_NOW);
	if (!handle)
		printf("rank %d: %s\n", rank, dlerror());
	CHECK(handle != NULL);
	size_of = handle ? (int (*)(MPI_Comm, int *))dlsym(handle, "MPI_Comm_size") : NULL;
	CHECK(size_of && size_of(MPI_COMM_WORLD, &n) == MPI_SUCCESS && n == size);
	CHECK(handle && dlsym(handle, "PMPI_Send") != NULL && dlsym(handle, "MPI_Nothing") == NULL);
}

static void open_other(const char *name, const char *says)
{
	CHECK(dlopen(name, RTLD_NOW) == NULL);
	const char *why = dlerror();
	CHECK(why && strstr(why, name) && strstr(why, says));
	if (why && !strstr(why, says))
		printf("rank %d: %s\n", rank, why);
}

int main(int argc, char **argv)
{
	int sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Allreduce(&(int){MPI_COMM_WORLD == MPI_COMM_NULL ? 0 : 1}, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(sum == size);
	if (argc > 1) {
		open_standard("libmpi_abi.so.0");
		open_standard("libmpi_abi.so");
		open_other("libmpi.so.40", "Open MPI");
		open_other("libmpi.so.12", "MPICH");
	}
	if (!bad)
		printf("PASS %d\n", (sum = rank));
	MPI_Finalize();
	return 0;
}
