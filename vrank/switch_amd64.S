/* The switch between stacks of user-level threads: System V ABI callee-saved registers and floating-point control words. */
	.text

/* void vr_switch(void **save_sp, void *load_sp) */
	.globl	vr_switch
	.type	vr_switch, @function
	.p2align 4
vr_switch:
	.cfi_startproc
	pushq	%rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	subq	$8, %rsp
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	addq	$8, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	ret
	.cfi_endproc
	.size	vr_switch, .-vr_switch

/* First frame of a rank: calls the function in %rbx, which does not return. The undefined return address ends
   backtraces here. */
	.globl	vr_switch_entry
	.type	vr_switch_entry, @function
	.p2align 4
vr_switch_entry:
	.cfi_startproc
	.cfi_undefined rip
	xorl	%ebp, %ebp
	movq	%r12, %rdi
	call	*%rbx
	ud2
	.cfi_endproc
	.size	vr_switch_entry, .-vr_switch_entry

	.section .note.GNU-stack,"",@progbits
