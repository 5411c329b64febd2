/* Do calls work that MPI 4.1 and 5.0 brought: buffers of sessions, error classes, codes and strings removed, pair types by their parts,
 * statuses with large counts, partitions with large counts? */
#include "check.h"

#define N 200

static int data[N], in[N];

/* A buffered send in communicator c, which must copy at once. */
static void send_through(MPI_Comm c)
{
	int me;

	MPI_Comm_rank(c, &me);
	check_fill(data, N, rank);
	CHECK_INT(MPI_Bsend_c(data, N, MPI_INT, me, 1, c), MPI_SUCCESS);
	check_wipe(data, N);
	check_wipe(in, N);
	MPI_Recv_c(in, N, MPI_INT, me, 1, c, MPI_STATUS_IGNORE);
	CHECK(check_filled(in, N, rank));
}

static void session_buffers(void)
{
	static char room[N * sizeof(int) + MPI_BSEND_OVERHEAD];
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;
	MPI_Request r;
	MPI_Count large;
	void *back;
	int n;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	MPI_Group_from_session_pset(s, "mpi://SELF", &g);
	MPI_Comm_create_from_group(g, "later", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c);
	MPI_Group_free(&g);
	CHECK_FAILS(MPI_Bsend(data, N, MPI_INT, 0, 1, c), MPI_ERR_BUFFER);
	MPI_Session_attach_buffer(s, room, sizeof room);
	send_through(c);
	MPI_Session_flush_buffer(s);
	MPI_Session_detach_buffer(s, &back, &n);
	CHECK(back == room);
	CHECK_INT(n, sizeof room);
	MPI_Session_attach_buffer_c(s, room, sizeof room);
	send_through(c);
	MPI_Session_iflush_buffer(s, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Session_detach_buffer_c(s, &back, &large);
	CHECK(back == room);
	CHECK_INT(large, sizeof room);
	MPI_Comm_attach_buffer_c(c, room, sizeof room);
	send_through(c);
	MPI_Comm_detach_buffer_c(c, &back, &large);
	CHECK(back == room);
	CHECK_INT(large, sizeof room);
	MPI_Comm_free(&c);
	MPI_Session_finalize(&s);
}

/* Only what is not used any more may go, and only what the program has added. */
static void removed_errors(void)
{
	int class, code, used, n;
	char text[MPI_MAX_ERROR_STRING];

	MPI_Add_error_class(&class);
	MPI_Add_error_code(class, &code);
	MPI_Add_error_string(code, "own");
	MPI_Error_string(code, text, &n);
	CHECK(!strcmp(text, "own"));
	CHECK(MPI_Remove_error_class(class) != MPI_SUCCESS);
	CHECK_INT(MPI_Remove_error_string(code), MPI_SUCCESS);
	MPI_Error_string(code, text, &n);
	CHECK(strcmp(text, "own"));
	CHECK_INT(MPI_Remove_error_code(code), MPI_SUCCESS);
	CHECK(MPI_Remove_error_code(code) != MPI_SUCCESS);
	CHECK_INT(MPI_Remove_error_class(class), MPI_SUCCESS);
	CHECK(MPI_Remove_error_class(class) != MPI_SUCCESS);
	CHECK(MPI_Remove_error_class(MPI_ERR_OTHER) != MPI_SUCCESS);
	MPI_Add_error_class(&used);
	CHECK(used > MPI_ERR_LASTCODE);
	MPI_Remove_error_class(used);
}

static void pair_types(void)
{
	static const struct { MPI_Datatype value, pair; } known[] = {
		{MPI_FLOAT, MPI_FLOAT_INT}, {MPI_DOUBLE, MPI_DOUBLE_INT}, {MPI_LONG, MPI_LONG_INT}, {MPI_SHORT, MPI_SHORT_INT},
		{MPI_INT, MPI_2INT}, {MPI_LONG_DOUBLE, MPI_LONG_DOUBLE_INT},
	};
	MPI_Datatype t;
	struct { double value; short index; } mine = {rank == size / 2 ? 99 : rank % 3, rank}, best;

	for (int i = 0; i < LEN(known); i++) {
		MPI_Type_get_value_index(known[i].value, MPI_INT, &t);
		CHECK(t == known[i].pair);
	}
	MPI_Type_get_value_index(MPI_DOUBLE, MPI_SHORT, &t);
	if (t == MPI_DATATYPE_NULL)
		return; /* as an implementation may have it */
	MPI_Allreduce(&mine, &best, 1, t, MPI_MAXLOC, WORLD);
	CHECK(best.value == 99 && best.index == size / 2);
}

static void large_statuses(void)
{
	MPI_Count big = ((MPI_Count)1 << 40) + 1, n;
	MPI_Status s;

	memset(&s, 0, sizeof s);
	MPI_Status_set_elements_c(&s, MPI_INT, big);
	MPI_Get_elements_c(&s, MPI_INT, &n);
	CHECK_INT(n, big);
	MPI_Get_count_c(&s, MPI_INT, &n);
	CHECK_INT(n, big);
}

static void large_partitions(void)
{
	MPI_Request s, r;
	MPI_Status status;
	MPI_Count n;

	check_fill(data, N, rank);
	check_wipe(in, N);
	MPI_Psend_init_c(data, 4, N / 4, MPI_INT, (rank + 1) % size, 1, WORLD, MPI_INFO_NULL, &s);
	MPI_Precv_init_c(in, 2, N / 2, MPI_INT, (rank + size - 1) % size, 1, WORLD, MPI_INFO_NULL, &r);
	MPI_Start(&r);
	MPI_Start(&s);
	for (int i = 3; i >= 0; i--)
		MPI_Pready(i, s);
	MPI_Wait(&r, &status);
	MPI_Wait(&s, MPI_STATUS_IGNORE);
	CHECK(check_filled(in, N, (rank + size - 1) % size));
	MPI_Get_count_c(&status, MPI_INT, &n);
	CHECK_INT(n, N);
	MPI_Request_free(&s);
	MPI_Request_free(&r);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	session_buffers();
	removed_errors();
	pair_types();
	large_statuses();
	large_partitions();
	return check_end("later_calls");
}
