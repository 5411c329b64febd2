/* What arrives, and the handlers: see signals.h. */
#include "vrank/libc/signals.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vrank/core/abort.h"
#include "vrank/core/callback.h"
#include "vrank/core/idle.h"
#include "vrank/core/isolate.h"
#include "vrank/core/park.h"
#include "vrank/core/pin.h"
#include "vrank/core/progress_hook.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/schedule.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/objects.h"
#include "vrank/libc/preempt.h"
#include "vrank/libc/process.h"

#define RED_ZONE 128
#define RETRY 200000 /* nanoseconds until a rank that was in the runtime is tried again */
#define BIT(signal) (1ull << ((signal) - 1))

static pid_t pe_thread;
static timer_t retry;
static siginfo_t arrived_info[VR_SIGNALS];
static _Atomic uint64_t arrived;

static _Atomic int handling; /* ranks of this worker with handlers */

static const int not_for_ranks[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

struct vr_signals *vr_signals_of(struct vr_rank *r)
{
	if (!r->signals)
		r->signals = vr_rank_calloc(r, 1, sizeof *r->signals);
	return r->signals;
}

/* Blocked, these would stop the runtime from doing its work, or have the kernel end the worker without a word. */
void vr_mask_strip(sigset_t *set)
{
	for (size_t i = 0; i < sizeof not_for_ranks / sizeof *not_for_ranks; i++)
		sigdelset(set, not_for_ranks[i]);
	sigdelset(set, VR_PREEMPT_SIGNAL);
	sigdelset(set, VR_KICK_SIGNAL);
	sigdelset(set, VR_PARK_SIGNAL);
}

static void retry_in(long nanoseconds)
{
	timer_settime(retry, 0, &(struct itimerspec){.it_value.tv_nsec = nanoseconds}, NULL);
}

static uint64_t bits_of(const sigset_t *set)
{
	return *(const uint64_t *)set;
}

/* ---- whose signal is it? PE thread, in the kernel's handler ---- */

static uint64_t pending_of(const struct vr_rank *r)
{
	return r->signals ? atomic_load(&r->signals->pending) : 0;
}

static void announce_news(void)
{
	atomic_store(&vr_signals_news, 1);
	vr_pe_ring(vr_pe);
}

void vr_signal_post(struct vr_rank *r, int signal, const siginfo_t *info)
{
	struct vr_signals *s = r->signals;
	if (s->actions[signal].sa_handler == SIG_IGN && !(s->wanted & BIT(signal)))
		return;
	s->info[signal] = *info;
	s->info[signal].si_signo = signal;
	atomic_fetch_or(&s->pending, BIT(signal));
	announce_news();
}

static int wants(const struct vr_rank *r, int signal)
{
	const struct vr_signals *s = r->signals;
	return s && atomic_load(&r->context.state) != VR_ENDED && (s->actions[signal].sa_handler != SIG_DFL || (s->wanted & BIT(signal)));
}

/* Of several children that end at once the kernel tells of one only, so all are asked; each is told of once. */
static void announce(struct vr_rank *r, struct vr_child *c)
{
	siginfo_t info = {0};
	if (c->announced || waitid(P_PID, c->pid, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
		return;
	c->announced = 1;
	vr_signal_post(r, SIGCHLD, &info);
}

static void announce_children(void)
{
	for (struct vr_rank *r = vr_pe->all; r; r = r->all_next)
		if (r->process && wants(r, SIGCHLD))
			for (struct vr_child *c = r->process->children; c; c = c->next)
				announce(r, c);
}

void vr_child_announce(struct vr_child *c)
{
	if (!vr_thread && wants(vr_current, SIGCHLD))
		announce(vr_current, c);
}

/* One that stops or goes on. */
static struct vr_rank *parent_of(pid_t pid)
{
	for (struct vr_rank *r = vr_pe->all; r; r = r->all_next)
		for (const struct vr_child *c = r->process ? r->process->children : NULL; c; c = c->next)
			if (c->pid == pid)
				return r;
	return NULL;
}

static int post_one(struct vr_rank *r, int signal, const siginfo_t *info)
{
	if (!r || !wants(r, signal))
		return 0;
	vr_signal_post(r, signal, info);
	return 1;
}

static int is_from_here(const siginfo_t *info)
{
	return (info->si_code == SI_TKILL || info->si_code == SI_USER || info->si_code == SI_QUEUE) && info->si_pid == getpid();
}

/* From outside it is for all ranks of the worker, as a launcher signals all processes. */
static int post_all(int signal, const siginfo_t *info)
{
	int n = 0;
	for (struct vr_rank *r = vr_pe->all; r; r = r->all_next)
		if (wants(r, signal)) {
			vr_signal_post(r, signal, info);
			n++;
		}
	return n;
}

static int route(int signal, const siginfo_t *info, int on_pe)
{
	if (signal == SIGCHLD && info->si_code > 0) {
		announce_children();
		return info->si_code <= CLD_DUMPED || post_one(parent_of(info->si_pid), signal, info);
	}
	if (on_pe && vr_current && (is_from_here(info) || signal == SIGPIPE || signal == SIGSYS))
		return post_one(vr_current, signal, info);
	return post_all(signal, info);
}

static void route_arrived(void)
{
	uint64_t all = atomic_exchange(&arrived, 0);
	for (; all; all &= all - 1) {
		int signal = __builtin_ctzll(all) + 1;
		siginfo_t info = arrived_info[signal];
		route(signal, &info, 0);
	}
}

static uint64_t mask_while_away(const struct vr_rank *r)
{
	return r->signals && r->signals->has_mask ? bits_of(&r->signals->mask) : 0;
}

/* ---- running handlers at once ---- */

static int is_interruptible(uint64_t call)
{
	static const uint16_t calls[] = {SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_wait4, SYS_waitid, SYS_accept, SYS_accept4, SYS_connect, SYS_recvfrom,
					 SYS_recvmsg, SYS_sendto, SYS_sendmsg, SYS_flock, SYS_fcntl, SYS_open, SYS_openat, SYS_mq_timedsend, SYS_mq_timedreceive};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		if (calls[i] == call)
			return 1;
	return 0;
}

/* The kernel is about to repeat the system call; a handler set without SA_RESTART interrupts it. */
static void interrupt_call(const struct vr_signals *s, uint64_t now, greg_t *g)
{
	if (memcmp((const void *)g[REG_RIP], "\x0f\x05", 2) || !is_interruptible(g[REG_RAX]))
		return;
	for (; now; now &= now - 1) {
		if (s->actions[__builtin_ctzll(now) + 1].sa_flags & SA_RESTART)
			continue;
		g[REG_RAX] = -EINTR;
		g[REG_RIP] += 2;
		return;
	}
}

static int is_in_images(const struct vr_rank *r, uint64_t pc)
{
	uint64_t images;
	return vr_object_find(pc, &images) && images == r->images;
}

static void call_handlers(ucontext_t *c)
{
	struct vr_rank *r = vr_current;
	greg_t *g = c->uc_mcontext.gregs;
	uint64_t now = r ? pending_of(r) & ~bits_of(&c->uc_sigmask) : 0;
	if (!now || vr_thread || vr_in_callbacks || vr_progress_hooks.held || vr_progress_hooks.running || !is_in_images(r, g[REG_RIP]))
		return;
	memcpy(r->signals->context.uc_mcontext.gregs, g, sizeof(gregset_t));
	r->signals->context.uc_sigmask = c->uc_sigmask;
	interrupt_call(r->signals, now, g);
	uint64_t *top = (uint64_t *)(g[REG_RSP] - RED_ZONE) - 1;
	*top = g[REG_RIP];
	g[REG_RSP] = (greg_t)top;
	g[REG_RIP] = (greg_t)vr_signal_enter;
}

/* What is pending although it is not blocked is tried again soon. A rank that was ready when the PE looked may have gone to sleep since. */
static void try_again(const ucontext_t *c)
{
	for (struct vr_rank *r = vr_pe->all; r; r = r->all_next) {
		uint64_t mask = r == vr_current ? bits_of(&c->uc_sigmask) : mask_while_away(r);
		if (!(pending_of(r) & ~mask))
			continue;
		retry_in(r == vr_current ? RETRY : 5 * RETRY);
		if (r != vr_current)
			announce_news();
		return;
	}
}

static void kick_handler(int signal, siginfo_t *info, void *context)
{
	int error = errno;
	(void)signal;
	vr_isolate_open();
	if (info->si_code == SI_TIMER && info->si_value.sival_ptr)
		vr_timer_fired(info->si_value.sival_ptr, info);
	route_arrived();
	try_again(context);
	call_handlers(context);
	errno = error;
}

int vr_signal_arrive(int signal, siginfo_t *info, ucontext_t *context)
{
	int taken = 1, error = errno;
	if (vr_gettid() == pe_thread) {
		taken = route(signal, info, 1);
		try_again(context);
		call_handlers(context);
	} else {
		arrived_info[signal] = *info;
		atomic_fetch_or(&arrived, BIT(signal));
		syscall(SYS_tgkill, getpid(), pe_thread, VR_KICK_SIGNAL);
	}
	errno = error;
	return taken;
}

/* ---- handlers ---- */

int vr_signal_take(struct vr_signals *s, uint64_t set, int even_blocked, siginfo_t *info)
{
	sigset_t all, before;
	if (!(atomic_load(&s->pending) & set))
		return 0;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	uint64_t now = atomic_load(&s->pending) & set & (even_blocked ? ~0ull : ~bits_of(&before));
	int signal = now ? __builtin_ctzll(now) + 1 : 0;
	if (signal) {
		*info = s->info[signal];
		atomic_fetch_and(&s->pending, ~BIT(signal));
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return signal;
}

static int is_ignored_by_default(int signal)
{
	return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

static void call_handler(const struct sigaction *a, int signal, siginfo_t *info, void *context)
{
	int was_open = vr_isolate_close();
	if (a->sa_flags & SA_SIGINFO)
		a->sa_sigaction(signal, info, context);
	else
		a->sa_handler(signal);
	if (was_open)
		vr_isolate_open();
}

/* The signals that are to be blocked meanwhile are blocked for this rank only, should the handler let others run. */
static void run_handler(struct vr_signals *s, siginfo_t *info)
{
	int signal = info->si_signo;
	struct sigaction a = s->actions[signal];
	sigset_t block = a.sa_mask, before;
	if (a.sa_handler == SIG_IGN || (a.sa_handler == SIG_DFL && is_ignored_by_default(signal)))
		return;
	if (a.sa_handler == SIG_DFL)
		vr_job_abort(128 + signal, "SIG%s arrived, for which it has no handler", vr_signal_name(signal));
	if (a.sa_flags & SA_RESETHAND) {
		s->actions[signal].sa_handler = SIG_DFL;
		vr_handlers_note(s, signal);
	}
	if (!(a.sa_flags & SA_NODEFER))
		sigaddset(&block, signal);
	vr_mask_strip(&block);
	vr_mask_begin();
	pthread_sigmask(SIG_BLOCK, &block, &before);
	s->handled++;
	s->interrupts += !(a.sa_flags & SA_RESTART);
	ucontext_t context = s->context;
	vr_timer_delivered(s, info);
	call_handler(&a, signal, info, &context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	vr_mask_end();
}

void vr_signals_run(void)
{
	struct vr_signals *s = vr_current->signals;
	siginfo_t info;
	while (s && vr_signal_take(s, ~0ull, 0, &info))
		run_handler(s, &info);
}

/* A fault, in the kernel's handler: on the alternate stack of the rank if it wants that, else on the thread's. */
static void call_for_fault(const struct vr_signals *s, const struct sigaction *a, int signal, siginfo_t *info, void *context)
{
	if (!(a->sa_flags & SA_ONSTACK) || !s->stack.ss_sp || s->stack.ss_flags & SS_DISABLE) {
		call_handler(a, signal, info, context);
		return;
	}
	sigset_t all, before;
	sigfillset(&all);
	vr_mask_strip(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	vr_isolate_close();
	vr_signal_call_on((char *)s->stack.ss_sp + s->stack.ss_size, (void *)a->sa_sigaction, signal, info, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

int vr_signal_deliver(struct vr_rank *r, int signal, void *info, void *context)
{
	struct vr_signals *s = r->signals;
	struct sigaction *a = s ? &s->actions[signal] : NULL;
	if (!a || a->sa_handler == SIG_DFL)
		return 0;
	struct sigaction act = *a;
	if (act.sa_flags & SA_RESETHAND)
		a->sa_handler = SIG_DFL;
	if (act.sa_handler != SIG_IGN)
		call_for_fault(s, &act, signal, info, context);
	return 1;
}

/* ---- ranks that sleep: PE stack ---- */

static void run_on_fiber(void *arg)
{
	struct vr_signals *s = arg;
	vr_signals_run();
	s->fiber = 0;
}

static void wake_or_run(struct vr_rank *r)
{
	struct vr_signals *s = r->signals;
	uint32_t state = atomic_load_explicit(&r->context.state, memory_order_relaxed);
	if (state == VR_SLEEPING && s->waits)
		vr_rank_rouse(&r->context);
	else if ((state == VR_BLOCKED || state == VR_SLEEPING) && !s->fiber)
		s->fiber = !vr_fiber_start(r, &s->call, run_on_fiber, s);
}

void vr_signals_poll(void)
{
	atomic_store(&vr_signals_news, 0);
	for (struct vr_rank *r = vr_pe->all; r; r = r->all_next) {
		uint64_t pending = pending_of(r);
		if (pending && atomic_load(&r->context.state) != VR_ENDED && (pending & (~mask_while_away(r) | r->signals->wanted)))
			wake_or_run(r);
	}
	retry_in(RETRY); /* for the next one that runs */
}

/* ---- what may still come ---- */

void vr_handlers_note(struct vr_signals *s, int signal)
{
	uint64_t before = s->handlers;
	int is_function = s->actions[signal].sa_handler != SIG_DFL && s->actions[signal].sa_handler != SIG_IGN;
	for (size_t i = 0; i < sizeof not_for_ranks / sizeof *not_for_ranks; i++)
		is_function &= signal != not_for_ranks[i];
	s->handlers = is_function ? before | BIT(signal) : before & ~BIT(signal);
	handling += !!s->handlers - !!before;
}

static int has_child(const struct vr_rank *r)
{
	for (const struct vr_child *c = r->process ? r->process->children : NULL; c; c = c->next)
		if (!c->announced)
			return 1;
	return 0;
}

/* Anybody may send any signal but for SIGCHLD, which comes from children. */
int vr_signals_may_come(void)
{
	for (const struct vr_rank *r = handling ? vr_pe->all : NULL; r; r = r->all_next) {
		uint64_t handlers = r->signals ? r->signals->handlers : 0;
		if (handlers & ~BIT(SIGCHLD) || (handlers && has_child(r)))
			return 1;
	}
	return 0;
}

void vr_signals_end(struct vr_rank *r)
{
	vr_timers_end(r);
	if (!r->signals)
		return;
	handling -= !!r->signals->handlers;
	r->signals->handlers = 0;
}

/* ---- masks ---- */

static struct vr_rank *mask_of; /* the thread's mask is this rank's */
static sigset_t base_mask;

void vr_mask_begin(void)
{
	struct vr_signals *s = vr_signals_of(vr_current);
	if (s)
		s->masks++;
	else
		vr_rank_pin(vr_current, "its slice is full");
	if (!vr_masks++)
		mask_of = vr_current;
}

void vr_mask_end(void)
{
	if (vr_current->signals)
		vr_current->signals->masks--;
	vr_masks--;
}

void vr_mask_enter(struct vr_rank *r)
{
	struct vr_signals *old = mask_of ? mask_of->signals : NULL;
	sigset_t was;
	if (r == mask_of)
		return;
	pthread_sigmask(SIG_SETMASK, r->signals && r->signals->has_mask ? &r->signals->mask : &base_mask, &was);
	if (old) {
		old->mask = was;
		old->has_mask = 1;
	}
	mask_of = r;
}

/* ---- going and coming ---- */

void vr_signals_leave(struct vr_rank *r)
{
	struct vr_signals *s = r->signals;
	if (!s)
		return;
	vr_timers_leave(r);
	if (mask_of == r) {
		pthread_sigmask(SIG_SETMASK, &base_mask, &s->mask);
		s->has_mask = 1;
		mask_of = NULL;
	}
	vr_masks -= s->masks;
	handling -= !!s->handlers;
}

const char *vr_signals_adopt(struct vr_rank *r)
{
	struct vr_signals *s = r->signals;
	if (!s)
		return NULL;
	for (int i = 1; i < VR_SIGNALS; i++)
		if (s->actions[i].sa_handler != SIG_DFL || (s->wanted & BIT(i)))
			vr_core_hooks.claim_signal(i);
	if (!vr_masks)
		mask_of = NULL; /* the thread's mask is that of all others */
	vr_masks += s->masks;
	handling += !!s->handlers;
	int error = vr_timers_adopt(r);
	if (pending_of(r)) {
		atomic_store(&vr_signals_news, 1);
		retry_in(RETRY); /* should it run, and not sleep */
	}
	return error ? "its timers cannot be made here (see ulimit -i)" : NULL;
}

/* ---- once ---- */

int vr_kick_timer(clockid_t clock, void *value, timer_t *out)
{
	struct sigevent e = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = VR_KICK_SIGNAL, .sigev_value.sival_ptr = value};
	e._sigev_un._tid = pe_thread;
	return timer_create(clock, &e, out) ? errno : 0;
}

const char *vr_signals_setup(void)
{
	struct sigaction act = {.sa_sigaction = kick_handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	pe_thread = vr_gettid();
	if (vr_preempt_prepare())
		return "the processor has no XSAVE";
	pthread_sigmask(SIG_SETMASK, NULL, &base_mask);
	int error = sigaction(VR_KICK_SIGNAL, &act, NULL) ? errno : vr_kick_timer(CLOCK_MONOTONIC, NULL, &retry);
	return error ? strerror(error) : NULL;
}

/* A child has the process to itself: what its rank does not handle is the kernel's, not the worker's. */
void vr_signals_drain(void)
{
	struct vr_signals *s = vr_current->signals;
	vr_pe->all = vr_current;
	vr_current->all_next = NULL;
	for (int signal = 1; signal < VR_SIGNALS; signal++) {
		struct sigaction act = {.sa_handler = s && s->actions[signal].sa_handler == SIG_IGN ? SIG_IGN : SIG_DFL};
		int is_function = s && s->actions[signal].sa_handler != SIG_IGN && s->actions[signal].sa_handler != SIG_DFL;
		if (!is_function && !vr_core_hooks.is_fault_signal(signal) && signal != VR_PREEMPT_SIGNAL && signal != VR_KICK_SIGNAL)
			sigaction(signal, &act, NULL);
	}
	if (s)
		atomic_store(&s->pending, 0);
	vr_timers_forget(vr_current);
	vr_signals_setup();
}
