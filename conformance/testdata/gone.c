/*
 * Files that ranks have open when the job is copied, and remove, rename and replace afterwards; then a worker is killed, once in each of two
 * phases. Arguments: a directory to work in, a file that counts the kills (it has one byte, '0'), and the directory of checkpoints, if the job
 * goes back to those; each is on the disk then before anything changes, unless that argument is "-".
 */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHECK(cond) check_that((cond) != 0, #cond, __LINE__)
#define PHASES 2

static int rank, phase;
static const char *saves;

static void check_that(int good, const char *what, int line)
{
	if (good)
		return;
	fprintf(stderr, "FAIL gone.c:%d: rank %d phase %d: %s (errno %d)\n", line, rank, phase, what, errno);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

enum { REMOVED, RENAMED, REPLACED, LINKED, READ, DEEP, INSIDE, PIPE, MAPPED, KEPT, TAKEN, KINDS };
static const char *const kinds[KINDS] = {"removed", "renamed\xff", "replaced", "linked", "read", "deep/file", "inside/file", "pipe", "mapped", "kept", "taken"};

static char *path(const char *kind, const char *more)
{
	static char text[4][64];
	static int next;
	char *to = text[next++ % 4];
	snprintf(to, sizeof text[0], "%d.%d/%s%s", rank, phase, kind, more);
	return to;
}

static int fds[KINDS], kept_before = -1;
static char *map;

static int is_there(const char *name)
{
	struct stat st;
	return !stat(name, &st);
}

/* Has the file of a descriptor this name? */
static int is_named(int fd, const char *name)
{
	struct stat own, named;
	return !fstat(fd, &own) && !stat(name, &named) && own.st_ino == named.st_ino && own.st_dev == named.st_dev;
}

static void make(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0640);
	CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) && close(fd) == 0);
}

static void open_all(void)
{
	for (int k = 0; k < KINDS; k++) {
		char *name = path(kinds[k], "");
		if (k == PIPE) {
			CHECK(is_there(name) || mkfifo(name, 0600) == 0);
			CHECK((fds[k] = open(name, O_RDWR)) >= 0 && write(fds[k], "in the pipe", 11) == 11);
			continue;
		}
		make(name, name);
		CHECK((fds[k] = open(name, k == READ ? O_RDONLY : O_RDWR)) >= 0 && lseek(fds[k], 2, SEEK_SET) == 2);
	}
	CHECK(link(path("linked", ""), path("linked", ".too")) == 0);
	CHECK((map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fds[MAPPED], 0)) != MAP_FAILED && close(fds[MAPPED]) == 0);
}

/* All is as it was at the copy: the file, its name, the place in it. */
static void look(void)
{
	struct stat st;
	for (int k = 0; k < KINDS; k++) {
		char text[64] = "", *name = path(kinds[k], "");
		if (k == PIPE) {
			CHECK(read(fds[k], text, sizeof text) == 11 && !strcmp(text, "in the pipe"));
			continue;
		}
		if (k == MAPPED) {
			CHECK(is_there(name) && !memcmp(map, name, strlen(name)));
			continue;
		}
		CHECK(k == TAKEN || is_named(fds[k], name));
		CHECK(fstat(fds[k], &st) == 0 && (st.st_mode & 0777) == 0640 && (size_t)st.st_size == strlen(name));
		CHECK(read(fds[k], text, sizeof text) == (ssize_t)strlen(name) - 2 && !strcmp(text, name + 2));
	}
	CHECK(is_named(fds[LINKED], path("linked", ".too")));
	CHECK(stat(path("deep", ""), &st) == 0 && (st.st_mode & 0777) == 0750);
}

/* New ones, and one that comes and goes: none of them is there when the job has gone back. */
static void change_directories(void)
{
	CHECK(mkdir(path("new", ""), 0700) == 0 && mkdirat(AT_FDCWD, path("new", "/inner"), 0700) == 0 && mkdir(path("short", ""), 0700) == 0);
	make(path("new", "/inner/file"), "new");
	CHECK(remove(path("short", "")) == 0 && mkdir(path("used", ""), 0700) == 0 && unlinkat(AT_FDCWD, path("used", ""), AT_REMOVEDIR) == 0);
}

static void change(void)
{
	char command[256];
	for (int k = 0; k < KINDS; k++)
		CHECK(k == PIPE || k == READ || k == MAPPED || write(fds[k], "more", 4) == 4);
	map[4095] = 'x';
	CHECK(remove(path("removed", "")) == 0 && unlink(path("linked", "")) == 0 && unlink(path("read", "")) == 0);
	CHECK(rename(path("renamed\xff", ""), path("renamed\xff", ".now")) == 0 && is_named(fds[RENAMED], path("renamed\xff", ".now")));
	CHECK(rename(path("inside", ""), path("inside", ".now")) == 0 && is_named(fds[INSIDE], path("inside.now/file", "")));
	make(path("replaced", ".new"), "replaced");
	CHECK(rename(path("replaced", ".new"), path("replaced", "")) == 0 && !is_named(fds[REPLACED], path("replaced", "")));
	CHECK(unlink(path("deep/file", "")) == 0 && unlink(path("pipe", "")) == 0 && unlink(path("mapped", "")) == 0 && unlink(path("kept", "")) == 0);
	snprintf(command, sizeof command, "echo other > %s; mv %s %s", path("taken", ".new"), path("taken", ".new"), path("taken", ""));
	CHECK(rank != 0 || system(command) == 0);
	for (int k = 0; k < KINDS; k++)
		CHECK(k == MAPPED || k == KEPT || close(fds[k]) == 0);
	CHECK(rmdir(path("deep", "")) == 0 && rmdir(path("empty", "")) == 0);
	change_directories();
	if (kept_before >= 0) { /* it had no name any more when this phase began */
		char text[8] = "";
		CHECK(pread(kept_before, text, 4, 0) == 4 && !strncmp(text, path("kept", ""), 2) && close(kept_before) == 0);
	}
	kept_before = fds[KEPT];
}

static void copy(void)
{
	MPI_Info info;
	char name[256];
	if (!saves) {
		AMPI_Migrate(AMPI_INFO_CHKPT_IN_MEMORY);
		return;
	}
	MPI_Info_create(&info);
	MPI_Info_set(info, "ampi_checkpoint", "to_file=there");
	AMPI_Migrate(info);
	MPI_Info_free(&info);
	snprintf(name, sizeof name, "%s/%06d", saves, phase + 1);
	while (strcmp(saves, "-") && !is_there(name))
		usleep(1000);
}

/* The count is written over, which is not undone when the job goes back. */
static void fail_once(const char *count)
{
	char n;
	int fd = open(count, O_RDWR);
	CHECK(fd >= 0 && read(fd, &n, 1) == 1);
	if (n == '0' + phase) {
		n++;
		CHECK(pwrite(fd, &n, 1, 0) == 1);
		kill(getpid(), SIGKILL);
		pause();
	}
	close(fd);
}

int main(int argc, char **argv)
{
	int size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	CHECK(argc > 2 && chdir(argv[1]) == 0);
	saves = argv[3];
	for (phase = 0; phase < PHASES; phase++) {
		CHECK(mkdir(path("", ""), 0700) == 0);
		CHECK(mkdir(path("deep", ""), 0750) == 0 && mkdir(path("empty", ""), 0700) == 0 && mkdir(path("inside", ""), 0700) == 0);
		open_all();
		copy();
		look();
		change();
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == size - 1)
			fail_once(argv[2]);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	if (rank == 0)
		printf("PASS gone\n");
	MPI_Finalize();
	return 0;
}
