/* Does a reduction in place work at a root other than 0 with a large buffer? */
#include "check.h"

#define MAX 40000

int main(int argc, char **argv)
{
	static int data[MAX];

	check_begin(&argc, &argv);
	for (int root = size - 1; root >= 0; root--)
		for (int n = 500; n <= MAX; n += 39500) {
			for (int i = 0; i < n; i++)
				data[i] = rank + i;
			if (rank == root)
				MPI_Reduce(MPI_IN_PLACE, data, n, MPI_INT, MPI_SUM, root, WORLD);
			else
				MPI_Reduce(data, NULL, n, MPI_INT, MPI_SUM, root, WORLD);
			for (int i = 0; i < n; i++)
				CHECK_INT(data[i], rank == root ? size * i + size * (size - 1) / 2 : rank + i);
		}
	return check_end("reduce_in_place_large");
}
