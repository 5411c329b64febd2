/* Says which kinds of variables each rank has for itself: every rank writes its number to one of each kind, all wait for
 * each other, then every rank looks what is there. Run it with several ranks in one worker. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinds.h"

int global = -1;
static __thread int tagged = 7;
static __thread char tagged_text[3000];

static int *hidden(void)
{
	static int variable = 41;
	return &variable;
}

/* Rank 0 prints what all ranks together have found. */
static void report(const char *kind, int own)
{
	int rank, size, sum;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Reduce(&own, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%s %s\n", kind, sum == size ? "private" : "shared");
}

static void probe(const char *kind, int *variable)
{
	int rank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	*variable = 1000 + rank;
	MPI_Barrier(MPI_COMM_WORLD);
	report(kind, *variable == 1000 + rank);
}

static void probe_strtok(int rank)
{
	char text[64], own[16], *next;
	snprintf(own, sizeof own, "n%d", rank);
	snprintf(text, sizeof text, "first %s", own);
	strtok(text, " ");
	MPI_Barrier(MPI_COMM_WORLD);
	next = strtok(NULL, " ");
	int same = next && !strcmp(next, own);
	MPI_Barrier(MPI_COMM_WORLD); /* text is in use elsewhere when the pointer is shared */
	report("strtok", same);
}

static void probe_environment(int rank)
{
	char own[16];
	snprintf(own, sizeof own, "n%d", rank);
	setenv("KINDS", own, 1);
	MPI_Barrier(MPI_COMM_WORLD);
	const char *now = getenv("KINDS");
	report("environment", now && !strcmp(now, own));
}

/* What must hold under every method, private or not. */
static void check(int ok, const char *what)
{
	if (!ok) {
		printf("wrong: %s\n", what);
		MPI_Abort(MPI_COMM_WORLD, 3);
	}
}

static int later;

static void at_exit(void)
{
	later++;
}

static void check_memory(void)
{
	char *line = malloc(4), *copy;
	size_t room = 4;
	FILE *f = tmpfile();
	check(f && fputs("a line that is longer than four\n", f) >= 0, "tmpfile");
	rewind(f);
	check(getline(&line, &room, f) == 32, "getline grows memory of malloc");
	copy = strdup(line);
	check(copy && !strcmp(copy, line), "strdup");
	copy = realloc(copy, 1 << 20);
	check(copy && !strcmp(copy, line), "realloc of strdup");
	free(copy);
	free(line);
	fclose(f);
}

int main(int argc, char **argv)
{
	int rank;
	check(tagged == 7 || tagged >= 1000, "initial value of a thread-local variable");
	check(tagged_text[0] == 0, "zero thread-local variable");
	atexit(at_exit);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	check_memory();
	probe("global", &global);
	probe("static", hidden());
	probe("tagged", &tagged);
	probe("library", &library_global);
	probe("library-static", library_static());
	probe_strtok(rank);
	probe_environment(rank);
	printf("line of rank %d\n", rank);
	fflush(stdout);
	MPI_Finalize();
	return 0;
}
