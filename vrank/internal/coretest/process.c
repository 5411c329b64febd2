#include "vrank/internal/coretest/process.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vrank/core/job.h"

#define SECONDS 60
#define TEXT 256

struct outcome {
	char text[TEXT];
};

const char *ct_text(const char *fmt, ...)
{
	static char text[TEXT];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return text;
}

/* The Go runtime's handlers have no runtime to go to in a forked process. */
static void child(int pe, const char *(*fn)(int pe, void *arg), void *arg, struct outcome *o)
{
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	alarm(SECONDS);
	ct_be(pe);
	const char *text = fn(pe, arg);
	if (text)
		snprintf(o->text, TEXT, "worker %d: %s", pe, text);
	_exit(text != NULL);
}

static const char *verdict(int pe, int status, const struct outcome *o)
{
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	if (WIFEXITED(status))
		return ct_text("%s", o->text);
	return ct_text("worker %d: %s", pe, WTERMSIG(status) == SIGALRM ? "not done in time" : strsignal(WTERMSIG(status)));
}

static void end_all(const pid_t *pid, int n)
{
	for (int i = 0; i < n; i++)
		if (pid[i] > 0)
			kill(pid[i], SIGKILL);
}

const char *ct_processes(const char *(*fn)(int pe, void *arg), void *arg)
{
	int n = vr_job->pes, left = 0;
	pid_t pid[VR_MAX_PES];
	struct outcome *o = vr_arena_alloc(n * sizeof *o);
	const char *first = NULL;
	for (int i = 0; i < n; i++, left++)
		if (!(pid[i] = fork()))
			child(i, fn, arg, &o[i]);
		else if (pid[i] < 0)
			break;
	if (left < n) {
		end_all(pid, left);
		first = "fork failed";
	}
	while (left) {
		int status;
		for (int i = 0; i < n && left; i++) {
			if (pid[i] <= 0 || waitpid(pid[i], &status, WNOHANG) != pid[i])
				continue;
			pid[i] = 0;
			left--;
			if (!first && (first = verdict(i, status, &o[i])))
				end_all(pid, n);
		}
		usleep(500);
	}
	vr_arena_free(o, n * sizeof *o);
	return first;
}
