/* Registers of what a signal has interrupted. */
#include "vrank/core/registers_amd64.h"

#include <ucontext.h>

void vr_regs_take(const void *context, uint64_t *regs)
{
	static const int number[VR_REGS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
					    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	for (int i = 0; i < VR_REGS; i++)
		regs[i] = (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[number[i]];
}
