/* Does OpenMP work as hybrid codes use it: nested regions, tasks, reductions, threadprivate, schedules, locks, MPI between and in regions? */
// build: $CC -fopenmp openmp.c
#define _GNU_SOURCE
#include "check.h"
#include <omp.h>
#include <sched.h>

static int counter = 5;
#pragma omp threadprivate(counter)
static int locked, critical;

static void thread_private(void)
{
	int bad = 0;
	counter = 1000 * rank;
#pragma omp parallel num_threads(3) copyin(counter) reduction(+ : bad)
	{
		bad += counter != 1000 * rank;
		counter += omp_get_thread_num();
	}
	check_others_run();
#pragma omp parallel num_threads(3) reduction(+ : bad)
	bad += counter != 1000 * rank + omp_get_thread_num();
	CHECK(bad == 0 && counter == 1000 * rank);
}

static long fibonacci(int n)
{
	long a, b;
	if (n < 2)
		return n;
#pragma omp task shared(a) if (n > 6)
	a = fibonacci(n - 1);
#pragma omp task shared(b) if (n > 6)
	b = fibonacci(n - 2);
#pragma omp taskwait
	return a + b;
}

static void tasks(void)
{
	long f = 0, sum = 0;
	int order[4] = {0}, at = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
	f = fibonacci(12 + rank % 3);
	CHECK(f == (rank % 3 == 0 ? 144 : rank % 3 == 1 ? 233 : 377));
#pragma omp parallel num_threads(2)
#pragma omp single
	for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : at) firstprivate(i) shared(order, at)
		order[at++] = i;
	}
	CHECK(at == 4 && order[0] == 0 && order[3] == 3);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop reduction(+ : sum) grainsize(10)
	for (int i = 0; i < 100; i++)
		sum += i + rank;
	CHECK(sum == 4950 + 100 * rank);
}

static void loops(void)
{
	double sum = 0, most = -1;
	int n = 0, last = -1, array[8] = {0};
#pragma omp parallel for schedule(dynamic, 7) reduction(+ : sum) reduction(max : most) num_threads(4)
	for (int i = 0; i < 1000; i++) {
		sum += i;
		most = most > i * (rank + 1.0) ? most : i * (rank + 1.0);
	}
	CHECK(sum == 499500 && most == 999 * (rank + 1.0));
#pragma omp parallel for schedule(guided) lastprivate(last) reduction(+ : array) num_threads(3)
	for (int i = 0; i < 800; i++) {
		array[i % 8] += rank;
		last = i;
#pragma omp atomic
		n++;
	}
	CHECK(n == 800 && last == 799 && array[0] == 100 * rank && array[7] == 100 * rank);
	n = 0;
#pragma omp parallel for ordered num_threads(3) schedule(static, 1)
	for (int i = 0; i < 30; i++) {
#pragma omp ordered
		n += n == i;
	}
	CHECK(n == 30);
#pragma omp parallel sections num_threads(2) reduction(+ : n)
	{
#pragma omp section
		n += 1;
#pragma omp section
		n += 2;
	}
	CHECK(n == 33);
}

static void nested(void)
{
	int inner = 0, deepest = 0;
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : inner) reduction(max : deepest)
	{
#pragma omp parallel num_threads(2) reduction(+ : inner) reduction(max : deepest)
		{
			inner += 1 + omp_get_ancestor_thread_num(1);
			deepest = omp_get_level();
		}
	}
	CHECK(inner == 2 * 1 + 2 * 2 && deepest == 2);
	omp_set_max_active_levels(1);
}

/* What a rank asks for is its own; the worker's other ranks stay where they are. */
static void cores(void)
{
	cpu_set_t before, mine, now;
	int first = 0;
	CHECK(!sched_getaffinity(0, sizeof before, &before));
	while (!CPU_ISSET(first, &before))
		first++;
	CPU_ZERO(&mine);
	CPU_SET(first, &mine);
	check_others_run();
	if (rank % 2)
		CHECK(!sched_setaffinity(0, sizeof mine, &mine));
	check_others_run();
	CHECK(!sched_getaffinity(0, sizeof now, &now) && CPU_EQUAL(&now, rank % 2 ? &mine : &before));
	CHECK(!sched_setaffinity(0, sizeof before, &before));
}

/* Only the first thread calls MPI, while the others wait in a barrier of the region: MPI_THREAD_FUNNELED. */
static void funnelled(void)
{
	int bad = 0, value = -1;
	omp_lock_t lock;
	omp_init_lock(&lock);
#pragma omp parallel num_threads(3) reduction(+ : bad)
	for (int round = 0; round < 4; round++) {
#pragma omp master
		MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &value, 1, MPI_INT, (rank + size - 1) % size, 5, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
#pragma omp barrier
		bad += value != (rank + size - 1) % size;
		omp_set_lock(&lock);
		locked++;
		omp_unset_lock(&lock);
#pragma omp critical
		critical++;
#pragma omp barrier
	}
	omp_destroy_lock(&lock);
	CHECK(bad == 0 && locked == 12 && critical == 12);
}

int main(int argc, char **argv)
{
	const char *threads = getenv("OMP_NUM_THREADS");
	int provided, team = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	CHECK(provided >= MPI_THREAD_FUNNELED);
	if (threads) {
#pragma omp parallel
#pragma omp single
		team = omp_get_num_threads();
		CHECK(team == atoi(threads));
	}
	thread_private();
	tasks();
	loops();
	nested();
	funnelled();
	cores();
	return check_end("openmp");
}
