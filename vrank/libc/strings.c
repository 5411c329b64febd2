/* strerror and strsignal keep their texts in the thread's control block, which ranks of a worker share: here each rank has
 * its own. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "vrank/core/rank_memory.h"
#include "vrank/libc/bind.h"

#define ROOM 128
#define LAST 32 /* the first signal number that has no name */

static char *text_of(char **at)
{
	if (!*at)
		*at = vr_rank_alloc(vr_current, ROOM);
	return *at;
}

char *vr_bind_strerror(int error)
{
	char *text = text_of(&vr_current->error_text);
	return text ? strerror_r(error, text, ROOM) : "out of memory";
}

char *vr_bind_strerror_l(int error, void *locale)
{
	(void)locale;
	return vr_bind_strerror(error);
}

char *vr_bind_strsignal(int signal)
{
	if (signal > 0 && signal < LAST)
		return strsignal(signal); /* a constant */
	char *text = text_of(&vr_current->signal_text);
	if (!text)
		return "out of memory";
	if (signal >= SIGRTMIN && signal <= SIGRTMAX)
		snprintf(text, ROOM, "Real-time signal %d", signal - SIGRTMIN);
	else
		snprintf(text, ROOM, "Unknown signal %d", signal);
	return text;
}

const char *vr_signal_name(int signal)
{
	static const char *const names[LAST] = {
		[SIGHUP] = "HUP", [SIGINT] = "INT", [SIGQUIT] = "QUIT", [SIGILL] = "ILL", [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT", [SIGBUS] = "BUS",
		[SIGFPE] = "FPE", [SIGKILL] = "KILL", [SIGUSR1] = "USR1", [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2", [SIGPIPE] = "PIPE",
		[SIGALRM] = "ALRM", [SIGTERM] = "TERM", [SIGSTKFLT] = "STKFLT", [SIGCHLD] = "CHLD", [SIGCONT] = "CONT", [SIGSTOP] = "STOP",
		[SIGTSTP] = "TSTP", [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU", [SIGURG] = "URG", [SIGXCPU] = "XCPU", [SIGXFSZ] = "XFSZ",
		[SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH", [SIGIO] = "IO", [SIGPWR] = "PWR", [SIGSYS] = "SYS"};
	return signal > 0 && signal < LAST ? names[signal] : "RT";
}
