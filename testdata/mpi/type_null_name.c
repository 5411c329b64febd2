/* Has MPI_DATATYPE_NULL a name, as MPI 4.1 has it? */
#include "check.h"

int main(int argc, char **argv)
{
	char name[MPI_MAX_OBJECT_NAME];
	int length = -1;

	check_begin(&argc, &argv);
	MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length);
	CHECK(strcmp(name, "MPI_DATATYPE_NULL") == 0);
	CHECK_INT(length, strlen(name));
	return check_end("type_null_name");
}
