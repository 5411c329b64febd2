/* Are error handlers called with the right communicator and class, inherited, replaced, and counted? */
#include "check.h"

static int calls, class_seen;
static MPI_Comm comm_seen;

static void handler(MPI_Comm *comm, int *code, ...)
{
	calls++;
	comm_seen = *comm;
	MPI_Error_class(*code, &class_seen);
}

static void other(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
	calls += 100;
}

static void expect(MPI_Comm comm, int n, int class)
{
	CHECK_INT(calls, n);
	CHECK(comm_seen == comm);
	CHECK_INT(class_seen, class);
	calls = 0;
}

static void called(MPI_Comm comm)
{
	int value = 0, code;

	code = MPI_Send(&value, 1, MPI_INT, size, 0, comm);
	expect(comm, 1, MPI_ERR_RANK);
	CHECK(code != MPI_SUCCESS);
	MPI_Send(&value, -1, MPI_INT, 0, 0, comm);
	expect(comm, 1, MPI_ERR_COUNT);
	MPI_Send(&value, 1, MPI_INT, 0, -5, comm);
	expect(comm, 1, MPI_ERR_TAG);
	MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, comm);
	expect(comm, 1, MPI_ERR_TYPE);
	MPI_Bcast(&value, 1, MPI_INT, size, comm);
	expect(comm, 1, MPI_ERR_ROOT);
}

static void set_and_get(void)
{
	MPI_Errhandler mine, got, second;
	MPI_Comm comm, dup;

	MPI_Comm_get_errhandler(WORLD, &got);
	CHECK(got == MPI_ERRORS_ARE_FATAL);
	MPI_Errhandler_free(&got);
	MPI_Comm_create_errhandler(handler, &mine);
	MPI_Comm_create_errhandler(other, &second);
	MPI_Comm_dup(WORLD, &comm);
	MPI_Comm_set_errhandler(comm, mine);
	MPI_Comm_get_errhandler(comm, &got);
	CHECK(got == mine);
	MPI_Errhandler_free(&got);
	called(comm);
	MPI_Comm_dup(comm, &dup); /* inherits the handler */
	MPI_Errhandler_free(&mine);
	CHECK(mine == MPI_ERRHANDLER_NULL);
	called(dup);
	MPI_Comm_set_errhandler(dup, second);
	MPI_Send(NULL, 1, MPI_INT, size + 3, 0, dup);
	CHECK_INT(calls, 100);
	calls = 0;
	called(comm);
	MPI_Errhandler_free(&second);
	MPI_Comm_free(&dup);
	MPI_Comm_free(&comm);
}

static void by_hand(void)
{
	MPI_Errhandler mine;
	MPI_Comm comm;

	MPI_Comm_dup(WORLD, &comm);
	MPI_Comm_create_errhandler(handler, &mine);
	MPI_Comm_set_errhandler(comm, mine);
	MPI_Comm_call_errhandler(comm, MPI_ERR_OP);
	expect(comm, 1, MPI_ERR_OP);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	CHECK_INT(MPI_Comm_call_errhandler(comm, MPI_ERR_OP), MPI_SUCCESS);
	CHECK_INT(calls, 0);
	MPI_Errhandler_free(&mine);
	MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	set_and_get();
	by_hand();
	return check_end("errhandler");
}
