/* Random bytes of ranks: from all the functions that give them, wherever the rank runs, in its threads, and after a fork. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { ROUNDS = 40, THREADS = 4, SIZE = 16 };

struct bytes {
	unsigned char of[SIZE];
};

static int differ(const struct bytes *a, const struct bytes *b)
{
	return memcmp(a, b, sizeof *a) != 0;
}

static struct bytes fill(void)
{
	struct bytes b = {{0}};
	CHECK(getrandom(&b, sizeof b, 0) == sizeof b);
	return b;
}

/* The C library's own need for random bytes: names of files. */
static void check_names(void)
{
	char a[] = "/tmp/random-XXXXXX", b[] = "/tmp/random-XXXXXX";
	int one = mkostemp(a, O_CLOEXEC), two = mkostemp(b, O_CLOEXEC);
	CHECK(one >= 0 && two >= 0 && strcmp(a, b));
	close(one), close(two);
	unlink(a), unlink(b);
}

static void check_errors(void)
{
	char bytes[257];
	errno = 0;
	CHECK(getrandom(bytes, 1, 1u << 30) == -1 && errno == EINVAL);
	errno = 0;
	CHECK(getentropy(bytes, 257) == -1 && errno == EIO);
	CHECK(!getentropy(bytes, 0));
}

/* glibc 2.36 and newer. */
static void check_arc4random(void)
{
	unsigned (*word)(void) = (unsigned (*)(void))dlsym(RTLD_DEFAULT, "arc4random");
	unsigned (*below)(unsigned) = (unsigned (*)(unsigned))dlsym(RTLD_DEFAULT, "arc4random_uniform");
	if (!word || !below)
		return;
	int seen[3] = {0};
	for (int i = 0; i < 1000; i++)
		seen[below(3)]++;
	CHECK(seen[0] > 200 && seen[1] > 200 && seen[2] > 200);
	CHECK(below(0) == 0 && below(1) == 0);
	CHECK(word() != word() || word() != word());
}

static void *in_thread(void *out)
{
	*(struct bytes *)out = fill();
	return NULL;
}

/* Threads come and go: what the C library keeps for them goes back to where it was taken from. */
static void check_threads(void)
{
	for (int round = 0; round < 3; round++) {
		pthread_t t[THREADS];
		struct bytes b[THREADS];
		for (int i = 0; i < THREADS; i++)
			CHECK(!pthread_create(&t[i], NULL, in_thread, &b[i]));
		for (int i = 0; i < THREADS; i++)
			pthread_join(t[i], NULL);
		for (int i = 1; i < THREADS; i++)
			CHECK(differ(&b[0], &b[i]));
	}
}

static void check_fork(void)
{
	int ends[2];
	struct bytes child, own;
	CHECK(!pipe(ends));
	pid_t pid = fork();
	if (!pid) {
		child = fill();
		_exit(write(ends[1], &child, sizeof child) != sizeof child);
	}
	own = fill();
	int status;
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	CHECK(read(ends[0], &child, sizeof child) == sizeof child && differ(&own, &child));
	close(ends[0]), close(ends[1]);
}

/* No two ranks get the same. Ranks may run somewhere else after each round. */
static void check_all(void)
{
	struct bytes mine, *all = calloc(size, sizeof *all);
	for (int round = 0; round < ROUNDS; round++) {
		mine = fill();
		MPI_Allgather(&mine, SIZE, MPI_BYTE, all, SIZE, MPI_BYTE, MPI_COMM_WORLD);
		for (int i = 0; i < size; i++)
			CHECK(i == rank || differ(&mine, &all[i]));
		check_names();
	}
	free(all);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	check_errors();
	check_all();
	check_arc4random();
	check_fork();
	check_threads();
	check_all();
	return check_end("random");
}
