/* Each rank and a thread of it touch a part of their stacks that no small limit has room for; another thread says how little it needs. A round
 * at a time, so that the job can be caught in the middle. Argument: rounds. */
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PART (6 << 20)

static int touch(int value)
{
	char room[PART];
	memset(room, value, sizeof room);
	return ((volatile char *)room)[PART / 2] == value;
}

static void *thread(void *value)
{
	return (void *)(size_t)touch((int)(size_t)value);
}

static void *small(void *value)
{
	return value;
}

static int run(void *(*fn)(void *), const pthread_attr_t *attr, size_t value)
{
	pthread_t id;
	void *result;
	return !pthread_create(&id, attr, fn, (void *)value) && !pthread_join(id, &result) && result;
}

int main(int argc, char **argv)
{
	int rank, good = 1, all, rounds = argc > 1 ? atoi(argv[1]) : 1;
	pthread_attr_t least;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_attr_init(&least);
	pthread_attr_setstacksize(&least, PTHREAD_STACK_MIN);
	for (int i = 0; i < rounds && good; i++) {
		good = touch(rank + 1) && (rounds > 1 || (run(thread, NULL, rank + 1) && run(small, &least, 1)));
		MPI_Allreduce(&good, &all, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
		good = all;
		if (!rank && rounds > 1 && i % 100 == 0)
			printf("round %d\n", i), fflush(stdout);
	}
	if (!rank)
		puts(good ? "PASS stacks" : "FAIL stacks");
	MPI_Finalize();
	return !good;
}
