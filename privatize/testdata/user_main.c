/* Uses a variable of the library directly: a COPY relocation without -fPIE's GOT, or the GOT with it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int lib_global, *lib_pointer;
extern __thread int lib_local;
int lib_step(int rank);
int lib_steps(void);
int *lib_address(void);
int stage_yield(void);

int main(int argc, char **argv)
{
	int rank = argc > 1 ? atoi(argv[1]) : 0;

	lib_local += rank;
	if (lib_step(rank) != 11 + rank)
		return 10;
	stage_yield();
	if (lib_global != 5 + rank || *lib_pointer != 5 + rank || lib_address() != &lib_global || lib_local != 9 + rank)
		return 11;
	stage_yield();
	if (lib_steps() != 2 || lib_step(0) != 11 + rank)
		return 12;
	fprintf(fopen(argv[2], "w"), "rank %d counter %d %.2f\n", rank, lib_global, 1.5 * rank);
	return 40 + rank;
}
