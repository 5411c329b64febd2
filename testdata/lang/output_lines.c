/* Is output unmixed by lines: every rank prints 50 long lines in pieces to stdout and to stderr. */
#include "check.h"

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	for (int line = 0; line < 50; line++) {
		printf("rank %d line %d ", rank, line);
		for (int i = 0; i < 20; i++)
			printf("%d:%d,", rank, i);
		printf(" end\n");
		if (line % 10 == 0)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	fprintf(stderr, "rank %d done\n", rank);
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	return check_end("output_lines");
}
