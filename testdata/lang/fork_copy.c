/* Has a forked child a private copy of the rank: what it writes is not seen here, what we write is not seen there? */
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

static int global = 5;

int main(int argc, char **argv)
{
	int status, local = 6, *heap = malloc(sizeof *heap), pipe_ends[2];
	char byte = 0;
	pid_t child;

	check_begin(&argc, &argv);
	*heap = 7;
	CHECK(pipe(pipe_ends) == 0);
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		close(pipe_ends[1]);
		if (read(pipe_ends[0], &byte, 1) != 1) /* until the parent has written its memory */
			_exit(1);
		int good = global == 5 && local == 6 && *heap == 7;
		global = local = *heap = -1;
		_exit(good ? 40 : 41);
	}
	global = 50, local = 60, *heap = 70;
	CHECK(write(pipe_ends[1], "x", 1) == 1);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 40);
	CHECK(global == 50 && local == 60 && *heap == 70);
	close(pipe_ends[0]), close(pipe_ends[1]);
	free(heap);
	return check_end("fork_copy");
}
