/* Thunks of pinning_calls.c: note that the rank stays, and go on in the function of the rank's C library with all arguments as they are. */
	.text
	.type	stay, @function
stay:
	.cfi_startproc
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	pushq	%rax			/* how many vector registers have arguments */
	subq	$128, %rsp
	.cfi_adjust_cfa_offset 184
	movaps	%xmm0, (%rsp)
	movaps	%xmm1, 16(%rsp)
	movaps	%xmm2, 32(%rsp)
	movaps	%xmm3, 48(%rsp)
	movaps	%xmm4, 64(%rsp)
	movaps	%xmm5, 80(%rsp)
	movaps	%xmm6, 96(%rsp)
	movaps	%xmm7, 112(%rsp)
	movl	%r11d, %edi
	call	vr_stay
	movq	%rax, %r11
	movaps	(%rsp), %xmm0
	movaps	16(%rsp), %xmm1
	movaps	32(%rsp), %xmm2
	movaps	48(%rsp), %xmm3
	movaps	64(%rsp), %xmm4
	movaps	80(%rsp), %xmm5
	movaps	96(%rsp), %xmm6
	movaps	112(%rsp), %xmm7
	addq	$128, %rsp
	popq	%rax
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	.cfi_adjust_cfa_offset -184
	jmp	*%r11
	.cfi_endproc
	.size	stay, .-stay

	.set	index, 0

#define VR_PINNING_CALLS(name, why)			 \
	.globl	vr_pinning_##name			;\
	.type	vr_pinning_##name, @function	;\
	.p2align 4				;\
vr_pinning_##name:					;\
	movl	$index, %r11d			;\
	jmp	stay				;\
	.size	vr_pinning_##name, .-vr_pinning_##name	;\
	.set	index, index + 1		;
#include "vrank/libc/pinning_calls.h"
#include "vrank/libc/pinning_calls_shared.h"

	.section .note.GNU-stack,"",@progbits
