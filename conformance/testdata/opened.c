/*
 * Files that are opened anew in each round, for jobs that are killed and go on: lines are appended to some, others are made and must not be
 * there before. Arguments: rounds, a directory to work in.
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK(cond) check_that((cond) != 0, #cond, __LINE__)

static int rank, round_number;

static void check_that(int good, const char *what, int line)
{
	if (good)
		return;
	fprintf(stderr, "FAIL opened.c:%d: rank %d round %d: %s (errno %d)\n", line, rank, round_number, what, errno);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Appends a line in one of the ways that there are. */
static void append(const char *path)
{
	char line[32];
	FILE *f;
	int fd, n = snprintf(line, sizeof line, "line %d\n", round_number);

	switch (round_number % 4) {
	case 0:
		CHECK((f = fopen(path, "a")) && fputs(line, f) >= 0 && fclose(f) == 0);
		break;
	case 1:
		CHECK((fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0600)) >= 0 && write(fd, line, n) == n && close(fd) == 0);
		break;
	case 2:
		CHECK((f = fopen("/dev/null", "r")) && (f = freopen(path, "a", f)) && fputs(line, f) >= 0 && fclose(f) == 0);
		break;
	default:
		CHECK((fd = openat(AT_FDCWD, path, O_RDWR)) >= 0 && lseek(fd, 0, SEEK_END) >= 0 && write(fd, line, n) == n && close(fd) == 0);
	}
}

static void expect_lines(const char *path)
{
	char line[64], want[64];
	FILE *f = fopen(path, "r");
	int n = 0;

	CHECK(f != NULL);
	for (; fgets(line, sizeof line, f); n++) {
		snprintf(want, sizeof want, "line %d\n", n);
		CHECK(!strcmp(line, want));
	}
	CHECK(n == round_number + 1 && fclose(f) == 0);
}

int main(int argc, char **argv)
{
	char log[64], fresh[64];
	int rounds = argc > 2 ? atoi(argv[1]) : 1, fd;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	CHECK(argc == 3 && chdir(argv[2]) == 0);
	snprintf(log, sizeof log, "log%d", rank);
	for (round_number = 0; round_number < rounds; round_number++) {
		append(log);
		expect_lines(log);
		MPI_Barrier(MPI_COMM_WORLD);
		snprintf(fresh, sizeof fresh, "fresh%d.%d", rank, round_number);
		CHECK((fd = open(fresh, O_WRONLY | O_CREAT | O_EXCL, 0600)) >= 0 && write(fd, "x", 1) == 1 && close(fd) == 0);
		usleep(5000);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("PASS opened\n");
	MPI_Finalize();
	return 0;
}
