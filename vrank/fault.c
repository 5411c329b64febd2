/* Faults of ranks: SIGSEGV and kin while a rank runs are noted, the rank is given up, and the PE loop goes on to report
 * it. Faults of the runtime itself go on to the handlers that were there before, the Go runtime's. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "life.h"
#include "nudge.h"
#include "schedule.h"
#include "switch.h"

struct vr_fault vr_fault;

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
static struct sigaction before[NSIG];

#define ALT_STACK (64 << 10)

static void pass_on(int signal, siginfo_t *info, void *context)
{
	const struct sigaction *a = &before[signal];
	if (a->sa_flags & SA_SIGINFO && a->sa_sigaction) {
		a->sa_sigaction(signal, info, context);
		return;
	}
	struct sigaction dfl = {.sa_handler = SIG_DFL};
	sigaction(signal, &dfl, NULL); /* the instruction faults again, or the sender's kill ends us */
	if (signal == SIGABRT)
		raise(signal);
}

/* Continue on the PE's stack as if the rank had switched to it: the frame there is what vr_switch saved. */
static void escape(struct vr_rank *r, ucontext_t *uc)
{
	const struct vr_frame *f = vr_fault_escape(r);
	greg_t *g = uc->uc_mcontext.gregs;
	g[REG_R15] = f->r15;
	g[REG_R14] = f->r14;
	g[REG_R13] = f->r13;
	g[REG_R12] = f->r12;
	g[REG_RBX] = f->rbx;
	g[REG_RBP] = f->rbp;
	g[REG_RIP] = f->rip;
	g[REG_RSP] = (greg_t)(f + 1);
	if (uc->uc_mcontext.fpregs) {
		uc->uc_mcontext.fpregs->mxcsr = f->mxcsr;
		uc->uc_mcontext.fpregs->cwd = f->fpu_control;
	}
}

static int is_fault(int signal)
{
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (signals[i] == signal)
			return 1;
	return 0;
}

static void handler(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	struct vr_rank *r = vr_current;
	if (!r) {
		pass_on(signal, info, context);
		return;
	}
	if (vr_signal_deliver(r, signal, info, context))
		return;
	if (!is_fault(signal)) {
		pass_on(signal, info, context);
		return;
	}
	if (vr_thread) { /* the rank itself is somewhere else: nothing to give up here but the worker */
		vr_out_printf(r->id, 2, "ampirun: rank %d: %s in a thread that it started\n", r->id, sigabbrev_np(signal));
		sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		raise(signal);
		return;
	}
	vr_fault = (struct vr_fault){.signal = signal,
				     .code = info->si_code,
				     .address = (uint64_t)info->si_addr,
				     .pc = uc->uc_mcontext.gregs[REG_RIP],
				     .sp = uc->uc_mcontext.gregs[REG_RSP]};
	escape(r, uc);
}

static int claim(int signal)
{
	struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	return sigaction(signal, &act, &before[signal]);
}

void vr_signal_claim(int signal)
{
	struct sigaction now;
	if (signal != VR_NUDGE_SIGNAL && !sigaction(signal, NULL, &now) && now.sa_sigaction != handler)
		claim(signal);
}

const char *vr_fault_setup(void)
{
	static char stack[ALT_STACK];
	stack_t alt = {.ss_sp = stack, .ss_size = sizeof stack};
	stack_t has;
	if (sigaltstack(NULL, &has) || ((has.ss_flags & SS_DISABLE) && sigaltstack(&alt, NULL)))
		return strerror(errno);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (claim(signals[i]))
			return strerror(errno);
	return NULL;
}
