/* Calls of AMPI that the table of functions cannot have: one takes a status by value, two are for Fortran alone. */
#include <string.h>

#include "iget.h"
#include "shim.h"

/* The status is that of AMPI_Iget_wait; another one is an error that the runtime raises. */
int AMPI_Iget_data(void *data, MPI_Status status)
{
	MPI_Request none = MPI_REQUEST_NULL;
	const void *from;
	int64_t bytes;
	if (status.MPI_TAG != IGET_TAG)
		return AMPI_Iget_wait(&none, &status, MPI_WIN_NULL);
	iget_status_read(status.MPI_internal, &bytes, &from);
	memcpy(data, from, bytes);
	return MPI_SUCCESS;
}

void ampi_iget_data_(void *data, MPI_Fint *status, MPI_Fint *ierror);
void ampi_iget_data_(void *data, MPI_Fint *status, MPI_Fint *ierror)
{
	MPI_Status s;
	MPI_Status_f2c(status, &s);
	*ierror = AMPI_Iget_data(data, s);
}

void ampi_command_argument_count_(MPI_Fint *count);
void ampi_command_argument_count_(MPI_Fint *count)
{
	*count = AMPI_Get_argc() - 1;
}

/* The error code is that of Fortran's own get_command_argument: 0, -1 when the argument was cut off, above 0 when there is none. */
void ampi_get_command_argument_(MPI_Fint *number, char *value, MPI_Fint *length, MPI_Fint *ierror, size_t room);
void ampi_get_command_argument_(MPI_Fint *number, char *value, MPI_Fint *length, MPI_Fint *ierror, size_t room)
{
	int is_there = *number >= 0 && *number < AMPI_Get_argc();
	const char *argument = is_there ? AMPI_Get_argv()[*number] : "";
	size_t n = strlen(argument), most = *length > 0 && (size_t)*length < room ? (size_t)*length : room;
	*ierror = !is_there ? 42 : n > most ? -1 : 0;
	memset(value, ' ', room);
	memcpy(value, argument, n < most ? n : most);
}
