/* The library that plugins.c opens: globals, a constructor and a destructor, thread-local variables of both kinds, memory, a nested opening. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern __thread int needed_counter;
extern int needed_ready, needed_chosen(void), common_name(void);
extern int plugins_value; /* of the program */

static __thread int fixed __attribute__((tls_model("initial-exec"))) = 11;
int open_constructed, open_state = 5;
int *open_self = &open_state;
FILE **open_stream = &stdout;

__attribute__((constructor)) static void begin(int argc, char **argv, char **envp)
{
	open_constructed = needed_ready == 1 && argc > 0 && argv[0] && envp && getenv("AMPI_RANK") != NULL;
}

__attribute__((destructor)) static void end(void)
{
	if (open_state == 99)
		write(1, "destructor\n", 11);
}

int open_add(int n)
{
	needed_counter += n;
	fixed += n;
	open_state += n;
	return *open_self;
}

int open_thread_locals(void)
{
	return needed_counter * 1000 + fixed;
}

int open_common(void)
{
	return common_name() * 10 + needed_chosen();
}

int open_program_value(void)
{
	return plugins_value;
}

char *open_copy(const char *s)
{
	char *copy = malloc(strlen(s) + 1);
	return strcpy(copy, s);
}

int open_errno(void)
{
	errno = 0;
	fclose(fopen("/dev/null", "r"));
	fopen("/no/such/file", "r");
	return errno;
}

static void *body(void *arg)
{
	*(int *)arg = open_thread_locals();
	return NULL;
}

int open_thread(void)
{
	pthread_t t;
	int seen = 0;
	if (pthread_create(&t, NULL, body, &seen) || pthread_join(t, NULL))
		return -1;
	return seen;
}
