/* Signal handlers that ranks set. A worker's signals are the runtime's and the Go runtime's, so sigaction only notes what a
 * rank wants; the runtime's handler calls it when the signal is for that rank: it is a fault of the rank, or was raised
 * by it. */
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "bind.h"
#include "life.h"

#define SIGNALS 65

static struct sigaction *actions(struct vr_rank *r)
{
	if (!r->actions)
		r->actions = vr_rank_calloc(r, SIGNALS, sizeof(struct sigaction));
	return r->actions;
}

/* libgfortran asks for backtraces of faults; the runtime's own report names rank, function and line. */
static int is_library_backtrace(const struct sigaction *a)
{
	uint64_t images;
	const struct vr_object *o = vr_object_find((uint64_t)a->sa_handler, &images);
	return o && strstr(o->name, "libgfortran");
}

int vr_bind_sigaction(int signal, const void *new, void *old)
{
	struct sigaction *a = actions(vr_current);
	if (signal <= 0 || signal >= SIGNALS || (new && (signal == SIGKILL || signal == SIGSTOP))) {
		vr_set_errno(EINVAL);
		return -1;
	}
	if (!a) {
		vr_set_errno(ENOMEM);
		return -1;
	}
	struct sigaction was = a[signal];
	if (new && !is_library_backtrace(new)) {
		a[signal] = *(const struct sigaction *)new;
		vr_signal_claim(signal);
	}
	if (old)
		*(struct sigaction *)old = was;
	return 0;
}

static void *install(int signal, void *handler, int flags)
{
	struct sigaction new = {.sa_handler = (void (*)(int))handler, .sa_flags = flags}, old;
	return vr_bind_sigaction(signal, &new, &old) ? (void *)SIG_ERR : (void *)old.sa_handler;
}

void *vr_bind_signal(int signal, void *handler)
{
	return install(signal, handler, SA_RESTART);
}

void *vr_bind_sysv_signal(int signal, void *handler)
{
	return install(signal, handler, SA_RESETHAND | SA_NODEFER);
}

int vr_signal_deliver(struct vr_rank *r, int signal, void *info, void *context)
{
	struct sigaction *a = r->actions ? &((struct sigaction *)r->actions)[signal] : NULL;
	if (!a || a->sa_handler == SIG_DFL)
		return 0;
	struct sigaction act = *a;
	if (act.sa_flags & SA_RESETHAND)
		a->sa_handler = SIG_DFL;
	if (act.sa_handler == SIG_IGN)
		return 1;
	if (act.sa_flags & SA_SIGINFO)
		act.sa_sigaction(signal, info, context);
	else
		act.sa_handler(signal);
	return 1;
}
