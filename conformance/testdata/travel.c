/*
 * Everything at once, for ranks that are moved while it goes on: messages of every kind, collectives, communicators and derived types, with
 * sums that are known; and beside them what a rank has in its process: files with positions, a directory, protected memory, pipes, lines
 * of output. Arguments: rounds, a directory to work in; a third one leaves out what the kernel alone has (pipes, events).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONG 5000
#define MANY 600 /* descriptors of rank 0: more than the kernel passes on at once */
#define CHECK(cond) check_that((cond) != 0, #cond, __LINE__)

static int rank, size, round_number;
static __thread int own_round;

static struct {
	int fd, ends[2], event, poll;
	FILE *text, *lines;
	DIR *dir;
	char *guarded;
	char home[4096];
	int many[MANY];
	MPI_Comm random; /* for messages that only wildcards receive */
	MPI_Op op;
	MPI_Errhandler handler;
	int keyval;
	int plain; /* without what the kernel alone has */
} own;

static void check_that(int good, const char *what, int line)
{
	if (good)
		return;
	fprintf(stderr, "FAIL travel.c:%d: rank %d round %d: %s (errno %d)\n", line, rank, round_number, what, errno);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* ---- messages ---- */

static void ring(void)
{
	static int out[LONG], in[LONG];
	MPI_Request r[2];
	int n = round_number % 3 ? 10 : LONG;

	for (int i = 0; i < n; i++)
		out[i] = rank + i + round_number;
	MPI_Irecv(in, n, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(out, n, MPI_INT, (rank + 1) % size, 1, MPI_COMM_WORLD, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < n; i++)
		CHECK(in[i] == (rank + size - 1) % size + i + round_number);
}

/* Everybody sends one number to everybody; who receives does not know from whom the next one comes. */
static void wild(void)
{
	long sum = 0, value;
	MPI_Request r[64];
	int numbers[64];

	for (int to = 0; to < size; to++) {
		numbers[to] = rank * 1000 + to;
		MPI_Issend(&numbers[to], 1, MPI_INT, to, 2, MPI_COMM_WORLD, &r[to]);
	}
	for (int i = 0; i < size; i++) {
		int got;
		MPI_Status s;
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &s);
		CHECK(got == s.MPI_SOURCE * 1000 + rank);
		sum += got;
	}
	MPI_Waitall(size, r, MPI_STATUSES_IGNORE);
	value = (long)size * (size - 1) / 2 * 1000 + (long)size * rank;
	CHECK(sum == value);
	MPI_Barrier(MPI_COMM_WORLD); /* the next round's must not be taken for this one's */
}

static unsigned next_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static unsigned byte_of(int from, int number, int at)
{
	return (unsigned)(from * 37 + number * 11 + at + round_number) & 255;
}

/* Everybody sends messages of random lengths with random tags to random ranks, which take what comes: from anybody, with any tag, probed or
 * not. How many there are for each is known from a sum, and so is what must be in them. */
static void random_traffic(void)
{
	enum { SENT = 6, LONGEST = 40000 };
	static unsigned char out[SENT][LONGEST], in[LONGEST];
	unsigned state = (unsigned)(rank * 7919 + round_number * 104729 + 1);
	int due[64] = {0}, to_get, lengths[SENT], left = SENT;
	long sent_sum = 0, got_sum = 0, all[2], mine[2];
	MPI_Request r[SENT];

	for (int i = 0; i < SENT; i++) {
		int to = (int)(next_random(&state) % (unsigned)size);
		lengths[i] = 2 + (int)(next_random(&state) % (i % 3 ? 200 : LONGEST - 1));
		out[i][0] = (unsigned char)rank;
		out[i][1] = (unsigned char)i;
		for (int k = 2; k < lengths[i]; k++)
			out[i][k] = (unsigned char)byte_of(rank, i, k);
		sent_sum += lengths[i];
		due[to]++;
		if (i % 2)
			MPI_Isend(out[i], lengths[i], MPI_BYTE, to, i, own.random, &r[i]);
		else
			MPI_Issend(out[i], lengths[i], MPI_BYTE, to, i, own.random, &r[i]);
	}
	MPI_Reduce_scatter_block(due, &to_get, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int got; to_get; to_get--) {
		MPI_Status s;
		MPI_Message m;
		if (to_get % 2) {
			MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own.random, &m, &s);
			MPI_Mrecv(in, LONGEST, MPI_BYTE, &m, &s);
		} else {
			MPI_Recv(in, LONGEST, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, own.random, &s);
		}
		MPI_Get_count(&s, MPI_BYTE, &got);
		CHECK(in[0] == s.MPI_SOURCE && in[1] == s.MPI_TAG);
		for (int k = 2; k < got; k++)
			CHECK(in[k] == byte_of(s.MPI_SOURCE, s.MPI_TAG, k));
		got_sum += got;
	}
	while (left) {
		int at;
		MPI_Waitany(SENT, r, &at, MPI_STATUS_IGNORE);
		CHECK(at >= 0 && at < SENT);
		left--;
	}
	mine[0] = sent_sum, mine[1] = got_sum;
	MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	CHECK(all[0] == all[1]);
}

static void persistent(MPI_Request *p, int *out, const int *in)
{
	*out = rank * 7 + round_number;
	MPI_Startall(2, p);
	while (round_number % 2) {
		int flag;
		MPI_Testall(2, p, &flag, MPI_STATUSES_IGNORE);
		if (flag)
			break;
	}
	MPI_Waitall(2, p, MPI_STATUSES_IGNORE);
	CHECK(*in == (rank + 1) % size * 7 + round_number);
}

static void derived(MPI_Datatype columns)
{
	int a[8][8], b[8][8], with = rank ^ 1;

	if (with >= size)
		return;
	for (int i = 0; i < 64; i++)
		a[i / 8][i % 8] = rank * 64 + i, b[i / 8][i % 8] = -1;
	MPI_Sendrecv(a, 1, columns, with, 3, b, 1, columns, with, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 64; i++)
		CHECK(b[i / 8][i % 8] == (i % 8 < 2 ? with * 64 + i : -1));
}

/* ---- collectives ---- */

static void collectives(void)
{
	int all[64], sum = -1, root = round_number % size, word = rank == root ? round_number : -1;
	MPI_Request r[2];

	MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &r[0]);
	MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r[1]);
	MPI_Bcast(&word, 1, MPI_INT, root, MPI_COMM_WORLD);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	CHECK(word == round_number && sum == size * (size - 1) / 2);
	for (int i = 0; i < size; i++)
		CHECK(all[i] == i);
}

/* What the C library has from the thread that runs the rank, which is another one each time. */
static void of_thread(void)
{
	long mine, all[64];
	int cpu = sched_getcpu();

	CHECK(cpu >= 0 && cpu < sysconf(_SC_NPROCESSORS_CONF));
	CHECK(getrandom(&mine, sizeof mine, 0) == sizeof mine);
	MPI_Allgather(&mine, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD);
	for (int i = 0; i < size; i++)
		CHECK(i == rank || all[i] != mine);
}

static void communicators(void)
{
	MPI_Comm half;
	int members, scan, at;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	MPI_Comm_rank(half, &at);
	MPI_Comm_size(half, &members);
	CHECK(members == (size + 1 - rank % 2) / 2 && at == members - 1 - rank / 2);
	MPI_Scan(&(int){1}, &scan, 1, MPI_INT, MPI_SUM, half);
	CHECK(scan == at + 1);
	MPI_Comm_free(&half);
}

/* ---- functions of the program that MPI calls ---- */

static int ops, copies, deletes, errors, queries;

static void largest(void *in, void *inout, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *n; i++)
		if (((int *)in)[i] > ((int *)inout)[i])
			((int *)inout)[i] = ((int *)in)[i];
	ops++;
}

static int copy(MPI_Comm comm, int keyval, void *extra, void *in, void *out, int *flag)
{
	(void)comm, (void)keyval;
	CHECK(extra == &copies);
	*(void **)out = (char *)in + 1;
	*flag = 1;
	copies++;
	return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
	(void)comm, (void)keyval, (void)value;
	CHECK(extra == &copies);
	deletes++;
	return MPI_SUCCESS;
}

/* It waits for others, and may end in another worker than it began in. */
static void erred(MPI_Comm *comm, int *code, ...)
{
	int klass, from = -1;

	MPI_Error_class(*code, &klass);
	CHECK(klass == MPI_ERR_RANK);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 8, &from, 1, MPI_INT, (rank + size - 1) % size, 8, own.random, MPI_STATUS_IGNORE);
	CHECK(from == (rank + size - 1) % size && *comm != MPI_COMM_NULL);
	errors++;
}

static int query(void *extra, MPI_Status *s)
{
	CHECK(extra == &queries);
	MPI_Status_set_elements(s, MPI_INT, round_number % 100);
	MPI_Status_set_cancelled(s, 0);
	s->MPI_SOURCE = s->MPI_TAG = 5;
	queries++;
	return MPI_SUCCESS;
}

static int release(void *extra)
{
	CHECK(extra == &queries);
	return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
	(void)extra, (void)complete;
	return MPI_SUCCESS;
}

static void callbacks_begin(void)
{
	MPI_Comm_dup(MPI_COMM_WORLD, &own.random);
	MPI_Op_create(largest, 1, &own.op);
	MPI_Comm_create_keyval(copy, delete, &own.keyval, &copies);
	MPI_Comm_create_errhandler(erred, &own.handler);
	MPI_Comm_set_attr(own.random, own.keyval, &own);
}

static void callbacks(void)
{
	int max = -1, later = -1, value = rank + round_number, flag, n;
	MPI_Request r, general;
	MPI_Status s;
	MPI_Comm twin;
	void *attribute;

	MPI_Grequest_start(query, release, cancel, &queries, &general);
	MPI_Iallreduce(&value, &later, 1, MPI_INT, own.op, MPI_COMM_WORLD, &r);
	MPI_Allreduce(&value, &max, 1, MPI_INT, own.op, MPI_COMM_WORLD);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CHECK(max == size - 1 + round_number && later == max);
	MPI_Grequest_complete(general);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Wait(&general, &s);
	MPI_Get_count(&s, MPI_INT, &n);
	CHECK(n == round_number % 100 && s.MPI_SOURCE == 5);
	MPI_Comm_dup(own.random, &twin);
	MPI_Comm_get_attr(twin, own.keyval, &attribute, &flag);
	CHECK(flag && attribute == (char *)&own + 1);
	MPI_Comm_set_errhandler(twin, own.handler);
	MPI_Send(&rank, 1, MPI_INT, size + 3, 1, twin);
	MPI_Comm_free(&twin);
}

static void callbacks_end(int rounds)
{
	MPI_Comm_free(&own.random);
	MPI_Op_free(&own.op);
	MPI_Errhandler_free(&own.handler);
	MPI_Comm_free_keyval(&own.keyval);
	CHECK(errors == rounds && copies == rounds && deletes == rounds + 1 && queries == rounds);
	MPI_Allreduce(MPI_IN_PLACE, &ops, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK(size == 1 || ops >= rounds);
}

/* ---- what a rank has in its process ---- */
static void own_begin(const char *dir)
{
	char name[64];

	snprintf(own.home, sizeof own.home, "%s/rank%d", dir, rank);
	CHECK((mkdir(own.home, 0777) == 0 || errno == EEXIST) && chdir(own.home) == 0); /* a job that was saved before does this again */
	CHECK((own.fd = open("numbers", O_RDWR | O_CREAT, 0666)) >= 0);
	CHECK((own.text = fopen("text", "w+")) != NULL);
	CHECK((own.lines = tmpfile()) != NULL);
	own.guarded = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(own.guarded != MAP_FAILED && mprotect(own.guarded + 4096, 4096, PROT_NONE) == 0);
	for (int i = 0; rank == 0 && i < MANY; i++)
		CHECK((own.many[i] = dup(own.fd)) >= 0);
	for (int i = 0; i < 5; i++) {
		snprintf(name, sizeof name, "entry%d", i);
		CHECK(close(creat(name, 0666)) == 0);
	}
	if (own.plain)
		return;
	CHECK(pipe(own.ends) == 0 && (own.event = eventfd(0, EFD_NONBLOCK)) >= 0 && (own.poll = epoll_create1(EPOLL_CLOEXEC)) >= 0);
	CHECK(epoll_ctl(own.poll, EPOLL_CTL_ADD, own.event, &(struct epoll_event){.events = EPOLLIN, .data.fd = own.event}) == 0);
}

static void files(void)
{
	int number = round_number * 100 + rank, back;
	char line[64];

	CHECK(write(own.fd, &number, sizeof number) == sizeof number);
	fprintf(own.text, "rank %d round %d\n", rank, round_number);
	CHECK(lseek(own.fd, 0, SEEK_CUR) == (off_t)(sizeof number * (round_number + 1)));
	CHECK(pread(own.fd, &back, sizeof back, sizeof back * (round_number / 2)) == sizeof back && back == round_number / 2 * 100 + rank);
	if (rank == 0)
		CHECK(lseek(own.many[round_number % MANY], 0, SEEK_CUR) == lseek(own.fd, 0, SEEK_CUR));
	MPI_Barrier(MPI_COMM_WORLD);
	fprintf(own.lines, "%d\n", number);
	CHECK(getcwd(line, 0) == NULL); /* too small, as it must be */
	CHECK(access("numbers", F_OK) == 0);
	CHECK((own.plain || (fcntl(own.poll, F_GETFD) & FD_CLOEXEC)) && !(fcntl(own.fd, F_GETFD) & FD_CLOEXEC));
}

static void waits(void)
{
	struct epoll_event got;
	char byte = 0;
	uint64_t one = 1;

	if (own.plain)
		return;
	CHECK(write(own.ends[1], "abc", 3) == 3);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < 3; i++)
		CHECK(read(own.ends[0], &byte, 1) == 1 && byte == 'a' + i);
	CHECK(epoll_wait(own.poll, &got, 1, 0) == 0);
	CHECK(write(own.event, &one, sizeof one) == sizeof one);
	CHECK(epoll_wait(own.poll, &got, 1, -1) == 1 && got.data.fd == own.event);
	CHECK(read(own.event, &one, sizeof one) == sizeof one && one == 1);
}

static void directory_entries(void)
{
	int n = 0;

	CHECK((own.dir = opendir(".")) != NULL);
	for (struct dirent *e; (e = readdir(own.dir)); MPI_Barrier(MPI_COMM_SELF))
		n += !strncmp(e->d_name, "entry", 5);
	CHECK(n == 5 && closedir(own.dir) == 0);
}

static void output(void)
{
	printf("rank %d line %d\n", rank, round_number);
	fflush(stdout);
	MPI_Barrier(MPI_COMM_SELF);
	if (round_number % 5 == 0)
		fprintf(stderr, "rank %d line %d\n", rank, round_number);
}

static sigjmp_buf out_of_fault;

static void faulted(int signal)
{
	(void)signal;
	siglongjmp(out_of_fault, 1);
}

/* The pages around the guard work, and it still is one. */
static void guard_holds(void)
{
	own.guarded[0] = own.guarded[8192] = 1;
	signal(SIGSEGV, faulted);
	if (!sigsetjmp(out_of_fault, 1)) {
		own.guarded[4096] = 1;
		CHECK(!"the guard does not hold");
	}
	signal(SIGSEGV, SIG_DFL);
}

static void own_end(int rounds)
{
	char line[64], want[64], now[4096];
	int n = 0, number;

	CHECK(getcwd(now, sizeof now) && !strcmp(now, own.home));
	rewind(own.text);
	for (; fgets(line, sizeof line, own.text); n++) {
		snprintf(want, sizeof want, "rank %d round %d\n", rank, n);
		CHECK(!strcmp(line, want));
	}
	CHECK(n == rounds);
	rewind(own.lines);
	for (n = 0; fscanf(own.lines, "%d", &number) == 1; n++)
		CHECK(number == n * 100 + rank);
	CHECK(n == rounds);
	CHECK(fclose(own.text) == 0 && fclose(own.lines) == 0 && close(own.fd) == 0);
	CHECK(own.plain || (close(own.event) == 0 && close(own.poll) == 0));
	guard_holds();
}

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[1]) : 1, out, in;
	MPI_Request p[2];
	MPI_Datatype columns;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Type_vector(8, 2, 8, MPI_INT, &columns);
	MPI_Type_commit(&columns);
	MPI_Send_init(&out, 1, MPI_INT, (rank + size - 1) % size, 4, MPI_COMM_WORLD, &p[0]);
	MPI_Recv_init(&in, 1, MPI_INT, (rank + 1) % size, 4, MPI_COMM_WORLD, &p[1]);
	own.plain = argc > 3;
	own_begin(argv[2]);
	callbacks_begin();
	for (round_number = 0; round_number < rounds; round_number++, own_round++) {
		ring();
		wild();
		random_traffic();
		persistent(p, &out, &in);
		derived(columns);
		collectives();
		of_thread();
		communicators();
		callbacks();
		files();
		waits();
		directory_entries();
		output();
		CHECK(own_round == round_number);
	}
	own_end(rounds);
	callbacks_end(rounds);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("PASS travel\n");
	MPI_Request_free(&p[0]);
	MPI_Request_free(&p[1]);
	MPI_Type_free(&columns);
	MPI_Finalize();
	return 0;
}
