/* Does rank 0 get standard input, and find its end? Prints the number of lines and bytes. */
#include "check.h"

int main(int argc, char **argv)
{
	int c, n[2] = {0, 0};

	check_begin(&argc, &argv);
	while (rank == 0 && (c = getchar()) != EOF) {
		n[0] += c == '\n';
		n[1]++;
	}
	MPI_Bcast(n, 2, MPI_INT, 0, MPI_COMM_WORLD);
	if (rank == size - 1)
		printf("%d lines, %d bytes\n", n[0], n[1]);
	fflush(stdout);
	return check_end("stdin_rank0");
}
