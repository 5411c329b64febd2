/* Faults of ranks: SIGSEGV and kin while a rank runs are noted, the rank is given up, and the PE loop goes on to report
 * it. Faults of the runtime itself go on to the handlers that were there before, the Go runtime's. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "vrank/core/access.h"
#include "vrank/core/isolate.h"
#include "vrank/core/output.h"
#include "vrank/core/park.h"
#include "vrank/core/schedule.h"
#include "vrank/core/switch.h"
#include "vrank/fault/coredump.h"
#include "vrank/fault/fault.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/preempt.h"
#include "vrank/libc/process.h"
#include "vrank/libc/signals.h"

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
		uc->uc_mcontext.fpregs->swd = f->fpu_status;
	}
	if (vr_isolated)
		vr_pkru_set_interrupted(uc, VR_PKRU_OPEN);
}

/* ---- dying of it ---- */

static struct {
	struct vr_context *by; /* set while the fault is to be repeated */
	gregset_t registers;
	struct _libc_fpstate fp;
} last;

static void note(struct vr_rank *r, int signal, const siginfo_t *info, const ucontext_t *uc)
{
	const greg_t *g = uc->uc_mcontext.gregs;
	vr_fault = (struct vr_fault){.signal = signal, .code = info->si_code, .address = (uint64_t)info->si_addr, .is_store = vr_fault_is_store(uc)};
	vr_regs_take(uc, vr_fault.regs);
	memcpy(last.registers, g, sizeof last.registers);
	if (uc->uc_mcontext.fpregs)
		last.fp = *uc->uc_mcontext.fpregs;
	escape(r, (ucontext_t *)uc);
}

/* Back to the rank's registers, with the default action: an instruction faults again, a signal that was sent is sent again. */
static void repeat(int signal, ucontext_t *uc)
{
	memcpy(uc->uc_mcontext.gregs, last.registers, sizeof last.registers);
	if (uc->uc_mcontext.fpregs)
		*uc->uc_mcontext.fpregs = last.fp;
	if (vr_isolate_close())
		vr_pkru_set_interrupted(uc, vr_pkru_get());
	sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
	if (vr_fault.code <= 0 || signal == SIGTRAP)
		raise(signal); /* comes when this handler has returned */
}

void vr_fault_repeat(struct vr_context *context)
{
	last.by = context;
	vr_context = context;
	vr_current = context->rank;
	raise(vr_fault.signal);
	_exit(128 + vr_fault.signal);
}

int vr_fault_is(int signal)
{
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (signals[i] == signal)
			return 1;
	return 0;
}

/* A message comes for a rank that has given its own memory back, and the PE itself copies it: that rank's fault, and not the runtime's. */
static void end_if_stray(uint64_t address)
{
	char place[80];
	int32_t id = vr_access_describe(NULL, address, place, sizeof place);
	if (id < 0 || vr_is_child())
		return;
	vr_out_printf(id, 2, "ampirun: rank %d: SIGSEGV at address %#llx, %s, to which a message was to be received\n", id, (unsigned long long)address, place);
	_exit(128 + SIGSEGV);
}

/* In a thread or a process that the rank has started. */
static void report_elsewhere(const struct vr_rank *r, int signal, const siginfo_t *info)
{
	char place[80] = "";
	if (signal == SIGSEGV)
		vr_access_describe(r, (uint64_t)info->si_addr, place, sizeof place);
	vr_out_printf(r->id, 2, "ampirun: rank %d: SIG%s in a %s that it started%s%s\n", r->id, vr_signal_name(signal), vr_is_child() ? "process" : "thread",
		      *place ? ": the address is " : "", place);
}

static void handler(int signal, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	struct vr_rank *r = vr_current;
	vr_isolate_open();
	if (last.by) {
		repeat(signal, uc);
		return;
	}
	if (signal == SIGTRAP && vr_isolate_stepped(uc))
		return;
	if (vr_isolated && signal == SIGSEGV && info->si_code == SEGV_PKUERR && vr_isolate_admit((uint64_t)info->si_addr, uc))
		return;
	if (signal == SIGSEGV && info->si_code == SEGV_MAPERR && vr_access_admit((uint64_t)info->si_addr, (uint64_t)uc->uc_mcontext.gregs[REG_RIP]))
		return;
	if (!vr_fault_is(signal) && !(vr_thread && info->si_code == SI_TKILL)) {
		if (!vr_signal_arrive(signal, info, uc))
			pass_on(signal, info, context);
		return;
	}
	if (!r) {
		if (signal == SIGSEGV)
			end_if_stray((uint64_t)info->si_addr);
		pass_on(signal, info, context);
		return;
	}
	if (vr_signal_deliver(r, signal, info, context))
		return;
	if (!vr_fault_is(signal)) {
		pass_on(signal, info, context);
		return;
	}
	if (vr_thread || vr_is_child()) { /* the rank itself is somewhere else: nothing to give up here but the process */
		report_elsewhere(r, signal, info);
		if (!vr_is_child() && vr_core_wanted())
			vr_core_prepare();
		sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		raise(signal);
		return;
	}
	note(r, signal, info, uc);
}

static int claim(int signal)
{
	struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	return sigaction(signal, &act, &before[signal]);
}

void vr_signal_claim(int signal)
{
	struct sigaction now;
	if (signal == SIGURG) /* the Go runtime's own; a rank gets it from itself only */
		return;
	if (signal != VR_PREEMPT_SIGNAL && signal != VR_KICK_SIGNAL && signal != VR_PARK_SIGNAL && !sigaction(signal, NULL, &now) && now.sa_sigaction != handler)
		claim(signal);
}

int vr_signal_is_claimed(int signal)
{
	struct sigaction now;
	return !sigaction(signal, NULL, &now) && now.sa_sigaction == handler;
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
	signal(SIGXCPU, SIG_DFL); /* the manager says what it means; Go would print its stacks */
	const char *why = vr_signals_setup();
	return why ? why : vr_park_setup();
}
