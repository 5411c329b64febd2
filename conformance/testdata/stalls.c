/* Ranks of which nothing comes, although it cannot be known that nothing will: the first argument says how. What has a file to wait for, the
 * second argument, goes on when that is there. */
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, value, flag;
static const char *file;

static void handle(int signal)
{
	(void)signal;
	exit(7);
}

static void receive(void) { MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static int is_over(void) { return access(file, F_OK) == 0; }

static void test(void)
{
	MPI_Request r;
	MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &r);
	do
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
	while (!flag && !is_over());
}

static void probe(void)
{
	do
		MPI_Iprobe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	while (!flag && !is_over());
}

static void lock(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_lock(&mutex);
	pthread_mutex_lock(&mutex);
}

static void read_own(void)
{
	int ends[2];
	char c;
	if (!pipe(ends) && read(ends[0], &c, 1) < 0)
		exit(1);
}

/* Calls nothing that the runtime knows of, and nothing changes. */
static void spin(void)
{
	while (!*(volatile int *)&flag)
		;
}

static __attribute__((noinline)) int is_set(void) { return *(volatile int *)&flag; }

static void spin_by_calls(void)
{
	while (!is_set())
		;
}

/* Calls nothing either, and computes: by its registers, by its stack, or by its vectors alone. */
static void compute(void)
{
	volatile int on_stack = 0;
	double x = 0;
	for (long i = 0; i < 400000000; i++)
		__asm__ volatile("" : "+r"(i));
	while (on_stack < 300000000)
		on_stack++;
	while (x < 4e8) {
		x += 1;
		__asm__ volatile("" : "+x"(x));
	}
	exit(x > 4e8 ? 1 : 7);
}

static void stall(const char *how)
{
	if (!strcmp(how, "test"))
		test();
	else if (!strcmp(how, "probe"))
		probe();
	else if (!strcmp(how, "yield"))
		while (!is_over())
			sched_yield();
	else if (!strcmp(how, "pause"))
		pause();
	else if (!strcmp(how, "mutex"))
		lock();
	else if (!strcmp(how, "pipe"))
		read_own();
	else if (!strcmp(how, "spin"))
		spin();
	else if (!strcmp(how, "spin-call"))
		spin_by_calls();
	else if (!strcmp(how, "compute"))
		compute();
	else if (!strcmp(how, "handler") || !strcmp(how, "child"))
		receive();
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	file = argv[2];
	if (!strcmp(argv[1], "handler"))
		signal(SIGUSR2, handle);
	if (!strcmp(argv[1], "child") && rank == 0) {
		signal(SIGCHLD, handle);
		if (fork() == 0) {
			usleep(300000);
			_exit(0);
		}
	}
	if (rank == 0)
		stall(argv[1]);
	else
		receive();
	MPI_Abort(MPI_COMM_WORLD, 9);
	return 0;
}
