/* Registers of what a signal has interrupted. */
#include "vrank/core/registers_amd64.h"

#include <string.h>
#include <ucontext.h>

void vr_regs_take(const void *context, uint64_t *regs)
{
	static const int number[VR_REGS] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
					    REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
	for (int i = 0; i < VR_REGS; i++)
		regs[i] = (uint64_t)((const ucontext_t *)context)->uc_mcontext.gregs[number[i]];
}

uint64_t vr_regs_vectors(const void *context)
{
	const struct _libc_fpstate *fp = ((const ucontext_t *)context)->uc_mcontext.fpregs;
	uint64_t sum = 0;
	if (!fp)
		return 0;
	for (const char *at = (const char *)fp->_st; at < (const char *)(fp->_xmm + 16); at += 8) {
		uint64_t word;
		memcpy(&word, at, 8);
		sum = (sum ^ word) * 0x100000001b3;
	}
	return sum;
}
