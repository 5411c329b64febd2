/* Do many threads of each rank send and receive at once: on communicators of their own, on one with tags, to themselves, with many requests, by probes? */
#include "check.h"
#include <pthread.h>

#define THREADS 6
#define ROUNDS 60
#define LARGE 40000 /* ints: by rendezvous */

static MPI_Comm own[THREADS];
static int right, left;

/* A ring per thread; buffers on the thread's stack. */
static void ring(MPI_Comm comm, int tag, int n)
{
	int out[LARGE], in[LARGE];
	MPI_Status status;

	check_fill(out, n, tag + rank);
	check_wipe(in, n);
	MPI_Sendrecv(out, n, MPI_INT, right, tag, in, n, MPI_INT, left, tag, comm, &status);
	CHECK(check_filled(in, n, tag + left));
	CHECK(status.MPI_SOURCE == left && status.MPI_TAG == tag);
}

/* Blocking calls that need the partner's thread to be in its own. */
static void ring_blocking(MPI_Comm comm, int tag, int n)
{
	static _Thread_local int data[64];

	if (rank % 2 == 0 && !(size % 2 && rank == size - 1)) {
		int partner = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
		check_fill(data, n, tag);
		MPI_Ssend(data, n, MPI_INT, partner, tag, comm);
		MPI_Recv(data, n, MPI_INT, partner, tag, comm, MPI_STATUS_IGNORE);
		if (partner != MPI_PROC_NULL)
			CHECK(check_filled(data, n, tag + 1));
	} else if (rank % 2) {
		MPI_Recv(data, n, MPI_INT, rank - 1, tag, comm, MPI_STATUS_IGNORE);
		CHECK(check_filled(data, n, tag));
		check_fill(data, n, tag + 1);
		MPI_Ssend(data, n, MPI_INT, rank - 1, tag, comm);
	}
}

static void requests(MPI_Comm comm, int tag)
{
	enum { N = 8 };
	int out[N][16], in[N][16], done = 0, index, flag;
	MPI_Request r[2 * N];

	for (int i = 0; i < N; i++) {
		check_fill(out[i], 16, tag + i);
		MPI_Irecv(in[i], 16, MPI_INT, left, tag + i, comm, &r[i]);
	}
	for (int i = 0; i < N; i++)
		MPI_Isend(out[i], 16, MPI_INT, right, tag + i, comm, &r[N + i]);
	if (tag % 3 == 0) {
		MPI_Waitall(2 * N, r, MPI_STATUSES_IGNORE);
	} else if (tag % 3 == 1) {
		while (done < 2 * N) {
			MPI_Testany(2 * N, r, &index, &flag, MPI_STATUS_IGNORE);
			done += flag;
		}
	} else {
		for (; done < 2 * N; done++)
			MPI_Waitany(2 * N, r, &index, MPI_STATUS_IGNORE);
	}
	for (int i = 0; i < N; i++)
		CHECK(r[i] == MPI_REQUEST_NULL && check_filled(in[i], 16, tag + i));
}

static void *talk(void *arg)
{
	int me = (int)(long)arg;

	for (int round = 0; round < ROUNDS; round++) {
		ring(own[me], round, 1 + round % 50);
		ring(WORLD, 1000 * (me + 1) + round, 1 + round % 50);
		ring_blocking(own[me], round, 1 + round);
		requests(WORLD, 100000 + 100 * me + round % 50);
	}
	for (int round = 0; round < 4; round++) {
		ring(own[me], round, LARGE);
		ring(WORLD, 1000 * (me + 1) + round, LARGE);
	}
	return arg;
}

static void *send_to_self(void *arg)
{
	int me = (int)(long)arg, data[LARGE];

	for (int round = 0; round < ROUNDS; round++) {
		int n = round % 10 ? 1 + round : LARGE;
		check_fill(data, n, me + round);
		if (me % 2)
			MPI_Ssend(data, n, MPI_INT, 0, me / 2, MPI_COMM_SELF);
		else
			MPI_Recv(data, LARGE, MPI_INT, 0, me / 2, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		CHECK(check_filled(data, n, (me | 1) + round));
	}
	return arg;
}

/* Several threads probe for anything: each message goes to exactly one. Tag 1 says that it is the last for one of them. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long taken;

static void *take_all(void *arg)
{
	MPI_Message message;
	MPI_Status status;
	int value, n;

	do {
		MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own[0], &message, &status);
		MPI_Get_count(&status, MPI_INT, &n);
		CHECK_INT(n, 1);
		MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
		pthread_mutex_lock(&lock);
		taken += value;
		pthread_mutex_unlock(&lock);
	} while (status.MPI_TAG != 1);
	return arg;
}

static void run(void *(*fn)(void *))
{
	pthread_t threads[THREADS];
	void *back;

	for (long i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, fn, (void *)i));
	for (long i = 0; i < THREADS; i++) {
		CHECK(!pthread_join(threads[i], &back));
		CHECK(back == (void *)i);
	}
}

static void probes(void)
{
	pthread_t threads[THREADS];

	for (long i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, take_all, (void *)i));
	for (int i = 1; i <= 200; i++)
		MPI_Send(&i, 1, MPI_INT, right, 0, own[0]);
	for (int i = 0; i < THREADS; i++)
		MPI_Send(&(int){1000}, 1, MPI_INT, right, 1, own[0]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(taken, 200 * 201 / 2 + 1000 * THREADS);
}

int main(int argc, char **argv)
{
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	CHECK_INT(provided, MPI_THREAD_MULTIPLE);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(WORLD, &own[i]);
	run(talk);
	run(send_to_self);
	probes();
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_free(&own[i]);
	return check_end("threads_p2p");
}
