/* An allocator that nothing of ours can see: it takes memory with instructions of its own. Only what every program needs is there. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static long kernel(long number, long a, long b, long c, long d)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = -1;
	register long r9 __asm__("r9") = 0;
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
	return result;
}

void *malloc(size_t n)
{
	n = (n + 16 + 4095) & ~(size_t)4095;
	size_t *p = (size_t *)kernel(9, 0, (long)n, 3, 0x22);
	*p = n;
	return p + 2;
}

void free(void *p)
{
	if (p)
		kernel(11, (long)p - 16, (long)*((size_t *)p - 2), 0, 0);
}

void *calloc(size_t n, size_t size)
{
	return malloc(n * size);
}

void *realloc(void *p, size_t n)
{
	void *q = malloc(n);
	if (p) {
		size_t had = *((size_t *)p - 2) - 16;
		memcpy(q, p, had < n ? had : n);
		free(p);
	}
	return q;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	char *text = strdup("PASS raw\n");
	fputs(text, stdout);
	free(text);
	MPI_Finalize();
	return 0;
}
