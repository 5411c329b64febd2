/* Do threads of each rank run collectives at once, each on a communicator of its own: reductions by the program's function, communicators made and freed, with the first thread among them? */
#include "check.h"
#include <pthread.h>

#define THREADS 5
#define ROUNDS 25
#define N 300

static MPI_Comm own[THREADS + 1];
static MPI_Op op;
static int keyval, copies;

static void add_up(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

static int copy_fn(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)comm, (void)key, (void)extra;
	copies++; /* calls of one rank are carried out one at a time by no promise of MPI: looked at for > 0 only */
	*(void **)out = in;
	*flag = 1;
	return MPI_SUCCESS;
}

static void reduce(MPI_Comm comm, int salt)
{
	int in[N], sum[N], max;

	for (int i = 0; i < N; i++)
		in[i] = rank * i + salt;
	MPI_Allreduce(in, sum, N, MPI_INT, op, comm);
	for (int i = 0; i < N; i++)
		CHECK_INT(sum[i], i * size * (size - 1) / 2 + salt * size);
	MPI_Reduce(&rank, &max, 1, MPI_INT, MPI_MAX, salt % size, comm);
	if (rank == salt % size)
		CHECK_INT(max, size - 1);
}

static void spread(MPI_Comm comm, int salt)
{
	int data[N], *all = malloc(2 * N * size * sizeof(int)), *out = all + N * size;
	MPI_Request r[2];

	check_fill(data, N, rank == salt % size ? salt : -1);
	MPI_Bcast(data, N, MPI_INT, salt % size, comm);
	CHECK(check_filled(data, N, salt));
	check_fill(data, N, rank + salt);
	MPI_Allgather(data, N, MPI_INT, all, N, MPI_INT, comm);
	for (int i = 0; i < size; i++)
		CHECK(check_filled(all + i * N, N, i + salt));
	for (int i = 0; i < size; i++)
		check_fill(out + i * N, N, salt + size * i + rank);
	MPI_Ialltoall(out, N, MPI_INT, all, N, MPI_INT, comm, &r[0]);
	MPI_Ibarrier(comm, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < size; i++)
		CHECK(check_filled(all + i * N, N, salt + size * rank + i));
	free(all);
}

static void make(MPI_Comm comm, int salt)
{
	MPI_Comm dup, half;
	int n, flag, *value;

	MPI_Comm_dup(comm, &dup);
	MPI_Comm_get_attr(dup, keyval, &value, &flag);
	CHECK(flag && *value == 4711);
	MPI_Comm_split(dup, rank % 2, rank, &half);
	MPI_Comm_size(half, &n);
	CHECK_INT(n, (size + 1 - rank % 2) / 2);
	MPI_Barrier(half);
	MPI_Comm_free(&dup);
	MPI_Allreduce(MPI_IN_PLACE, &salt, 1, MPI_INT, MPI_BXOR, half);
	MPI_Comm_free(&half);
}

static void *work(void *arg)
{
	int me = (int)(long)arg;

	for (int round = 0; round < ROUNDS; round++) {
		reduce(own[me], round);
		spread(own[me], round);
		make(own[me], round);
		MPI_Barrier(own[me]);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	static int value = 4711;
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	CHECK_INT(provided, MPI_THREAD_MULTIPLE);
	MPI_Op_create(add_up, 1, &op);
	MPI_Comm_create_keyval(copy_fn, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
	for (int i = 0; i <= THREADS; i++) {
		MPI_Comm_dup(WORLD, &own[i]);
		MPI_Comm_set_attr(own[i], keyval, &value);
	}
	for (long i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, work, (void *)i));
	work((void *)(long)THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK(copies > 0);
	for (int i = 0; i <= THREADS; i++)
		MPI_Comm_free(&own[i]);
	MPI_Comm_free_keyval(&keyval);
	MPI_Op_free(&op);
	return check_end("threads_coll");
}
