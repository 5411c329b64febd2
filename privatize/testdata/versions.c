/* Binds to an old version of a libc function and to the default one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int stage_yield(void);
__asm__(".symver memcpy_old, memcpy@GLIBC_2.2.5");
void *memcpy_old(void *, const void *, size_t);
void *(*volatile newer)(void *, const void *, size_t) = memcpy;
void *(*volatile older)(void *, const void *, size_t) = memcpy_old;

int main(int argc, char **argv)
{
	int rank = atoi(argv[1]);
	char text[32] = "", copy[32];

	memcpy_old(copy, "abc", 4);
	newer(text, copy, 4);
	if (argc != 3 || strcmp(text, "abc") || newer == older)
		return 10;
	stage_yield();
	fprintf(fopen(argv[2], "w"), "rank %d counter %d %.2f\n", rank, 5 + rank, 1.5 * rank);
	return 40 + rank;
}
