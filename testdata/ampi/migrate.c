/* Do the calls of programs written for AMPI do what its manual says? Rank r works in proportion to r; every few iterations all call
 * AMPI_Migrate. Functions are called around moves of the ranks that registered them: the odd ones. */
#include "../mpi/check.h"

static int about, just, away = -1;

static int pe(void)
{
	char line[64] = "";
	FILE *f = fopen("/proc/self/stat", "r"); /* of the worker that the rank is in */
	int pid = f && fgets(line, sizeof line, f) ? atoi(line) : -1;
	if (f)
		fclose(f);
	return pid;
}

static void going(void)
{
	int me;
	MPI_Comm_rank(WORLD, &me);
	CHECK_INT(me, rank);
	CHECK_INT(about, just);
	away = pe();
	about++;
}

static void gone(void)
{
	just++;
	CHECK(pe() != away);
	CHECK_INT(just, about);
}

static volatile double sink;

static void work(long n)
{
	double x = 1;
	for (long i = 0; i < n; i++)
		x = x * 0.999999 + 1e-6;
	sink = x;
}

int main(int argc, char **argv)
{
	MPI_Info info, bad;
	int flag, moved, total;
	char value[16] = "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	MPI_Info_create(&info);
	MPI_Info_set(info, "ampi_load_balance", "sync");
	MPI_Info_get(AMPI_INFO_LB_SYNC, "ampi_load_balance", sizeof value - 1, value, &flag);
	CHECK(flag && !strcmp(value, "sync"));
	if (rank % 2) {
		CHECK_INT(AMPI_Register_about_to_migrate(going), MPI_SUCCESS);
		CHECK_INT(AMPI_Register_just_migrated(gone), MPI_SUCCESS);
	}
	if (rank == size - 1)
		CHECK_INT(AMPI_Set_migratable(0), MPI_SUCCESS);
	int home = pe(), *heap = malloc(1000 * sizeof *heap);
	heap[999] = rank;
	for (int i = 0; i < 12; i++) {
		work(20000l * (rank + 1));
		CHECK_INT(AMPI_Load_stop_measure(), MPI_SUCCESS);
		CHECK_INT(AMPI_Load_start_measure(), MPI_SUCCESS);
		if (i % 3 == 2)
			CHECK_INT(AMPI_Migrate(i % 2 ? info : AMPI_INFO_LB_SYNC), MPI_SUCCESS);
		if (rank == size - 1)
			CHECK_INT(pe(), home);
		CHECK_INT(heap[999], rank);
	}
	CHECK_INT(AMPI_Migrate(AMPI_INFO_LB_ASYNC), MPI_SUCCESS);
	CHECK_INT(AMPI_Migrate(MPI_INFO_NULL), MPI_SUCCESS);
	CHECK_INT(AMPI_Load_reset_measure(), MPI_SUCCESS);
	CHECK_INT(AMPI_Load_set_value(rank), MPI_SUCCESS);
	CHECK_INT(AMPI_Migrate(AMPI_INFO_LB_SYNC), MPI_SUCCESS);
	CHECK_INT(AMPI_Yield(), MPI_SUCCESS);
	CHECK_INT(AMPI_Comm_set_migratable(WORLD, 1), MPI_SUCCESS);

	int before = just, there = pe();
	CHECK_INT(AMPI_Migrate_to_pe(0), MPI_SUCCESS);
	int first = pe();
	CHECK_INT(AMPI_Migrate_to_pe(1), MPI_SUCCESS);
	CHECK(pe() != first);
	if (rank % 2)
		CHECK_INT(just - before, there == first ? 1 : 2);
	CHECK_INT(about, just);

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	CHECK_FAILS(AMPI_Migrate_to_pe(1 << 20), MPI_ERR_ARG);
	CHECK_FAILS(AMPI_Migrate_to_pe(-1), MPI_ERR_ARG);
	CHECK_FAILS(AMPI_Load_set_value(-1), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Info_set(AMPI_INFO_LB_SYNC, "a", "b"), MPI_ERR_INFO);
	MPI_Info_create(&bad);
	MPI_Info_set(bad, "ampi_load_balance", "perhaps");
	CHECK_FAILS(AMPI_Migrate(bad), MPI_ERR_INFO_VALUE);
	MPI_Info_set(bad, "ampi_checkpoint", "to_file=log");
	CHECK_FAILS(AMPI_Migrate(bad), MPI_ERR_UNSUPPORTED_OPERATION);
	CHECK_FAILS(AMPI_Migrate((MPI_Info)(intptr_t)12345), MPI_ERR_INFO);

	moved = just - before > 0 || home != there;
	MPI_Allreduce(&moved, &total, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK(total > 0);
	MPI_Finalize();
	if (rank == 0)
		printf("PASS migrate\n");
	return 0;
}
