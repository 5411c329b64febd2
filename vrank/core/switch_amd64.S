/* The switch between stacks of user-level threads: System V ABI callee-saved registers, floating-point control words, and
   the exception flags of the x87 unit. To load those is slow, so it is done only where they differ, and not for inexact results
   alone, which any computation has. The flags of SSE are in mxcsr. */
	.text

	.macro	push_saved register
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \register, 0
	.endm

	.macro	pop_saved register
	popq	\register
	.cfi_adjust_cfa_offset -8
	.cfi_restore \register
	.endm

/* void vr_switch(void **save_sp, void *load_sp) */
	.globl	vr_switch
	.type	vr_switch, @function
	.p2align 4
vr_switch:
	.cfi_startproc
	push_saved %rbp
	push_saved %rbx
	push_saved %r12
	push_saved %r13
	push_saved %r14
	push_saved %r15
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	fnstsw	%ax
	movw	%ax, 6(%rsp)
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp			/* laid out alike, so the same rules unwind both stacks */
	ldmxcsr	(%rsp)
	xorw	6(%rsp), %ax
	testb	$0x5d, %al
	jnz	2f
	fldcw	4(%rsp)
1:
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	pop_saved %r15
	pop_saved %r14
	pop_saved %r13
	pop_saved %r12
	pop_saved %rbx
	pop_saved %rbp
	ret
2:	/* below the stack pointer: the environment of the unit, with other flags */
	fnstenv	-32(%rsp)
	movb	6(%rsp), %al
	movb	%al, -28(%rsp)
	movw	4(%rsp), %ax
	movw	%ax, -32(%rsp)
	fldenv	-32(%rsp)
	jmp	1b
	.cfi_endproc
	.size	vr_switch, .-vr_switch

/* First frame of a rank: calls the function in %rbx, which does not return. The undefined return address ends
   backtraces here. A rank that has not run yet has the function's beginning as return address, and unwinders look up
   what is one byte before a return address. */
	.globl	vr_switch_entry
	.type	vr_switch_entry, @function
	.p2align 4
	.cfi_startproc
	.cfi_undefined rip
	nop
vr_switch_entry:
	xorl	%ebp, %ebp
	movq	%r12, %rdi
	call	*%rbx
	ud2
	.cfi_endproc
	.size	vr_switch_entry, .-vr_switch_entry

	.section .note.GNU-stack,"",@progbits
