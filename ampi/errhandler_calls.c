/* The calls that attach error handlers to communicators and files (MPI 5.0 sections 9.3.1 and 9.3.3), and those that make them. Windows and
 * sessions keep theirs where they are. */
#include "ampi/errhandler.h"

static int not_running(int fn)
{
	return ampi_running() ? MPI_SUCCESS : ampi_bad_comm(MPI_COMM_SELF, fn);
}

/* ---- making them ---- */

static int create(int fn, enum ampi_kind kind, void *function, MPI_Errhandler *out)
{
	int error = not_running(fn);
	return error ? error : ampi_errhandler_create(fn, kind, function, out);
}

int ampi_Comm_create_errhandler(MPI_Comm_errhandler_function *function, MPI_Errhandler *out)
{
	return create(AMPI_FN_MPI_Comm_create_errhandler, AMPI_COMM, function, out);
}

int ampi_Win_create_errhandler(MPI_Win_errhandler_function *function, MPI_Errhandler *out)
{
	return create(AMPI_FN_MPI_Win_create_errhandler, AMPI_WIN, function, out);
}

int ampi_File_create_errhandler(MPI_File_errhandler_function *function, MPI_Errhandler *out)
{
	return create(AMPI_FN_MPI_File_create_errhandler, AMPI_FILE, function, out);
}

/* Sessions want one before they exist, so this works at any time. */
int ampi_Session_create_errhandler(MPI_Session_errhandler_function *function, MPI_Errhandler *out)
{
	return ampi_errhandler_create(AMPI_FN_MPI_Session_create_errhandler, AMPI_SESSION, function, out);
}

/* ---- communicators ---- */

static struct ampi_culprit of_comm(const struct ampi_comm *c)
{
	return (struct ampi_culprit){AMPI_COMM, c->handle, c->errhandler};
}

int ampi_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler h)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, AMPI_FN_MPI_Comm_set_errhandler);
	if (c == &ampi_me()->self)
		ampi_me()->self_handled = 1;
	struct ampi_culprit at = of_comm(c);
	return ampi_errhandler_set(&at, AMPI_FN_MPI_Comm_set_errhandler, &c->errhandler, h);
}

int ampi_Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler *out)
{
	struct ampi_comm *c = ampi_comm(comm);
	return c ? ampi_errhandler_get(c->errhandler, out) : ampi_bad_comm(comm, AMPI_FN_MPI_Comm_get_errhandler);
}

int ampi_Comm_call_errhandler(MPI_Comm comm, int code)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, AMPI_FN_MPI_Comm_call_errhandler);
	struct ampi_culprit at = of_comm(c);
	return ampi_errhandler_call(&at, code, AMPI_FN_MPI_Comm_call_errhandler);
}

/* ---- files: MPI_FILE_NULL stands for those that are opened later, and for errors of files that are not ---- */

/* 1: file is MPI_FILE_NULL, else 0 with *error raised. */
static int file_culprit(struct ampi_culprit *at, MPI_File file, int fn, int *error)
{
	*at = (struct ampi_culprit){AMPI_FILE, (uint64_t)MPI_FILE_NULL, ampi_me()->file_errhandler};
	*error = not_running(fn);
	if (!*error && file != MPI_FILE_NULL)
		*error = ampi_raise_on(at, MPI_ERR_FILE, fn, "file (handle 0x%lx) is not a file, or was closed", (unsigned long)file);
	return !*error && file == MPI_FILE_NULL;
}

int ampi_File_set_errhandler(MPI_File file, MPI_Errhandler h)
{
	const int fn = AMPI_FN_MPI_File_set_errhandler;
	struct ampi_culprit at;
	int error;
	return file_culprit(&at, file, fn, &error) ? ampi_errhandler_set(&at, fn, &ampi_me()->file_errhandler, h) : error;
}

int ampi_File_get_errhandler(MPI_File file, MPI_Errhandler *out)
{
	struct ampi_culprit at;
	int error;
	return file_culprit(&at, file, AMPI_FN_MPI_File_get_errhandler, &error) ? ampi_errhandler_get(ampi_me()->file_errhandler, out) : error;
}

int ampi_File_call_errhandler(MPI_File file, int code)
{
	const int fn = AMPI_FN_MPI_File_call_errhandler;
	struct ampi_culprit at;
	int error;
	return file_culprit(&at, file, fn, &error) ? ampi_errhandler_call(&at, code, fn) : error;
}
