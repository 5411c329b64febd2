/* What plugins_open.c's library needs: found by its RUNPATH, and loaded with it. */
#include <stdlib.h>

__thread int needed_counter = 7; /* general dynamic: a block for each thread */
int needed_ready;

__attribute__((constructor)) static void begin(void)
{
	needed_ready = 1;
}

int *needed_address(void)
{
	return &needed_counter;
}

static int one(void)
{
	return 1;
}

static int (*choose(void))(void)
{
	return one;
}

int needed_chosen(void) __attribute__((ifunc("choose")));

int common_name(void)
{
	return 2; /* the program has one of its own, which comes first */
}

int only_here(void)
{
	return 22;
}
