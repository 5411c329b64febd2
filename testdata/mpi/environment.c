/* Initialized, Finalized, version, processor name, time, addresses, memory: are they what they should be? */
#include "check.h"
#include <unistd.h>

static void before(void)
{
	int flag = 1, version = 0, sub = -1, length;
	char text[MPI_MAX_LIBRARY_VERSION_STRING];

	MPI_Initialized(&flag);
	CHECK(!flag);
	MPI_Finalized(&flag);
	CHECK(!flag);
	MPI_Get_version(&version, &sub);
	CHECK(version >= 3 && sub >= 0);
	CHECK(version == MPI_VERSION && sub == MPI_SUBVERSION);
	MPI_Get_library_version(text, &length);
	CHECK(length > 0 && (int)strlen(text) == length);
}

static void during(void)
{
	int flag = 0, length = -1;
	char name[MPI_MAX_PROCESSOR_NAME];

	MPI_Initialized(&flag);
	CHECK(flag);
	MPI_Finalized(&flag);
	CHECK(!flag);
	MPI_Pcontrol(1);
	MPI_Pcontrol(2, name, &length);
	MPI_Get_processor_name(name, &length);
	CHECK(length > 0 && (int)strlen(name) == length);
}

static void time(void)
{
	double last = MPI_Wtime(), start = last, tick = MPI_Wtick();

	CHECK(tick > 0 && tick <= 1e-3);
	for (int i = 0; i < 10000; i++) {
		double now = MPI_Wtime();
		CHECK(now >= last);
		last = now;
	}
	usleep(20000);
	last = MPI_Wtime() - start;
	CHECK(last >= 0.019 && last < 20);
}

static void memory(void)
{
	int array[10] = {0}, *p;
	MPI_Aint a, b;

	MPI_Get_address(&array[2], &a);
	MPI_Get_address(&array[7], &b);
	CHECK_INT(b - a, 20);
	CHECK_INT(MPI_Aint_diff(b, a), 20);
	CHECK(MPI_Aint_add(a, 20) == b);
	CHECK((void *)a == (void *)&array[2]);
	MPI_Alloc_mem(1 << 20, MPI_INFO_NULL, &p);
	memset(p, 1, 1 << 20);
	MPI_Sendrecv(p, 1000, MPI_INT, (rank + 1) % size, 1, p + 2000, 1000, MPI_INT, (rank + size - 1) % size, 1, WORLD,
	             MPI_STATUS_IGNORE);
	CHECK_INT(p[2999], 0x01010101);
	CHECK(MPI_Free_mem(p) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
	int flag = 0;

	before();
	check_begin(&argc, &argv);
	during();
	time();
	memory();
	MPI_Barrier(WORLD);
	MPI_Finalize();
	MPI_Finalized(&flag);
	if (!flag)
		return 1;
	MPI_Initialized(&flag);
	if (!flag)
		return 1;
	if (rank == 0)
		puts("PASS environment");
	return 0;
}
