/* Ranks that wait in the kernel for each other: through FIFOs, sockets, semaphores, queues and locks of files. Under virtual ranks
 * those that wait, and those that they wait for, may have one worker. */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { BIG = 300000, ROUNDS = 5 };

static char base[64]; /* of names that belong to this job */

static const char *name(const char *what, int n)
{
	static char text[128];
	snprintf(text, sizeof text, "/tmp/%s.%s.%d", base, what, n);
	return text;
}

static void choose_base(void)
{
	if (rank == 0)
		snprintf(base, sizeof base, "waiting.%d.%ld", (int)getpid(), (long)(MPI_Wtime() * 1e6) % 1000000);
	MPI_Bcast(base, sizeof base, MPI_CHAR, 0, MPI_COMM_WORLD);
}

/* Each rank writes to its right neighbour and reads from its left one; even ones write first. */
static void write_right(const char *data)
{
	int fd = open(name("fifo", rank), O_WRONLY);
	CHECK(fd >= 0 && write(fd, data, BIG) == BIG);
	close(fd);
}

static void read_left(int from)
{
	FILE *in = fopen(name("fifo", from), "r");
	char *got = malloc(BIG);
	CHECK(in && fread(got, 1, BIG, in) == BIG && got[0] == from % 100 && got[BIG - 1] == from % 100);
	CHECK(in && fgetc(in) == EOF);
	if (in)
		fclose(in);
	free(got);
}

static void fifos(void)
{
	char *data = memset(malloc(BIG), rank % 100, BIG);
	int from = (rank + size - 1) % size;

	if (size % 2)
		return; /* a ring of two kinds */
	CHECK(mkfifo(name("fifo", rank), 0600) == 0);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank % 2 == 0) {
		write_right(data);
		read_left(from);
	} else {
		read_left(from);
		write_right(data);
	}
	unlink(name("fifo", rank));
	free(data);
}

static int listen_at(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(to.sun_path, path, sizeof to.sun_path - 1);
	CHECK(bind(fd, (struct sockaddr *)&to, sizeof to) == 0 && listen(fd, 1000) == 0);
	return fd;
}

static int connect_to(const char *path)
{
	struct sockaddr_un to = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strncpy(to.sun_path, path, sizeof to.sun_path - 1);
	CHECK(connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
	return fd;
}

/* Until fd can be read, in four ways. */
static void await(int fd, int how)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct epoll_event e = {.events = EPOLLIN};
	struct timeval t = {60, 0};
	fd_set set;

	if (how == 0) {
		CHECK(poll(&p, 1, -1) == 1 && p.revents & POLLIN);
	} else if (how == 1) {
		FD_ZERO(&set);
		FD_SET(fd, &set);
		CHECK(select(fd + 1, &set, NULL, NULL, &t) == 1 && FD_ISSET(fd, &set));
	} else if (how == 2) {
		int ep = epoll_create1(EPOLL_CLOEXEC);
		CHECK(epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e) == 0 && epoll_wait(ep, &e, 1, 60000) == 1);
		close(ep);
	}
}

static void serve(int listener)
{
	char *data = malloc(BIG);
	for (int i = 1; i < size; i++) {
		int from = -1, fd;
		await(listener, i % 4);
		fd = accept(listener, NULL, NULL);
		CHECK(fd >= 0);
		await(fd, i % 4);
		CHECK(recv(fd, &from, sizeof from, 0) == sizeof from && from > 0 && from < size);
		memset(data, from % 100, BIG);
		CHECK(send(fd, data, BIG, 0) == BIG);
		close(fd);
	}
	free(data);
}

static void sockets(void)
{
	int listener = rank == 0 ? listen_at(name("socket", 0)) : -1, fd;
	size_t have = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		serve(listener);
		close(listener);
		unlink(name("socket", 0));
		return;
	}
	char *got = malloc(BIG);
	fd = connect_to(name("socket", 0));
	usleep(rank % 7 * 1000);
	CHECK(send(fd, &rank, sizeof rank, 0) == sizeof rank);
	while (have < BIG) {
		ssize_t n = have % 2 ? read(fd, got + have, BIG - have) : recv(fd, got + have, BIG - have, 0);
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	CHECK(have == BIG && got[0] == rank % 100 && got[BIG - 1] == rank % 100);
	close(fd);
	free(got);
}

static void timeouts(void)
{
	struct timeval tv = {0, 20000};
	struct timespec ts;
	double start = MPI_Wtime();
	int ends[2];
	sem_t s;

	CHECK(pipe(ends) == 0 && sem_init(&s, 0, 0) == 0);
	CHECK(poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 20) == 0);
	CHECK(select(0, NULL, NULL, NULL, &tv) == 0);
	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_nsec += 20000000;
	if (ts.tv_nsec > 999999999)
		ts.tv_sec++, ts.tv_nsec -= 1000000000;
	CHECK(sem_timedwait(&s, &ts) == -1 && errno == ETIMEDOUT);
	CHECK(MPI_Wtime() - start > 0.058);
	CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
	CHECK(read(ends[0], &tv, 1) == -1 && errno == EAGAIN);
	close(ends[0]), close(ends[1]);
}

/* One after the other, round and round. */
static void semaphores(void)
{
	char mine[100], next[100];
	sem_t *me, *other;

	snprintf(mine, sizeof mine, "/%s.%d", base, rank);
	snprintf(next, sizeof next, "/%s.%d", base, (rank + 1) % size);
	me = sem_open(mine, O_CREAT, 0600, 0);
	CHECK(me != SEM_FAILED);
	MPI_Barrier(MPI_COMM_WORLD);
	other = sem_open(next, 0);
	CHECK(other != SEM_FAILED);
	for (int i = 0; i < ROUNDS; i++) {
		if (rank || i)
			CHECK(sem_wait(me) == 0);
		CHECK(sem_post(other) == 0);
	}
	if (rank == 0)
		CHECK(sem_wait(me) == 0);
	MPI_Barrier(MPI_COMM_WORLD);
	sem_close(me), sem_close(other);
	sem_unlink(mine);
}

static void lock_whole(int fd, int on) { CHECK(flock(fd, on ? LOCK_EX : LOCK_UN) == 0); }

static void lock_record(int fd, int on)
{
	struct flock l = {.l_type = on ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET, .l_len = 8};
	CHECK(fcntl(fd, F_SETLKW, &l) == 0);
}

static void lock_by_lockf(int fd, int on)
{
	CHECK(lseek(fd, 0, SEEK_SET) == 0 && lockf(fd, on ? F_LOCK : F_ULOCK, 8) == 0);
}

/* A counter in a file, read and written again some time later. */
static void locks(void)
{
	static void (*const kinds[])(int, int) = {lock_whole, lock_record, lock_by_lockf};
	int count, fd = open(name("locked", 0), O_RDWR | O_CREAT, 0600);

	for (int k = 0; k < 3; k++) {
		count = 0;
		if (rank == 0)
			CHECK(pwrite(fd, &count, sizeof count, 0) == sizeof count);
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = 0; i < ROUNDS; i++) {
			kinds[k](fd, 1);
			CHECK(pread(fd, &count, sizeof count, 0) == sizeof count);
			usleep(100);
			count++;
			CHECK(pwrite(fd, &count, sizeof count, 0) == sizeof count);
			kinds[k](fd, 0);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		CHECK(pread(fd, &count, sizeof count, 0) == sizeof count && count == ROUNDS * size);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	close(fd);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		unlink(name("locked", 0));
}

/* Memory with a name, and a mutex in it. */
static void shared_memory(void)
{
	struct shared {
		pthread_mutex_t mutex;
		int count, of[1000];
	} *s;
	char path[100];
	pthread_mutexattr_t attr;

	snprintf(path, sizeof path, "/%s.memory", base);
	int fd = shm_open(path, O_RDWR | O_CREAT, 0600);
	CHECK(fd >= 0 && ftruncate(fd, sizeof *s) == 0);
	s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(s != MAP_FAILED);
	close(fd);
	if (rank == 0) {
		pthread_mutexattr_init(&attr);
		pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
		CHECK(pthread_mutex_init(&s->mutex, &attr) == 0);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(pthread_mutex_lock(&s->mutex) == 0);
		int was = s->count;
		usleep(100);
		s->count = was + 1;
		CHECK(pthread_mutex_unlock(&s->mutex) == 0);
	}
	s->of[rank % 1000] = rank + 1;
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(s->count == ROUNDS * size && s->of[(rank + 1) % size] == (rank + 1) % size + 1);
	MPI_Barrier(MPI_COMM_WORLD);
	munmap(s, sizeof *s);
	if (rank == 0)
		shm_unlink(path);
}

static void system_v(void)
{
	struct { long type; int value; } m = {rank + 1, rank};
	struct sembuf take = {0, -1, 0}, give = {0, 1, 0};
	int ids[3] = {-1, -1, -1};

	if (rank == 0) {
		ids[0] = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
		ids[1] = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
		ids[2] = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
		CHECK(semop(ids[1], &give, 1) == 0);
	}
	MPI_Bcast(ids, 3, MPI_INT, 0, MPI_COMM_WORLD);
	int *p = shmat(ids[0], NULL, 0);
	CHECK(p != (void *)-1);
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(semop(ids[1], &take, 1) == 0);
		int was = *p;
		usleep(100);
		*p = was + 1;
		CHECK(semop(ids[1], &give, 1) == 0);
	}
	/* round the ring, from rank 0 */
	if (rank == 0) {
		m.type = 1 % size + 1;
		CHECK(msgsnd(ids[2], &m, sizeof m.value, 0) == 0);
	}
	CHECK(msgrcv(ids[2], &m, sizeof m.value, rank + 1, 0) == sizeof m.value && m.value == (rank + size - 1) % size);
	if (rank) {
		m.type = (rank + 1) % size + 1, m.value = rank;
		CHECK(msgsnd(ids[2], &m, sizeof m.value, 0) == 0);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(*p == ROUNDS * size);
	shmdt(p);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		shmctl(ids[0], IPC_RMID, NULL);
		semctl(ids[1], 0, IPC_RMID);
		msgctl(ids[2], IPC_RMID, NULL);
	}
}

/* Files in memory: what is shared reaches the file, what is private does not, and both grow. */
static void mapped_files(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open(name("mapped", 0), O_RDWR | O_CREAT, 0600), value = 0;

	CHECK(fd >= 0 && (rank || ftruncate(fd, (off_t)(2 * page * (size_t)size)) == 0));
	MPI_Barrier(MPI_COMM_WORLD);
	int *shared = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)(page * (size_t)rank));
	int *private = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, (off_t)(page * (size_t)rank));
	CHECK(shared != MAP_FAILED && private != MAP_FAILED);
	private[1] = -1;
	shared[0] = 100 + rank;
	CHECK(msync(shared, page, MS_SYNC) == 0);
	MPI_Barrier(MPI_COMM_WORLD);
	int right = (rank + 1) % size;
	CHECK(pread(fd, &value, sizeof value, (off_t)(page * (size_t)right)) == sizeof value && value == 100 + right);
	CHECK(pread(fd, &value, sizeof value, (off_t)(page * (size_t)right + sizeof value)) == sizeof value && value == 0);
	shared = mremap(shared, page, 2 * page, MREMAP_MAYMOVE);
	CHECK(shared != MAP_FAILED && shared[0] == 100 + rank && shared[page / sizeof *shared] == (rank + 1 < size ? 101 + rank : 0));
	CHECK(munmap(shared, 2 * page) == 0 && munmap(private, page) == 0);
	close(fd);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		unlink(name("mapped", 0));
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	choose_base();
	fifos();
	sockets();
	timeouts();
	semaphores();
	locks();
	shared_memory();
	system_v();
	mapped_files();
	return check_end("waiting");
}
