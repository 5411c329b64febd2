/* Do error handlers keep to their kind of object, live as long as they are used, and take the program's own codes? */
#include "check.h"

static int calls, code_seen;
static MPI_Comm comm_seen;
static MPI_File file_seen;
static int free_inside;

static void on_comm(MPI_Comm *comm, int *code, ...)
{
	calls++;
	comm_seen = *comm;
	code_seen = *code;
	if (free_inside)
		MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
}

static void on_file(MPI_File *file, int *code, ...)
{
	calls += 10;
	file_seen = *file;
	code_seen = *code;
}

static void on_win(MPI_Win *win, int *code, ...)
{
	(void)win, (void)code;
	calls += 100;
}

static void kinds(void)
{
	MPI_Errhandler comm, file, win, got, freed;

	MPI_Comm_create_errhandler(on_comm, &comm);
	MPI_File_create_errhandler(on_file, &file);
	MPI_Win_create_errhandler(on_win, &win);
	CHECK(MPI_Comm_set_errhandler(WORLD, file) != MPI_SUCCESS);
	CHECK(MPI_Comm_set_errhandler(WORLD, win) != MPI_SUCCESS);
	CHECK(MPI_Comm_set_errhandler(WORLD, MPI_ERRHANDLER_NULL) != MPI_SUCCESS);
	CHECK(MPI_File_set_errhandler(MPI_FILE_NULL, comm) != MPI_SUCCESS);
	MPI_File_get_errhandler(MPI_FILE_NULL, &got);
	CHECK(got == MPI_ERRORS_RETURN);
	CHECK(MPI_File_set_errhandler(MPI_FILE_NULL, file) == MPI_SUCCESS);
	MPI_File_get_errhandler(MPI_FILE_NULL, &got);
	CHECK(got == file);
	MPI_Errhandler_free(&got);
	MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_IO);
	CHECK_INT(calls, 10);
	CHECK_INT(code_seen, MPI_ERR_IO);
	CHECK(file_seen == MPI_FILE_NULL);
	MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
	freed = comm;
	MPI_Errhandler_free(&comm);
	MPI_Errhandler_free(&file);
	MPI_Errhandler_free(&win);
	CHECK(comm == MPI_ERRHANDLER_NULL && file == MPI_ERRHANDLER_NULL && win == MPI_ERRHANDLER_NULL);
	CHECK(MPI_Comm_set_errhandler(WORLD, freed) != MPI_SUCCESS);
	calls = 0;
}

/* The handler goes on after its handle was freed, and a new handle to it can be had. */
static void freed_in_use(void)
{
	MPI_Errhandler h, got;
	MPI_Comm comm, dup;

	MPI_Comm_dup(WORLD, &comm);
	MPI_Comm_create_errhandler(on_comm, &h);
	MPI_Comm_set_errhandler(comm, h);
	MPI_Errhandler_free(&h);
	MPI_Comm_call_errhandler(comm, MPI_ERR_TAG);
	CHECK(calls == 1 && comm_seen == comm && code_seen == MPI_ERR_TAG);
	MPI_Comm_get_errhandler(comm, &got);
	CHECK(got != MPI_ERRHANDLER_NULL);
	MPI_Comm_dup(comm, &dup);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(comm, got);
	MPI_Errhandler_free(&got);
	CHECK(MPI_Send(NULL, 0, MPI_INT, size, 0, comm) != MPI_SUCCESS);
	CHECK(calls == 2 && comm_seen == comm);
	CHECK(MPI_Send(NULL, 0, MPI_INT, size, 0, dup) != MPI_SUCCESS);
	CHECK(calls == 3 && comm_seen == dup);
	free_inside = 1;
	MPI_Comm_call_errhandler(dup, MPI_ERR_TAG);
	MPI_Comm_call_errhandler(dup, MPI_ERR_TAG);
	CHECK_INT(calls, 4);
	MPI_Comm_free(&comm);
	MPI_Comm_free(&dup);
	calls = 0;
}

static void own_codes(void)
{
	int class, code;
	MPI_Errhandler h;
	MPI_Comm comm;

	MPI_Add_error_class(&class);
	MPI_Add_error_code(class, &code);
	MPI_Add_error_string(code, "out of luck");
	MPI_Comm_dup(WORLD, &comm);
	MPI_Comm_create_errhandler(on_comm, &h);
	MPI_Comm_set_errhandler(comm, h);
	free_inside = 0;
	CHECK(MPI_Comm_call_errhandler(comm, code) == MPI_SUCCESS);
	CHECK(calls == 1 && code_seen == code);
	MPI_Errhandler_free(&h);
	MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	kinds();
	freed_in_use();
	own_codes();
	return check_end("errhandler_kinds");
}
