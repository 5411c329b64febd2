/* The ways in which a process ends, seen from its parent: which handlers run, in which order, with which code. */
#define _GNU_SOURCE
#include "check.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static int out = -1;

static void say(const char *what)
{
	if (write(out, what, strlen(what)) < 0)
		_exit(99);
}

static void first(void) { say("a"); }
static void second(void) { say("b"); }
static void late(void) { say("l"); }

static void third(void)
{
	say("c");
	atexit(late); /* registered while handlers run: next */
}

static void with_code(int code, void *text)
{
	say(code == 5 || code == 6 ? text : "?");
}

static void quick_one(void) { say("q"); }
static void quick_two(void) { say("r"); }

static void on_abort(int signal)
{
	(void)signal;
	say("s");
}

static void again(void)
{
	say("e");
	exit(6);
}

__attribute__((destructor)) static void destructor(void)
{
	if (out >= 0)
		say("d");
}

static void end(int how)
{
	atexit(first);
	on_exit(with_code, (void *)"x");
	atexit(second);
	at_quick_exit(quick_one);
	at_quick_exit(quick_two);
	switch (how) {
	case 0:
		atexit(third);
		exit(5);
	case 1:
		quick_exit(5);
	case 2:
		_exit(5);
	case 3:
		signal(SIGABRT, on_abort);
		fclose(stderr);
		close(2);
		abort();
	case 4: /* a handler that calls exit: the others run with the new code */
		atexit(again);
		exit(5);
	default:
		raise(SIGTERM);
	}
}

static void check_end_of(int how, const char *want, int code, int sig)
{
	char text[32] = "";
	size_t n = 0;
	int ends[2], status;

	CHECK(pipe(ends) == 0);
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		out = ends[1];
		end(how);
	}
	close(ends[1]);
	for (ssize_t got; n < sizeof text - 1 && (got = read(ends[0], text + n, sizeof text - 1 - n)) > 0;)
		n += (size_t)got;
	close(ends[0]);
	CHECK(waitpid(child, &status, 0) == child);
	if (strcmp(text, want) != 0)
		fprintf(stderr, "way %d: \"%s\"\n", how, text);
	CHECK(strcmp(text, want) == 0);
	CHECK(sig ? WIFSIGNALED(status) && WTERMSIG(status) == sig : WIFEXITED(status) && WEXITSTATUS(status) == code);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	check_end_of(0, "clbxad", 5, 0);
	check_end_of(1, "rq", 5, 0);
	check_end_of(2, "", 5, 0);
	check_end_of(3, "s", 0, SIGABRT);
	check_end_of(4, "ebxad", 6, 0);
	check_end_of(5, "", 0, SIGTERM);
	check_others_run();
	return check_end("endings");
}
