/*
 * Descriptors of every kind, for jobs that are killed and go on: in each round all are used a little and looked at. Arguments: rounds, a
 * directory to work in.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define CHECK(cond) check_that((cond) != 0, #cond, __LINE__)

static int rank, size, round_number, rounds;

static void check_that(int good, const char *what, int line)
{
	if (good)
		return;
	fprintf(stderr, "FAIL kept.c:%d: rank %d round %d: %s (errno %d)\n", line, rank, round_number, what, errno);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static int flags_of(int fd)
{
	return fcntl(fd, F_GETFL);
}

/* ---- streams of numbers: so many are always under way ---- */

#define LAG 9

struct stream {
	int in, out, sent, got;
};

static void pump(struct stream *s)
{
	int number;
	while (s->sent < round_number + LAG) {
		CHECK(write(s->in, &s->sent, sizeof s->sent) == sizeof s->sent);
		s->sent++;
	}
	for (; s->got <= round_number; s->got++)
		CHECK(read(s->out, &number, sizeof number) == sizeof number && number == s->got);
}

static struct stream piped, named, nameless, there, back;
static int copy_of_end;

static void pipes_begin(void)
{
	int ends[2];
	char name[64];

	CHECK(pipe2(ends, O_CLOEXEC) == 0 && fcntl(ends[1], F_SETPIPE_SZ, 1 << 18) == 1 << 18);
	piped = (struct stream){.in = ends[1], .out = ends[0]};
	CHECK(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0);
	CHECK((copy_of_end = dup(ends[1])) >= 0);
	for (int i = 0; i < 2; i++) {
		struct stream *s = i ? &nameless : &named;
		snprintf(name, sizeof name, "fifo%d.%d", rank, i);
		CHECK(unlink(name) == 0 || errno == ENOENT);
		CHECK(mkfifo(name, 0600) == 0);
		CHECK((s->out = open(name, O_RDONLY | O_NONBLOCK)) >= 0 && (s->in = open(name, O_WRONLY)) >= 0);
		CHECK(!i || unlink(name) == 0);
	}
}

static void pipes(void)
{
	pump(&piped);
	if (round_number % 2) { /* the copy is an end as good as the other */
		int end = piped.in;
		piped.in = copy_of_end;
		copy_of_end = end;
	}
	CHECK(fcntl(piped.in, F_GETPIPE_SZ) == 1 << 18);
	CHECK(flags_of(piped.out) & O_NONBLOCK && !(flags_of(piped.in) & O_NONBLOCK) && fcntl(piped.out, F_GETFD) == FD_CLOEXEC);
	pump(&named);
	pump(&nameless);
}

/* ---- what comes out as it went in ---- */

static int packets[2], packets_sent, packets_got;

static void packets_begin(void)
{
	CHECK(pipe2(packets, O_DIRECT) == 0);
}

static void packet(void)
{
	char data[600];
	for (; packets_sent < round_number + LAG; packets_sent++) {
		memset(data, packets_sent, sizeof data);
		CHECK(write(packets[1], data, 1 + packets_sent % 500) == 1 + packets_sent % 500);
	}
	for (; packets_got <= round_number; packets_got++)
		CHECK(read(packets[0], data, sizeof data) == 1 + packets_got % 500 && data[0] == (char)packets_got);
}

/* ---- ends whose other end is closed ---- */

static int last_words, said, broken;

static void lonely_begin(void)
{
	int ends[2];
	char text[256];

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)i;
	CHECK(pipe(ends) == 0 && write(ends[1], text, sizeof text) == sizeof text && close(ends[1]) == 0);
	last_words = ends[0];
	CHECK(pipe(ends) == 0 && close(ends[0]) == 0);
	broken = ends[1];
}

static void lonely(void)
{
	char byte;
	ssize_t n = read(last_words, &byte, 1);
	CHECK(said < 256 ? n == 1 && byte == (char)said : n == 0);
	said++;
	CHECK(write(broken, "", 1) == -1 && errno == EPIPE);
}

/* ---- sockets ---- */

static int single, single_said, shut, shut_other;

static void sockets_begin(void)
{
	int ends[2];

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	there = (struct stream){.in = ends[0], .out = ends[1]};
	back = (struct stream){.in = ends[1], .out = ends[0]};
	CHECK(setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &(struct timeval){7, 0}, sizeof(struct timeval)) == 0);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0 && write(ends[1], "the end", 7) == 7 && close(ends[1]) == 0);
	single = ends[0];
	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0 && shutdown(ends[0], SHUT_WR) == 0);
	shut = ends[0], shut_other = ends[1];
}

static void sockets(void)
{
	char text[8] = "";
	struct timeval t;
	socklen_t n = sizeof t;

	pump(&there);
	pump(&back);
	CHECK(getsockopt(there.in, SOL_SOCKET, SO_RCVTIMEO, &t, &n) == 0 && t.tv_sec == 7);
	CHECK(flags_of(single) & O_NONBLOCK);
	CHECK(read(single, text, 1) == (single_said < 7) && (single_said >= 7 || text[0] == "the end"[single_said]));
	single_said++;
	CHECK(read(shut_other, text, 1) == 0 && write(shut_other, "x", 1) == 1 && read(shut, text, 1) == 1);
	CHECK(send(shut, "x", 1, MSG_NOSIGNAL) == -1 && errno == EPIPE);
}

/* ---- objects of the kernel ---- */

static int count, semaphore, hour, often, dated, poll_all, poll_nested, mask;

static uint64_t take(int fd)
{
	uint64_t n = 0;
	CHECK(read(fd, &n, sizeof n) == sizeof n);
	return n;
}

static void add(int fd, uint64_t n)
{
	CHECK(write(fd, &n, sizeof n) == sizeof n);
}

static void watch(int epoll, int fd, uint32_t events)
{
	struct epoll_event e = {.events = events, .data.u64 = 0x123456789ull + (uint64_t)fd};
	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &e) == 0);
}

static void objects_begin(void)
{
	struct itimerspec in_an_hour = {.it_value.tv_sec = 3600}, fast = {{0, 1000000}, {0, 1000000}}, tomorrow = {0};
	sigset_t set;

	CHECK((count = eventfd(3, EFD_NONBLOCK)) >= 0 && (semaphore = eventfd(5, EFD_SEMAPHORE | EFD_CLOEXEC)) >= 0);
	CHECK((hour = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0 && timerfd_settime(hour, 0, &in_an_hour, NULL) == 0);
	CHECK((often = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK)) >= 0 && timerfd_settime(often, 0, &fast, NULL) == 0);
	CHECK((dated = timerfd_create(CLOCK_REALTIME, 0)) >= 0);
	clock_gettime(CLOCK_REALTIME, &tomorrow.it_value);
	tomorrow.it_value.tv_sec += 86400;
	CHECK(timerfd_settime(dated, TFD_TIMER_ABSTIME, &tomorrow, NULL) == 0);
	CHECK((poll_all = epoll_create1(EPOLL_CLOEXEC)) >= 0 && (poll_nested = epoll_create1(0)) >= 0);
	watch(poll_all, count, EPOLLIN);
	watch(poll_all, shut_other, EPOLLOUT | EPOLLET);
	watch(poll_all, hour, EPOLLIN);
	watch(poll_nested, poll_all, EPOLLIN);
	sigemptyset(&set);
	sigaddset(&set, SIGWINCH);
	CHECK((mask = signalfd(-1, &set, SFD_NONBLOCK)) >= 0);
}

static void timers(void)
{
	struct itimerspec left;
	uint64_t times;

	CHECK(timerfd_gettime(hour, &left) == 0 && left.it_value.tv_sec > 3000 && left.it_value.tv_sec <= 3600);
	CHECK(timerfd_gettime(dated, &left) == 0 && left.it_value.tv_sec > 80000 && left.it_value.tv_sec <= 86400);
	CHECK(timerfd_gettime(often, &left) == 0 && left.it_interval.tv_nsec == 1000000);
	while (read(often, &times, sizeof times) < 0)
		CHECK(errno == EAGAIN && usleep(500) == 0);
	CHECK(times > 0 && times < 1000000);
}

static void objects(void)
{
	struct epoll_event got[4];
	int n, has_count = 0;

	timers();
	add(count, 2); /* 3 were there, and in each round that many are left */
	n = epoll_wait(poll_all, got, 4, 0);
	for (int i = 0; i < n; i++)
		has_count |= got[i].events == EPOLLIN && got[i].data.u64 == 0x123456789ull + (uint64_t)count;
	CHECK(has_count && epoll_wait(poll_nested, got, 4, 0) == 1 && got[0].data.u64 == 0x123456789ull + (uint64_t)poll_all);
	CHECK(take(count) == 5);
	add(count, 3);
	add(semaphore, 1);
	CHECK(take(semaphore) == 1 && take(semaphore) == 1);
	add(semaphore, 1);
	CHECK(fcntl(semaphore, F_GETFD) == FD_CLOEXEC && flags_of(count) & O_NONBLOCK);
	CHECK(read(mask, &(struct signalfd_siginfo){0}, sizeof(struct signalfd_siginfo)) == -1 && errno == EAGAIN);
}

/* ---- files without names ---- */

static struct nameless {
	int fd, other; /* open twice */
	int *map;
} memory, removed, unnamed;

static void nameless_open(struct nameless *n, int fd)
{
	char link[64];

	CHECK(fd >= 0 && ftruncate(fd, 65536) == 0);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n->fd = fd;
	CHECK((n->other = open(link, O_RDONLY)) >= 0);
	CHECK((n->map = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) != MAP_FAILED);
}

static void nameless_begin(void)
{
	char name[64];

	snprintf(name, sizeof name, "removed%d", rank);
	nameless_open(&memory, memfd_create("numbers", MFD_ALLOW_SEALING | MFD_CLOEXEC));
	CHECK(fcntl(memory.fd, F_ADD_SEALS, F_SEAL_GROW) == 0);
	nameless_open(&removed, open(name, O_RDWR | O_CREAT, 0600));
	CHECK(unlink(name) == 0);
	nameless_open(&unnamed, open(".", O_RDWR | O_TMPFILE, 0600));
}

static void nameless_use(struct nameless *n)
{
	int number = round_number * 3 + rank, seen = -1;

	CHECK(write(n->fd, &number, sizeof number) == sizeof number);
	CHECK(n->map[round_number] == number);
	CHECK(read(n->other, &seen, sizeof seen) == sizeof seen && seen == number);
	n->map[8192 + round_number] = number;
	CHECK(pread(n->other, &seen, sizeof seen, (8192 + round_number) * (off_t)sizeof seen) == sizeof seen && seen == number);
	CHECK(n->map[round_number / 2] == round_number / 2 * 3 + rank && n->map[8192 + round_number / 3] == round_number / 3 * 3 + rank);
	CHECK(write(n->other, "", 1) == -1 && errno == EBADF);
}

/* ---- files ---- */

#define ENTRIES 50

static int locked, recorded, other_lock, far_away, direct, direct_good, shared, shared_copy, entries;
static char *block, seen[ENTRIES];
static DIR *directory;
static FILE *half;

static void files_begin(void)
{
	char name[64];

	snprintf(name, sizeof name, "rank%d", rank);
	CHECK((mkdir(name, 0700) == 0 || errno == EEXIST) && chdir(name) == 0);
	CHECK((locked = open("locked", O_RDWR | O_CREAT, 0600)) >= 0 && flock(locked, LOCK_EX) == 0);
	CHECK((recorded = open("recorded", O_RDWR | O_CREAT, 0600)) >= 0);
	CHECK(fcntl(recorded, F_SETLK, &(struct flock){.l_type = F_WRLCK, .l_start = 100, .l_len = 50}) == 0);
	CHECK((other_lock = open("recorded", O_RDWR)) >= 0);
	CHECK((far_away = open("far", O_RDWR | O_CREAT, 0600)) >= 0 && lseek(far_away, 5ll << 30, SEEK_SET) == 5ll << 30);
	direct = open("direct", O_RDWR | O_CREAT | O_DIRECT, 0600);
	CHECK(direct >= 0 || errno == EINVAL); /* not every file system has it */
	CHECK(posix_memalign((void **)&block, 4096, 4096) == 0);
	CHECK((shared = open("shared", O_RDWR | O_CREAT | O_APPEND, 0600)) >= 0 && (shared_copy = dup(shared)) >= 0);
	CHECK((half = fopen("half", "w+")) != NULL);
	CHECK(mkdir("many", 0700) == 0 || errno == EEXIST);
	for (int i = 0; i < ENTRIES; i++) {
		snprintf(name, sizeof name, "many/entry%d", i);
		CHECK(close(creat(name, 0600)) == 0);
	}
	CHECK((directory = opendir("many")) != NULL);
}

static void locks(void)
{
	int twice = open("locked", O_RDWR);

	CHECK(twice >= 0 && flock(twice, LOCK_SH | LOCK_NB) == -1 && errno == EWOULDBLOCK && close(twice) == 0);
	for (int at = 99; at <= 150; at++) {
		struct flock l = {.l_type = F_WRLCK, .l_start = at, .l_len = 1};
		CHECK(fcntl(other_lock, F_GETLK, &l) == 0 && (l.l_type == F_WRLCK) == (at >= 100 && at < 150));
	}
}

/* Two entries in a round: the kernel's place in the directory and what the C library has read of it stay together. */
static void directory_entries(void)
{
	int number;
	struct dirent *e = NULL;

	for (int i = 0; i < 2 && (e = readdir(directory)); i++)
		if (sscanf(e->d_name, "entry%d", &number) == 1) {
			CHECK(!seen[number]);
			seen[number] = 1;
			entries++;
		}
	if (e)
		return;
	CHECK(entries == ENTRIES);
	memset(seen, 0, sizeof seen);
	entries = 0;
	rewinddir(directory);
}

static void files(void)
{
	int back = -1;

	locks();
	CHECK(write(far_away, &round_number, sizeof round_number) == sizeof round_number);
	CHECK(lseek(far_away, 0, SEEK_CUR) == (5ll << 30) + (round_number + 1) * (off_t)sizeof round_number);
	memset(block, round_number, 4096);
	direct_good += direct >= 0 && write(direct, block, 4096) == 4096;
	CHECK(direct < 0 || (flags_of(direct) & O_DIRECT && lseek(direct, 0, SEEK_CUR) == 4096ll * direct_good));
	CHECK(write(round_number % 2 ? shared : shared_copy, &round_number, sizeof round_number) == sizeof round_number);
	CHECK(lseek(shared, 0, SEEK_CUR) == lseek(shared_copy, 0, SEEK_CUR));
	CHECK(pread(shared, &back, sizeof back, round_number / 2 * (off_t)sizeof back) == sizeof back && back == round_number / 2);
	CHECK(fprintf(half, "line %d of rank %d\n", round_number, rank) > 0); /* never flushed */
	directory_entries();
}

static void files_end(void)
{
	struct stat st;
	char line[64], want[64];
	int n = 0;

	CHECK(fstat(shared, &st) == 0 && st.st_size == (off_t)sizeof(int) * rounds);
	rewind(half);
	for (; fgets(line, sizeof line, half); n++) {
		snprintf(want, sizeof want, "line %d of rank %d\n", n, rank);
		CHECK(!strcmp(line, want));
	}
	CHECK(n == rounds);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	signal(SIGPIPE, SIG_IGN);
	CHECK(argc == 3 && (rounds = atoi(argv[1])) > 0 && chdir(argv[2]) == 0);
	pipes_begin();
	packets_begin();
	lonely_begin();
	sockets_begin();
	objects_begin();
	files_begin();
	nameless_begin();
	for (round_number = 0; round_number < rounds; round_number++) {
		pipes();
		packet();
		lonely();
		sockets();
		MPI_Barrier(MPI_COMM_WORLD);
		objects();
		nameless_use(&memory);
		nameless_use(&removed);
		nameless_use(&unnamed);
		CHECK(fcntl(memory.fd, F_GET_SEALS) == F_SEAL_GROW);
		files();
		usleep(5000);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	files_end();
	if (rank == 0)
		printf("PASS kept\n");
	MPI_Finalize();
	return 0;
}
