/* Does Info_get cut a value that is longer than the room for it? */
#include "check.h"

int main(int argc, char **argv)
{
	MPI_Info info;
	char value[4] = "";
	int flag = 0;

	check_begin(&argc, &argv);
	MPI_Info_create(&info);
	MPI_Info_set(info, "key", "a longer value");
	MPI_Info_get(info, "key", 3, value, &flag);
	CHECK(flag && strcmp(value, "a l") == 0);
	MPI_Info_free(&info);
	return check_end("info_truncate");
}
