/* Rank 0 touches memory of the last rank, whose address it is told. The first argument says how, the second what memory: stack, global or heap. */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int global = 1;
static int rank, size;
static int *volatile theirs;

/* What the last rank has at the place of this kind. */
static int *place(const char *kind, int *local)
{
	int *mine = !strcmp(kind, "stack") ? local : !strcmp(kind, "global") ? &global : malloc(1 << 20);
	*mine = rank;
	MPI_Bcast(&mine, sizeof mine, MPI_BYTE, size - 1, MPI_COMM_WORLD);
	return mine;
}

static void store(void)
{
	*theirs = 4711;
}

static void *store_in_thread(void *unused)
{
	store();
	return unused;
}

static void *sleep_in_thread(void *unused)
{
	pause();
	return unused;
}

static void handle(int signal)
{
	store();
}

static sigjmp_buf back;
static int caught;

static void catch_fault(int signal)
{
	siglongjmp(back, 1);
}

/* Whoever handles the fault goes on, and is kept from the others' memory as before. */
static void probe(void)
{
	signal(SIGSEGV, catch_fault);
	for (int i = 0; i < 3; i++)
		if (!sigsetjmp(back, 1))
			store();
		else
			caught++;
	printf("rank %d caught %d\n", rank, caught);
}

static void combine(void *in, void *inout, int *n, MPI_Datatype *type)
{
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

int main(int argc, char **argv)
{
	int local = 0, level;
	const char *how = argv[1], *kind = argv[2];
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	theirs = place(kind, &local);
	MPI_Op op;
	MPI_Op_create(combine, 1, &op);
	MPI_Allreduce(&rank, &local, 1, MPI_INT, op, MPI_COMM_WORLD);
	if (rank == 0 && local != size * (size - 1) / 2)
		MPI_Abort(MPI_COMM_WORLD, 9);
	if (rank == 0) {
		if (!strcmp(how, "store"))
			store();
		if (!strcmp(how, "load"))
			printf("loaded %d\n", *theirs);
		if (!strcmp(how, "asleep")) {
			usleep(1000);
			store();
		}
		if (!strcmp(how, "system"))
			printf("read: %zd\n", read(open("/dev/zero", O_RDONLY), theirs, 4));
		if (!strcmp(how, "handler")) {
			signal(SIGUSR1, handle);
			raise(SIGUSR1);
		}
		if (!strcmp(how, "thread")) {
			pthread_t t;
			pthread_create(&t, NULL, store_in_thread, NULL);
			pthread_join(t, NULL);
		}
		if (!strcmp(how, "probe"))
			probe();
		if (!strcmp(how, "later")) {
			while (access(getenv("HOLD_UNTIL"), F_OK))
				usleep(1000);
			store();
		}
	}
	if (!strcmp(how, "threads")) {
		pthread_t t;
		pthread_create(&t, NULL, sleep_in_thread, NULL);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == size - 1)
		printf("untouched: %d\n", *theirs == size - 1 || theirs == &local);
	MPI_Finalize();
	return 0;
}
