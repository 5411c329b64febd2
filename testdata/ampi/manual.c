/* Does a program for AMPI compile and run, written in the manner of AMPI's manual: a loop of time steps that balances, packers for its data,
 * attributes that tell where it runs, ranks that suspend each other, and a worker that is to be empty? */
#include <ampi.h>

#include "../mpi/check.h"

#ifndef AMPI
#error "the macro is what programs ask for"
#endif

/* ---- data with a packer: the memory moves anyway, so nobody calls it ---- */

struct chunk {
	int asize;
	double *xarr;
};

static int packed;

static void chunk_pup(pup_er p, void *data)
{
	(void)p, (void)data;
	packed++;
}

static struct chunk *make_chunk(int n)
{
	struct chunk *c = malloc(sizeof *c);
	c->asize = n;
	c->xarr = malloc((size_t)n * sizeof *c->xarr);
	for (int i = 0; i < n; i++)
		c->xarr[i] = rank + i;
	return c;
}

static int attribute(int keyval)
{
	int *value = NULL, flag = 0;
	MPI_Comm_get_attr(WORLD, keyval, &value, &flag);
	CHECK(flag && value);
	return flag && value ? *value : -1;
}

static void steps(void)
{
	struct chunk *c = make_chunk(1000), *other = make_chunk(7), *got = NULL;
	int idx = -1, second = -1;
	MPI_Request r = MPI_REQUEST_NULL;
	int from_left = -1, left = (rank + size - 1) % size, right = (rank + 1) % size;

	CHECK_INT(AMPI_Register_pup(chunk_pup, c, &idx), MPI_SUCCESS);
	CHECK_INT(AMPI_Register_pup(chunk_pup, other, &second), MPI_SUCCESS);
	CHECK(idx != second);
	for (int iter = 0; iter < 20; iter++) {
		double sum = 0;
		MPI_Irecv(&from_left, 1, MPI_INT, left, iter, WORLD, &r);
		MPI_Send(&iter, 1, MPI_INT, right, iter, WORLD);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		CHECK_INT(from_left, iter);
		if (iter % 5 == 0)
			CHECK_INT(AMPI_Migrate(AMPI_INFO_LB_SYNC), MPI_SUCCESS);
		CHECK_INT(AMPI_Migrate_to_pe((rank + iter) % attribute(AMPI_NUM_WTHS)), MPI_SUCCESS);
		CHECK_INT(attribute(AMPI_MY_WTH), (rank + iter) % attribute(AMPI_NUM_WTHS));
		CHECK_INT(AMPI_Get_pup_data(idx, &got), MPI_SUCCESS);
		CHECK(got == c && c->asize == 1000);
		for (int i = 0; i < c->asize; i++)
			sum += c->xarr[i];
		CHECK(sum == 1000.0 * rank + 499500);
	}
	CHECK(packed > 0 && packed % 6 == 0); /* two functions, each to size, pack and unpack */
	CHECK_FAILS(AMPI_Get_pup_data(99, &got), MPI_ERR_ARG);
}

/* ---- where am I? ---- */

static void places(int begin)
{
	MPI_Comm host, process, thread;
	int members, all = 0;

	CHECK_INT(attribute(AMPI_NUM_PROCESSES), attribute(AMPI_NUM_WTHS));
	CHECK_INT(attribute(AMPI_MY_PROCESS), attribute(AMPI_MY_WTH));
	CHECK_INT(attribute(AMPI_MY_HOME_WTH), begin);
	CHECK_FAILS(MPI_Comm_set_attr(WORLD, AMPI_MY_WTH, &all), MPI_ERR_KEYVAL);
	AMPI_Migrate_to_pe(rank % 2);
	MPI_Comm_split_type(WORLD, AMPI_COMM_TYPE_HOST, 0, MPI_INFO_NULL, &host);
	MPI_Comm_split_type(WORLD, AMPI_COMM_TYPE_PROCESS, 0, MPI_INFO_NULL, &process);
	MPI_Comm_split_type(WORLD, AMPI_COMM_TYPE_WTH, 0, MPI_INFO_NULL, &thread);
	MPI_Comm_size(host, &members);
	CHECK_INT(members, size);
	MPI_Comm_size(process, &members);
	CHECK_INT(members, (size + 1 - rank % 2) / 2);
	MPI_Comm_size(thread, &members);
	CHECK_INT(members, (size + 1 - rank % 2) / 2);
	MPI_Comm_free(&host);
	MPI_Comm_free(&process);
	MPI_Comm_free(&thread);
}

/* ---- ranks that wake each other, in whichever workers they are, early or late ---- */

static void relay(void)
{
	static int turn;
	for (int i = 0; i < 200; i++) {
		if (rank || i) {
			CHECK_INT(AMPI_Suspend(), MPI_SUCCESS);
			turn++;
		}
		if (rank < size - 1 || i < 199)
			CHECK_INT(AMPI_Resume((rank + 1) % size, WORLD), MPI_SUCCESS);
		if (i % 10 == 0)
			AMPI_Migrate_to_pe((i / 10 + rank) % 2);
	}
	CHECK_INT(turn, rank ? 200 : 199);
	CHECK_INT(AMPI_Resume(rank, MPI_COMM_WORLD), MPI_SUCCESS); /* before */
	CHECK_INT(AMPI_Suspend(), MPI_SUCCESS);
	MPI_Barrier(WORLD);
}

static void evacuate(void)
{
	AMPI_Migrate_to_pe(1);
	CHECK_INT(AMPI_Set_migratable(1), MPI_SUCCESS);
	MPI_Barrier(WORLD);
	if (rank == 0) {
		CHECK_INT(AMPI_Evacuate(), MPI_SUCCESS);
		CHECK_INT(attribute(AMPI_MY_WTH), 0);
	}
	MPI_Barrier(WORLD);
	for (int tries = 0; attribute(AMPI_MY_WTH) != 0 && tries < 10000; tries++) {
		AMPI_Migrate(MPI_INFO_NULL); /* ranks with functions to call go there */
		AMPI_Yield();
	}
	CHECK_INT(attribute(AMPI_MY_WTH), 0);
	MPI_Barrier(WORLD);
}

/* ---- others; and what is refused, by name ---- */

static void others(char **argv)
{
	int out[64], in[64], flag = 0;
	char text[MPI_MAX_ERROR_STRING], value[64] = "";
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Status s = {0};
	int n, code;

	for (int i = 0; i < size; i++)
		out[i] = rank * 100 + i, in[i] = -1;
	CHECK_INT(AMPI_Alltoall_medium(out, 1, MPI_INT, in, 1, MPI_INT, WORLD), MPI_SUCCESS);
	for (int i = 0; i < size; i++)
		CHECK_INT(in[i], i * 100 + rank);
	CHECK_INT(AMPI_Alltoall_long(in, 1, MPI_INT, out, 1, MPI_INT, WORLD), MPI_SUCCESS);
	for (int i = 0; i < size; i++)
		CHECK_INT(out[i], rank * 100 + i);
	CHECK(AMPI_Get_argc() == 1 && !strcmp(AMPI_Get_argv()[0], argv[0]));
	CHECK_INT(AMPI_Migrate(AMPI_INFO_LB_ASYNC), MPI_SUCCESS); /* from here on ranks may go at any time */
	CHECK_INT(AMPI_Trace_begin(), MPI_SUCCESS);
	CHECK_INT(AMPI_Trace_end(), MPI_SUCCESS);
	MPI_Info_get(AMPI_INFO_CHKPT_IN_MEMORY, "ampi_checkpoint", 63, value, &flag);
	CHECK(flag && !strcmp(value, "in_memory"));
	CHECK_FAILS(AMPI_Resume(size, WORLD), MPI_ERR_RANK);
	CHECK_FAILS(AMPI_Resume(0, MPI_COMM_NULL), MPI_ERR_COMM);
	CHECK_FAILS(AMPI_Iget(0, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL, &r), MPI_ERR_WIN);
	CHECK_FAILS(AMPI_Iget_free(&r, &s, MPI_WIN_NULL), MPI_ERR_WIN);
	s.MPI_TAG = 0;
	CHECK_FAILS(AMPI_Iget_data(&in, s), MPI_ERR_WIN);
	code = AMPI_Iget_wait(&r, &s, MPI_WIN_NULL);
	MPI_Error_string(code, text, &n);
	CHECK(strstr(text, "AMPI_Iget_wait") != NULL);
}

/* Gets whose data waits in the request. */
static void igets(void)
{
	int mine[4], got[2][2], next = (rank + 1) % size, *wths, flag;
	MPI_Request r[2];
	MPI_Status s[2];
	MPI_Datatype spread;
	MPI_Win win;

	for (int i = 0; i < 4; i++)
		mine[i] = 10 * rank + i;
	MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
	MPI_Type_commit(&spread);
	MPI_Win_create(mine, sizeof mine, sizeof *mine, MPI_INFO_NULL, WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	CHECK(MPI_Win_get_attr(win, AMPI_NUM_WTHS, &wths, &flag) == MPI_SUCCESS && flag && *wths == attribute(AMPI_NUM_WTHS));
	MPI_Barrier(WORLD);
	CHECK_INT(AMPI_Iget(0, 2, MPI_INT, next, 2, 2, MPI_INT, win, &r[0]), MPI_SUCCESS);
	CHECK_INT(AMPI_Iget(0, 2, MPI_INT, next, 0, 1, spread, win, &r[1]), MPI_SUCCESS);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(AMPI_Iget_wait(&r[i], &s[i], win), MPI_SUCCESS);
		CHECK_INT(AMPI_Iget_data(got[i], s[i]), MPI_SUCCESS);
		CHECK_INT(AMPI_Iget_free(&r[i], &s[i], win), MPI_SUCCESS);
		CHECK(r[i] == MPI_REQUEST_NULL);
	}
	CHECK(got[0][0] == 10 * next + 2 && got[0][1] == 10 * next + 3);
	CHECK(got[1][0] == 10 * next && got[1][1] == 10 * next + 2);
	CHECK_FAILS(AMPI_Iget(0, 1, MPI_INT, next, 4, 1, MPI_INT, win, &r[0]), MPI_ERR_RMA_RANGE);
	CHECK_FAILS(AMPI_Iget_wait(&r[1], &s[1], win), MPI_ERR_REQUEST);
	MPI_Type_free(&spread);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	int begin = attribute(AMPI_MY_WTH);
	steps();
	places(begin);
	relay();
	evacuate();
	others(argv);
	igets();
	MPI_Finalize();
	if (rank == 0)
		printf("PASS manual\n");
	return 0;
}
