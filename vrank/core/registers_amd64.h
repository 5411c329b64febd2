/* Registers of a context, for whoever walks its stack. */
#ifndef VRANK_REGISTERS_AMD64_H
#define VRANK_REGISTERS_AMD64_H

#include <stdint.h>

/* Registers by their numbers in DWARF for x86-64: rax rdx rcx rbx rsi rdi rbp rsp r8 ... r15, and the address of the code. */
enum { VR_REG_RBX = 3, VR_REG_RBP = 6, VR_REG_RSP = 7, VR_REG_R12 = 12, VR_REG_RIP = 16, VR_REGS };

/* The registers of a handler's ucontext_t. Any thread. */
void vr_regs_take(const void *context, uint64_t *regs);

/* A sum over those of them for floating-point numbers and vectors, which tells whether they have changed. Any thread. */
uint64_t vr_regs_vectors(const void *context);

#endif
