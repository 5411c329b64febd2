/* A library for carried.c: globals, thread-local variables of two models, functions of the C library that are chosen by processor. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

int carried_starts;
static int steps = 100, *where = &steps;
static __thread int by_thread = 7;
static __thread int fixed[3] __attribute__((tls_model("initial-exec"))) = {1, 2, 3};
static __thread char zero[64];
static char *text;

__attribute__((constructor)) static void start(void) { carried_starts++; }

/* The number of calls so far, or -1 when anything of it is not as the call before has left it. */
int carried_step(int rank, int n)
{
	char *now = malloc(n + 2);

	if (steps != 100 + n || by_thread != 7 + n || fixed[2] != 3 + n * rank || zero[1] != (char)n || where != &steps)
		return -1;
	if (n && (strlen(text) != (size_t)n || text[n - 1] != 'a' + (n - 1) % 26))
		return -2;
	if (time(NULL) < 1000000)
		return -3;
	if (n)
		memcpy(now, text, n);
	now[n] = 'a' + n % 26, now[n + 1] = 0;
	free(text);
	text = now;
	(*where)++, by_thread++, fixed[2] += rank, zero[1]++;
	return n + 1;
}
