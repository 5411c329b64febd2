/* The calls by which a rank sets, sends, blocks and awaits signals: see signals.h. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vrank/libc/bind.h"
#include "vrank/libc/objects.h"
#include "vrank/libc/process.h"
#include "vrank/libc/signals.h"
#include "vrank/libc/wait.h"

#define BIT(signal) (1ull << ((signal) - 1))

static int fail(int error)
{
	vr_set_errno(error);
	return -1;
}

static int result(int error)
{
	return error ? fail(error) : 0;
}

static int is_signal(int signal)
{
	return signal > 0 && signal < VR_SIGNALS;
}

static struct vr_signals *mine(void)
{
	return vr_signals_of(vr_current);
}

/* ---- actions ---- */

/* libgfortran asks for backtraces of faults; the runtime's own report names rank, function and line. */
static int is_library_backtrace(const struct sigaction *a)
{
	uint64_t images;
	const struct vr_object *o = vr_object_find((uint64_t)a->sa_handler, &images);
	return o && strstr(o->name, "libgfortran");
}

/* In a child without a handler the kernel acts, so that it does after an exec too. */
static void set_action(struct vr_signals *s, int signal, const struct sigaction *a)
{
	int is_function = a->sa_handler != SIG_DFL && a->sa_handler != SIG_IGN;
	s->actions[signal] = *a;
	vr_handlers_note(s, signal);
	if (is_function)
		vr_core_hooks.claim_signal(signal);
	else if (vr_is_child() && !vr_core_hooks.is_fault_signal(signal))
		sigaction(signal, a, NULL);
}

int vr_bind_sigaction(int signal, const void *new, void *old)
{
	struct vr_signals *s = mine();
	if (!is_signal(signal) || (new && (signal == SIGKILL || signal == SIGSTOP)))
		return fail(EINVAL);
	if (!s)
		return fail(ENOMEM);
	struct sigaction was = s->actions[signal];
	if (new && !is_library_backtrace(new))
		set_action(s, signal, new);
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

int vr_bind_siginterrupt(int signal, int interrupts)
{
	struct vr_signals *s = mine();
	if (!is_signal(signal) || !s)
		return fail(s ? EINVAL : ENOMEM);
	if (interrupts)
		s->actions[signal].sa_flags &= ~SA_RESTART;
	else
		s->actions[signal].sa_flags |= SA_RESTART;
	return 0;
}

int vr_bind_sigaltstack(const void *new, void *old)
{
	struct vr_signals *s = mine();
	const stack_t *n = new;
	if (!s || (n && !(n->ss_flags & SS_DISABLE) && n->ss_size < 2048))
		return fail(ENOMEM);
	stack_t was = s->stack;
	if (!was.ss_sp)
		was.ss_flags = SS_DISABLE;
	if (n)
		s->stack = *n;
	if (old)
		*(stack_t *)old = was;
	return 0;
}

/* ---- sending ---- */

/* A rank sends to itself: its handler has run when this returns, unless it blocks the signal. 0 when the signal has no handler. */
static int send_self(int signal, int code, union sigval value)
{
	struct vr_signals *s = vr_current->signals;
	siginfo_t info = {.si_signo = signal, .si_code = code};
	if (!s || vr_thread || (s->actions[signal].sa_handler == SIG_DFL && !(s->wanted & BIT(signal))))
		return 0;
	info.si_pid = getpid();
	info.si_uid = getuid();
	info.si_value = value;
	vr_signal_post(vr_current, signal, &info);
	vr_signals_run();
	return 1;
}

int vr_bind_raise(int signal)
{
	if (signal && !is_signal(signal))
		return fail(EINVAL);
	if (signal && send_self(signal, SI_TKILL, (union sigval){0}))
		return 0;
	return syscall(SYS_tgkill, getpid(), vr_gettid(), signal) ? fail(errno) : 0;
}

/* The worker's number is the number of all its ranks: each means itself. */
int vr_bind_kill(pid_t pid, int signal)
{
	if (pid == getpid() && is_signal(signal) && send_self(signal, SI_USER, (union sigval){0}))
		return 0;
	return kill(pid, signal) ? fail(errno) : 0;
}

int vr_bind_sigqueue(pid_t pid, int signal, const union sigval value)
{
	if (pid == getpid() && is_signal(signal) && send_self(signal, SI_QUEUE, value))
		return 0;
	return sigqueue(pid, signal, value) ? fail(errno) : 0;
}

int vr_bind_pthread_kill(uint64_t thread, int signal)
{
	if (thread == (uint64_t)pthread_self() && is_signal(signal) && send_self(signal, SI_TKILL, (union sigval){0}))
		return 0;
	return pthread_kill(thread, signal);
}

/* ---- blocking ---- */

int vr_bind_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	struct vr_signals *s = set ? mine() : NULL;
	sigset_t stripped;
	if (set) {
		stripped = *set;
		vr_mask_strip(&stripped);
	}
	if (s && !vr_thread && how != SIG_UNBLOCK && *(uint64_t *)&stripped) {
		s->wanted |= *(uint64_t *)&stripped;
		if (!s->blocks++)
			vr_mask_begin(); /* for good */
	}
	int error = pthread_sigmask(how, set ? &stripped : NULL, old);
	if (!error && s && !vr_thread)
		vr_signals_run();
	return error;
}

int vr_bind_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return result(vr_bind_pthread_sigmask(how, set, old));
}

int vr_bind_sigpending(sigset_t *set)
{
	const struct vr_signals *s = vr_current->signals;
	sigset_t blocked;
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	sigemptyset(set);
	if (s)
		*(uint64_t *)set = atomic_load(&s->pending) & *(uint64_t *)&blocked;
	return 0;
}

/* ---- waiting ---- */

/* Until a handler has run. */
static int await_handler(struct vr_signals *s)
{
	uint64_t before = s->handled;
	vr_signals_run();
	while (s->handled == before)
		vr_pause(&(struct vr_pause){1000000000, 0, 1});
	return fail(EINTR);
}

int vr_bind_pause(void)
{
	if (vr_thread)
		return pause() ? fail(errno) : 0;
	return mine() ? await_handler(mine()) : fail(ENOMEM);
}

int vr_bind_sigsuspend(const sigset_t *set)
{
	sigset_t before, stripped = *set;
	if (vr_thread)
		return sigsuspend(set) ? fail(errno) : 0;
	if (!mine())
		return fail(ENOMEM);
	vr_mask_strip(&stripped);
	vr_mask_begin();
	pthread_sigmask(SIG_SETMASK, &stripped, &before);
	await_handler(mine());
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	vr_mask_end();
	return -1;
}

/* The lowest of `set` that is pending: taken, not handled. */
static int take(struct vr_signals *s, uint64_t set, siginfo_t *out)
{
	siginfo_t info;
	int signal = vr_signal_take(s, set, 1, &info);
	if (signal)
		vr_timer_delivered(s, &info);
	if (signal && out)
		*out = info;
	return signal;
}

static void claim_all(uint64_t set)
{
	for (; set; set &= set - 1)
		vr_core_hooks.claim_signal(__builtin_ctzll(set) + 1);
}

int vr_bind_sigtimedwait(const sigset_t *wanted, siginfo_t *info, const struct timespec *t)
{
	struct vr_signals *s = mine();
	uint64_t set = *(const uint64_t *)wanted, before = s ? s->handled : 0;
	struct vr_pause pause = vr_pause_for(t ? t->tv_sec * 1000000000ll + t->tv_nsec : -1);
	int signal, error = 0;
	if (vr_thread)
		return (signal = sigtimedwait(wanted, info, t)) < 0 ? fail(errno) : signal;
	if (!s)
		return fail(ENOMEM);
	claim_all(set & ~s->wanted);
	s->wanted |= set;
	while (!(signal = take(s, set, info)) && !error) {
		error = vr_pause(&pause);
		if (error == EINTR && s->handled == before)
			error = 0;
	}
	return signal ? signal : fail(error == ETIMEDOUT ? EAGAIN : error);
}

int vr_bind_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return vr_bind_sigtimedwait(set, info, NULL);
}

int vr_bind_sigwait(const sigset_t *set, int *signal)
{
	int got;
	while ((got = vr_bind_sigtimedwait(set, NULL, NULL)) < 0)
		;
	*signal = got;
	return 0;
}
