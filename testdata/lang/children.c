/* Do popen, system and posix_spawn work in every rank, with its own environment, without disturbing the others? */
#define _GNU_SOURCE
#include "check.h"
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void by_popen(void)
{
	char line[64] = "";
	FILE *in = popen("echo child of $CHILD_RANK", "r");

	CHECK(in && fgets(line, sizeof line, in));
	check_others_run();
	CHECK(atoi(line + 9) == rank);
	CHECK(pclose(in) == 0);
}

static void by_system(void)
{
	int status = system("exit $((CHILD_RANK % 100 + 3))");

	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == rank % 100 + 3);
}

static void by_spawn(void)
{
	char shell[] = "sh", c[] = "-c", command[] = "exit 7", *argv[] = {shell, c, command, NULL};
	pid_t child;
	int status;

	CHECK(posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ) == 0);
	check_others_run();
	CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
}

int main(int argc, char **argv)
{
	char value[16];

	check_begin(&argc, &argv);
	snprintf(value, sizeof value, "%d", rank);
	setenv("CHILD_RANK", value, 1);
	by_popen();
	by_system();
	by_spawn();
	return check_end("children");
}
