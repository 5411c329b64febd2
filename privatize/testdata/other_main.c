/* Built for another ABI than the runtime's: its world is a variable of its MPI library, of which it has a copy. */
#include <stdio.h>
#include <stdlib.h>

extern int other_world[4];
int other_yield(int *world);
int *other_null(void);

int main(int argc, char **argv)
{
	int rank = argc > 1 ? atoi(argv[1]) : 0;

	other_world[1] = rank;
	for (int i = 0; i < 3; i++)
		if (other_yield(other_world) != rank)
			return 10;
	if (other_null() != &other_world[3])
		return 11;
	fprintf(fopen(argv[2], "w"), "rank %d counter %d %.2f\n", rank, 5 + rank, 1.5 * rank);
	return 40 + rank;
}
