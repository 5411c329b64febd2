/* Is the hidden state of the C library private: strtok, rand, random, drand48, getopt, errno, static buffers? */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <time.h>
#include <unistd.h>

static void tokens(void)
{
	char text[] = "a0,b1;c2", *word = strtok(text, ",");

	CHECK(strcmp(word, "a0") == 0);
	check_others_run();
	CHECK(strcmp(strtok(NULL, ";"), "b1") == 0);
	check_others_run();
	CHECK(strcmp(strtok(NULL, ";"), "c2") == 0);
	CHECK(strtok(NULL, ";") == NULL);
}

#define DRAWS 50

static void random_numbers(void)
{
	int a[DRAWS];
	double c[DRAWS];

	srand(100 + rank), srand48(300 + rank);
	for (int i = 0; i < DRAWS; i++) {
		a[i] = rand(), c[i] = drand48();
		if (i % 10 == 0)
			check_others_run();
	}
	srand(100 + rank), srand48(300 + rank);
	for (int i = 0; i < DRAWS; i++) {
		CHECK(a[i] == rand());
		CHECK(c[i] == drand48());
	}
}

/* random() with a state of the program's own, and the old one back. */
static void random_state(void)
{
	char own[128], *before;
	long a[DRAWS];

	before = initstate(200 + (unsigned)rank, own, sizeof own);
	for (int i = 0; i < DRAWS; i++) {
		a[i] = random();
		if (i % 10 == 0)
			check_others_run();
	}
	srandom(200 + (unsigned)rank);
	for (int i = 0; i < DRAWS; i++)
		CHECK(a[i] == random());
	CHECK(setstate(before) == own);
}

static void options(void)
{
	char name[] = "x", a[] = "-a", value[16], b[] = "-bc", rest[] = "rest";
	char *argv[] = {name, a, value, b, rest, NULL};
	int c, seen = 0;

	snprintf(value, sizeof value, "%d", rank);
	optind = 1;
	while ((c = getopt(5, argv, "a:bc")) != -1) {
		seen = seen * 10 + (c == 'a' ? 1 : c == 'b' ? 2 : 3);
		CHECK(c != 'a' || atoi(optarg) == rank);
		check_others_run();
	}
	CHECK(seen == 123 && optind == 4);
	check_others_run();
	CHECK(optind == 4);
}

static void error_number(void)
{
	errno = 1000 + rank;
	for (int i = 0; i < 5; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		CHECK(errno == 1000 + rank);
	}
	CHECK(access("/does/not/exist", R_OK) == -1 && errno == ENOENT);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(errno == ENOENT);
}

static void static_buffers(void)
{
	time_t day = 86400L * rank;
	struct tm *tm = gmtime(&day);
	char want[32], *date;

	check_others_run();
	CHECK(tm->tm_yday == rank % 365 && tm->tm_hour == 0);
	date = asctime(tm);
	snprintf(want, sizeof want, "%s", date);
	check_others_run();
	CHECK(strcmp(date, want) == 0);
	char *message = strerror(5000 + rank);
	snprintf(want, sizeof want, "Unknown error %d", 5000 + rank);
	check_others_run();
	CHECK(strcmp(message, want) == 0);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	tokens();
	random_numbers();
	random_state();
	options();
	error_number();
	static_buffers();
	return check_end("libc_state");
}
