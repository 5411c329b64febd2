/* Do timers that go off faster than their handler runs count right? How often they have gone off follows from when they were set and stopped,
 * each known to lie between two looks at the clock. Arguments: nanoseconds between ticks, ticks, rounds. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile long ticks;
static timer_t ticking;
static int rank;

static void tick(int signal)
{
	(void)signal;
	ticks += 1 + timer_getoverrun(ticking);
}

static long long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Of what goes off while it is being stopped the kernel may keep quiet, once. */
static int count(long every, long enough, int flags)
{
	struct itimerspec v = {{0, every}, {0, every}};
	long long set = now_ns(), was_set, stop, stopped;
	ticks = 0;
	if (flags) {
		v.it_value.tv_sec = (set + every) / 1000000000;
		v.it_value.tv_nsec = (set + every) % 1000000000;
	}
	timer_settime(ticking, flags, &v, NULL);
	was_set = flags ? set : now_ns();
	while (ticks < enough / 2)
		;
	while (ticks < enough)
		MPI_Barrier(MPI_COMM_SELF);
	stop = now_ns();
	timer_settime(ticking, 0, &(struct itimerspec){0}, NULL);
	stopped = now_ns();
	if (ticks >= (stop - was_set) / every - 1 && ticks <= (stopped - set) / every)
		return 0;
	printf("rank %d: %ld ticks, %lld to %lld are due\n", rank, ticks, (stop - was_set) / every, (stopped - set) / every);
	return 1;
}

int main(int argc, char **argv)
{
	int bad = 0, all = 0;
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3};
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	signal(SIGRTMIN + 3, tick);
	timer_create(CLOCK_MONOTONIC, &e, &ticking);
	for (int i = 0; i < atoi(argv[3]); i++)
		bad += count(atol(argv[1]), atol(argv[2]), i % 2 ? TIMER_ABSTIME : 0);
	MPI_Allreduce(&bad, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%s ticks\n", all ? "FAIL" : "PASS");
	MPI_Finalize();
	return all != 0;
}
