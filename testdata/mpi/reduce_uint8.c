/* Is MPI_UINT8_T unsigned in maximum and minimum? */
#include "check.h"
#include <stdint.h>

int main(int argc, char **argv)
{
	uint8_t in, high, low;

	check_begin(&argc, &argv);
	in = rank == 0 ? 200 : 100;
	MPI_Allreduce(&in, &high, 1, MPI_UINT8_T, MPI_MAX, WORLD);
	MPI_Allreduce(&in, &low, 1, MPI_UINT8_T, MPI_MIN, WORLD);
	CHECK_INT(high, 200);
	CHECK_INT(low, size == 1 ? 200 : 100);
	return check_end("reduce_uint8");
}
