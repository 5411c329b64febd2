/* Prints a line again and again. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	for (;;)
		puts("a line");
}
