/* Are mapped files what they are elsewhere, for a rank that may be moved at any time: shared ones one with the file, private ones with what
 * was written to them, at the same address, through protection, growth, children, and the end of the descriptor? */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES 600

static char expected(int file, size_t at) { return (char)(file * 31 + at / PAGE * 7 + at % 251 + rank); }

/* A file without a name, whose bytes are known. */
static int make_file(int number)
{
	char name[] = "/tmp/mapped_files.XXXXXX", page[PAGE];
	int fd = mkstemp(name);

	CHECK(fd >= 0 && unlink(name) == 0);
	for (size_t at = 0; at < PAGES * PAGE; at += PAGE) {
		for (size_t i = 0; i < PAGE; i++)
			page[i] = expected(number, at + i);
		CHECK(write(fd, page, PAGE) == PAGE);
	}
	return fd;
}

static int is_file(const char *p, size_t from, size_t to, int number)
{
	for (size_t i = from; i < to; i++)
		if (p[i] != expected(number, i))
			return 0;
	return 1;
}

/* Time for the rank to be moved. */
static void meanwhile(void)
{
	for (int i = 0; i < 20; i++) {
		check_others_run();
		usleep(200);
	}
}

static char *map(int fd, int prot, int flags)
{
	char *p = mmap(NULL, PAGES * PAGE, prot, flags, fd, 0);
	CHECK(p != MAP_FAILED);
	CHECK(close(fd) == 0);
	return p;
}

static void shared(void)
{
	int fd = make_file(1), other = dup(fd);
	char *p = map(fd, PROT_READ | PROT_WRITE, MAP_SHARED), byte;

	CHECK(is_file(p, 0, PAGES * PAGE, 1));
	p[5 * PAGE] = 99;
	meanwhile();
	CHECK(pread(other, &byte, 1, 5 * PAGE) == 1 && byte == 99);
	byte = 77;
	CHECK(pwrite(other, &byte, 1, 6 * PAGE) == 1);
	CHECK(p[6 * PAGE] == 77 && msync(p, PAGES * PAGE, MS_SYNC) == 0);
	meanwhile();
	CHECK(is_file(p, 0, 5 * PAGE, 1) && is_file(p, 7 * PAGE, PAGES * PAGE, 1));
	CHECK(munmap(p, PAGES * PAGE) == 0 && close(other) == 0);
}

/* What is written stays, and the file does not change. */
static void private(void)
{
	int fd = make_file(2), other = dup(fd);
	char *p = map(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE), byte;

	for (int i = 0; i < PAGES; i += i < 100 ? 3 : 50) {
		p[i * PAGE + 17] = (char)i;
		if (i % 20 == 0)
			check_others_run();
	}
	meanwhile();
	for (int i = 0; i < PAGES; i += i < 100 ? 3 : 50) {
		CHECK(p[i * PAGE + 17] == (char)i);
		p[i * PAGE + 17] = expected(2, i * PAGE + 17);
	}
	CHECK(is_file(p, 0, PAGES * PAGE, 2));
	CHECK(pread(other, &byte, 1, 17) == 1 && byte == expected(2, 17));
	memset(p + 300 * PAGE, 5, PAGE);
	meanwhile();
	CHECK(munmap(p, 100 * PAGE) == 0); /* the front, and a part in the middle */
	CHECK(munmap(p + 200 * PAGE, 50 * PAGE) == 0);
	meanwhile();
	CHECK(is_file(p, 100 * PAGE, 200 * PAGE, 2) && is_file(p, 250 * PAGE, 300 * PAGE, 2) && is_file(p, 301 * PAGE, PAGES * PAGE, 2));
	CHECK(p[300 * PAGE] == 5 && p[301 * PAGE - 1] == 5);
	CHECK(munmap(p, PAGES * PAGE) == 0 && close(other) == 0);
}

static sigjmp_buf back;

static void fault(int signal) { siglongjmp(back, signal); }

static int faults(volatile char *p, int write)
{
	int got;

	signal(SIGSEGV, fault);
	signal(SIGBUS, fault);
	if (!(got = sigsetjmp(back, 1))) {
		if (write)
			*p = 1;
		else
			(void)*p;
	}
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	return got;
}

static void protection(void)
{
	int fd = make_file(3);
	char *p = map(fd, PROT_READ, MAP_PRIVATE);

	CHECK(faults(p, 1) == SIGSEGV);
	CHECK(mprotect(p + 10 * PAGE, 5 * PAGE, PROT_READ | PROT_WRITE) == 0);
	p[10 * PAGE] = p[14 * PAGE] = 3;
	CHECK(mprotect(p + 14 * PAGE, PAGE, PROT_NONE) == 0);
	CHECK(mprotect(p + 10 * PAGE, PAGE, PROT_READ) == 0);
	meanwhile();
	CHECK(p[10 * PAGE] == 3 && faults(p + 10 * PAGE, 1) && faults(p + 9 * PAGE, 1) && faults(p + 15 * PAGE, 1));
	CHECK(faults(p + 14 * PAGE, 0) && !faults(p + 12 * PAGE, 1));
	CHECK(mprotect(p, PAGES * PAGE, PROT_READ) == 0 && p[14 * PAGE] == 3);
	meanwhile();
	CHECK(p[14 * PAGE] == 3 && faults(p + 12 * PAGE, 1));
	CHECK(is_file(p, 20 * PAGE, PAGES * PAGE, 3));
	CHECK(munmap(p, PAGES * PAGE) == 0);
}

/* Growing, shrinking; what is past the end of the file; a file over reserved memory. */
static void sizes(void)
{
	int fd = make_file(4), other = dup(fd);
	char *p = mmap(NULL, 10 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), *q, *room;

	CHECK(p != MAP_FAILED);
	q = mremap(p, 10 * PAGE, PAGES * PAGE, MREMAP_MAYMOVE);
	CHECK(q != MAP_FAILED && is_file(q, 0, PAGES * PAGE, 4));
	meanwhile();
	CHECK(is_file(q, 0, PAGES * PAGE, 4));
	p = mremap(q, PAGES * PAGE, 20 * PAGE, 0);
	CHECK(p == q && is_file(q, 0, 20 * PAGE, 4));
	CHECK(ftruncate(other, 15 * PAGE) == 0);
	meanwhile();
	CHECK(is_file(q, 0, 15 * PAGE, 4) && faults(q + 16 * PAGE, 0) == SIGBUS);
	CHECK(munmap(q, 20 * PAGE) == 0);
	room = mmap(NULL, 100 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(room != MAP_FAILED);
	CHECK(mmap(room + 8 * PAGE, 8 * PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 4 * PAGE) == room + 8 * PAGE);
	meanwhile();
	CHECK(is_file(room + 4 * PAGE, 4 * PAGE, 12 * PAGE, 4) && faults(room + 7 * PAGE, 0) == SIGSEGV);
	CHECK(munmap(room, 100 * PAGE) == 0);
	CHECK(close(fd) == 0 && close(other) == 0);
}

/* Messages from and into mapped files. */
static void messages(void)
{
	int fd = make_file(5), to = (rank + 1) % size, from = (rank + size - 1) % size, me = rank;
	char *p = map(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	MPI_Request r[2];

	MPI_Irecv(p, 300 * PAGE, MPI_CHAR, from, 5, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(p + 300 * PAGE, 300 * PAGE, MPI_CHAR, to, 5, MPI_COMM_WORLD, &r[1]);
	meanwhile();
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	meanwhile();
	CHECK(is_file(p, 300 * PAGE, PAGES * PAGE, 5));
	rank = from;
	for (size_t i = 0; i < 300 * PAGE; i++)
		if (p[i] != expected(5, 300 * PAGE + i)) {
			rank = me;
			CHECK(!"what was sent from a mapped file is there");
			break;
		}
	rank = me;
	CHECK(munmap(p, PAGES * PAGE) == 0);
}

/* A child shares what is shared. */
static void children(void)
{
	int fd = make_file(6), status;
	char *p = map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);

	meanwhile();
	pid_t pid = fork();
	if (pid == 0) {
		p[3 * PAGE] = 42;
		_exit(is_file(p, 10 * PAGE, PAGES * PAGE, 6) ? 0 : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(p[3 * PAGE] == 42);
	meanwhile();
	CHECK(p[3 * PAGE] == 42);
	CHECK(munmap(p, PAGES * PAGE) == 0);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	shared();
	private();
	protection();
	sizes();
	messages();
	children();
	return check_end("mapped_files");
}
