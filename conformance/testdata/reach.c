/* Rank 1 closes all descriptors that there may be, in one of the ways that programs have for it, while the others have files open; nobody but rank 1
 * notices, and its own standard output, directory and mapped file stay. Arguments: the way, a directory; "shared" where ranks share libraries, and
 * so what these have open. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fails(int rank, const char *what)
{
	fprintf(stderr, "FAIL reach: rank %d: %s: %s\n", rank, what, strerror(errno)); /* standard output may be the file */
	return 1;
}

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#if !__GLIBC_PREREQ(2, 34)
#define closefrom(low) syscall(SYS_close_range, low, ~0u, 0)
#define close_range(first, last, flags) syscall(SYS_close_range, first, last, flags)
#endif

static void close_all(const char *way)
{
	if (!strcmp(way, "loop"))
		for (int i = 3; i < 5000; i++)
			close(i);
	else if (!strcmp(way, "syscalls"))
		for (int i = 3; i < 5000; i++)
			syscall(SYS_close, i);
	else if (!strcmp(way, "range"))
		close_range(3, ~0u, 0);
	else if (!strcmp(way, "range by syscall"))
		syscall(SYS_close_range, 3, ~0u, 0);
	else
		closefrom(3);
}

/* What the way is to leave: nothing. */
static int count_open(void)
{
	int n = 0;
	for (int i = 3; i < 5000; i++)
		if (fcntl(i, F_GETFD) >= 0 || errno != EBADF || dup(i) >= 0 || dup3(i, 7, 0) >= 0)
			n++;
	return n;
}

/* The names in a list of descriptors but for the standard ones and that of the list. */
static int count_listed(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;
	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] != '.' && atoi(e->d_name) > 2 && atoi(e->d_name) != dirfd(d);
	if (!d)
		return -1;
	closedir(d);
	return n;
}

static int is_entry(const struct dirent *e)
{
	return e->d_name[0] != '.' && atoi(e->d_name) > 2;
}

static int count_scanned(void)
{
	struct dirent **list;
	int n = scandir("/proc/self/fd", &list, is_entry, alphasort);
	for (int i = 0; i < n; i++)
		free(list[i]);
	if (n >= 0)
		free(list);
	return n - 1; /* its own */
}

static int lists_are(int rank, int n)
{
	char own[64];
	snprintf(own, sizeof own, "/proc/%d/fd", (int)getpid());
	if (count_listed("/proc/self/fd") != n || count_listed("/proc/thread-self/fd/") != n || count_listed("/dev/fd") != n || count_listed(own) != n)
		return !fails(rank, "another descriptor is listed than its own");
	return count_scanned() == n || !fails(rank, "scandir finds others");
}

static int closer(int rank, const char *way, const char *dir)
{
	char name[4096], byte;
	snprintf(name, sizeof name, "%s/out.%d", dir, rank);
	int given = count_listed("/proc/self/fd"); /* by who has started the job */
	int out = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600), saved = dup(1);
	if (out < 0 || write(out, "#mapped\n", 8) != 8)
		return fails(rank, "open");
	if (!lists_are(rank, given + 2))
		return 1;
	char *map = mmap(NULL, 4096, PROT_READ, MAP_SHARED, out, 0);
	fflush(stdout);
	if (chdir(dir) || map == MAP_FAILED || dup2(out, 1) != 1)
		return fails(rank, "chdir, mmap, dup2");
	dup2(saved, 2); /* standard error is standard output from here on */
	close_all(way);
	if (count_open())
		return fails(rank, "something is open still");
	printf("into the file\n");
	fflush(stdout);
	if (access("out.1", R_OK) || map[0] != '#')
		return fails(rank, "the directory or the mapping is gone");
	int again = open("out.1", O_RDONLY);
	if (again < 0 || pread(again, &byte, 1, 8) != 1 || byte != 'i' || !lists_are(rank, 1))
		return fails(rank, "what it has printed is not in the file");
	fprintf(stderr, "PASS reach closer\n");
	return close(again);
}

int main(int argc, char **argv)
{
	int rank, ranks, bad = 0, any, shared = argc > 3, token = 0;
	char name[4096];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	snprintf(name, sizeof name, "%s/own.%d", argv[2], rank);
	FILE *own = rank != 1 && !shared ? fopen(name, "w+") : NULL;
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		bad = closer(rank, argv[1], argv[2]);
	MPI_Barrier(MPI_COMM_WORLD);
	if (own && (fprintf(own, "mine\n") != 5 || fclose(own)))
		bad = fails(rank, "its file is gone");
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 0, &token, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
	if (!rank && !any)
		printf("PASS reach\n"), fflush(stdout);
	MPI_Finalize();
	return any;
}
