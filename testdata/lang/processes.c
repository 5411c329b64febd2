/* Do fork, vfork, posix_spawn and the ways to wait work, each rank with children of its own? */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int global = 5;
static _Thread_local int local = 6;
static int forked[3];

static void prepare(void) { forked[0]++; }
static void in_parent(void) { forked[1]++; }
static void in_child(void) { forked[2]++; }

/* The output of a child that is another program, by fork, dup2 and exec. */
static void fork_and_exec(void)
{
	char line[64] = "", want[64];
	int ends[2], status;
	pid_t child;

	CHECK(pipe(ends) == 0);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		snprintf(want, sizeof want, "%d", rank);
		setenv("OF_CHILD", want, 1);
		dup2(ends[1], 1);
		close(ends[0]), close(ends[1]);
		execlp("sh", "sh", "-c", "echo rank $OF_CHILD; exit 9", (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	check_others_run();
	CHECK(read(ends[0], line, sizeof line - 1) > 0);
	snprintf(want, sizeof want, "rank %d\n", rank);
	CHECK(strcmp(line, want) == 0);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 9);
	CHECK(getenv("OF_CHILD") == NULL);
	close(ends[0]);
}

static void vfork_and_exec(void)
{
	int status;
	pid_t child = vfork();

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "exit 11", (char *)NULL);
		_exit(127);
	}
	CHECK(child > 0);
	check_others_run();
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 11);
	child = vfork();
	if (child == 0)
		_exit(12);
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 12);
}

/* A child that computes: with globals, heap, thread-local variables, stdio and exit handlers of its own. */
static void fork_and_compute(void)
{
	int ends[2], status, *heap = malloc(1000 * sizeof *heap);
	long sum = 0;
	pid_t child;

	for (int i = 0; i < 1000; i++)
		heap[i] = i + rank;
	CHECK(pipe(ends) == 0);
	CHECK(pthread_atfork(prepare, in_parent, in_child) == 0);
	child = fork();
	if (child == 0) {
		FILE *out = fdopen(ends[1], "w");
		global = 50, local = 60;
		heap = realloc(heap, 100000 * sizeof *heap);
		for (int i = 0; i < 1000; i++)
			sum += heap[i];
		for (int i = 0; i < 1000; i++)
			free(malloc(1 + i * 37 % 5000));
		heap[99999] = 1;
		usleep(1000);
		fprintf(out, "%ld %d %d %d", sum, global, local, forked[2]);
		exit(fclose(out) ? 1 : 3);
	}
	CHECK(forked[0] == 1 && forked[1] == 1 && forked[2] == 0);
	close(ends[1]);
	for (int i = 0; i < 1000; i++)
		heap[i] = -1;
	check_others_run();
	FILE *in = fdopen(ends[0], "r");
	int g = 0, l = 0, f = 0;
	CHECK(fscanf(in, "%ld %d %d %d", &sum, &g, &l, &f) == 4);
	CHECK(sum == 499500 + 1000L * rank && g == 50 && l == 60 && f == 1);
	fclose(in);
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 3);
	CHECK(global == 5 && local == 6);
	free(heap);
}

/* wait() finds the children of this rank, all of them, and no others. */
static void wait_for_any(void)
{
	int seen = 0, status;
	pid_t children[3], got;
	siginfo_t info = {0};
	struct rusage usage;

	for (int i = 0; i < 3; i++)
		if ((children[i] = fork()) == 0)
			_exit(20 + i);
	check_others_run();
	for (int n = 0; n < 2; n++) {
		got = n ? waitpid(-1, &status, 0) : wait(&status);
		for (int i = 0; i < 3; i++)
			if (got == children[i] && WEXITSTATUS(status) == 20 + i)
				seen |= 1 << i;
	}
	CHECK(waitid(P_ALL, 0, &info, WEXITED) == 0 && info.si_code == CLD_EXITED);
	for (int i = 0; i < 3; i++)
		if (info.si_pid == children[i] && info.si_status == 20 + i)
			seen |= 1 << i;
	CHECK(seen == 7);
	CHECK(wait(&status) == -1 && errno == ECHILD);
	if ((children[0] = fork()) == 0)
		pause();
	CHECK(waitpid(-1, &status, WNOHANG) == 0);
	CHECK(kill(children[0], SIGTERM) == 0);
	CHECK(wait4(children[0], &status, 0, &usage) == children[0] && WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

/* Anonymous shared memory, and a semaphore in it, as programs use it that fork helpers. */
static void share_memory(void)
{
	struct shared {
		sem_t go;
		int value;
	} *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	CHECK(s != MAP_FAILED && sem_init(&s->go, 1, 0) == 0);
	pid_t child = fork();
	if (child == 0) {
		sem_wait(&s->go);
		s->value = s->value * 2 + 1;
		_exit(0);
	}
	s->value = 100 + rank;
	CHECK(sem_post(&s->go) == 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(s->value == 2 * (100 + rank) + 1);
	CHECK(munmap(s, sizeof *s) == 0);
}

/* A child of a child, and a fault in a child, are not the rank's business. */
static void descendants(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		pid_t grandchild = fork();
		if (grandchild == 0)
			_exit(global == 5 ? 6 : 7);
		if (waitpid(grandchild, &status, 0) != grandchild || WEXITSTATUS(status) != 6)
			_exit(1);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	child = fork();
	if (child == 0) {
		fclose(stderr);
		close(2);
		abort();
	}
	CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

/* Standard streams that a rank has put elsewhere are those of its children. */
static void redirected(void)
{
	char name[64], text[64] = "";
	snprintf(name, sizeof name, "/tmp/processes.%d.%d", (int)getpid(), rank);
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600), saved = dup(1);

	CHECK(fd >= 0 && saved >= 0 && dup2(fd, 1) == 1);
	CHECK(system("echo one") == 0);
	pid_t child = fork();
	if (child == 0) {
		if (write(1, "two\n", 4) != 4)
			_exit(1);
		execlp("echo", "echo", "three", (char *)NULL);
		_exit(127);
	}
	CHECK(waitpid(child, NULL, 0) == child);
	CHECK(dup2(saved, 1) == 1);
	close(saved);
	CHECK(pread(fd, text, sizeof text - 1, 0) == 14 && strcmp(text, "one\ntwo\nthree\n") == 0);
	close(fd);
	unlink(name);
}

/* A command that writes, and one whose answer comes late, while all ranks wait for theirs. */
static void pipes(void)
{
	char line[64] = "";
	FILE *in = popen("sleep 0.2; echo late", "r"), *out = popen("cat > /dev/null; exit 4", "w");

	CHECK(in && fgets(line, sizeof line, in) && strcmp(line, "late\n") == 0);
	CHECK(pclose(in) == 0);
	for (int i = 0; i < 10000; i++)
		fprintf(out, "line %d\n", i);
	CHECK(WEXITSTATUS(pclose(out)) == 4);
	errno = 0;
	CHECK(popen("true", "x") == NULL && errno == EINVAL);
	CHECK(system(NULL) != 0);
	pid_t child;
	char name[] = "no-such-program-anywhere", *argv[] = {name, NULL};
	CHECK(posix_spawnp(&child, name, NULL, NULL, argv, environ) == ENOENT);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	fork_and_exec();
	vfork_and_exec();
	fork_and_compute();
	wait_for_any();
	share_memory();
	descendants();
	redirected();
	pipes();
	return check_end("processes");
}
