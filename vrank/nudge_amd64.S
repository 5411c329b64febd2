/* Where a rank goes on that was nudged while it slept in a futex call: all registers are as they were, below the red zone lies
   the address to go back to. */
	.text
	.globl	vr_nudge_enter
	.type	vr_nudge_enter, @function
	.p2align 4
vr_nudge_enter:
	.cfi_startproc
	.cfi_undefined rip
	pushfq
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rbx
	pushq	%rbp
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	cld
	movq	%rsp, %rbp
	subq	vr_nudge_xsave_bytes(%rip), %rsp
	andq	$-64, %rsp
	xorl	%ecx, %ecx
	movq	%rcx, 512(%rsp)		/* the header of the area, which xsave does not write in full */
	movq	%rcx, 520(%rsp)
	movq	%rcx, 528(%rsp)
	movq	%rcx, 536(%rsp)
	movq	%rcx, 544(%rsp)
	movq	%rcx, 552(%rsp)
	movq	%rcx, 560(%rsp)
	movq	%rcx, 568(%rsp)
	movl	$-1, %r8d
	movl	%eax, %r9d
	movl	%edx, %r10d
	movl	%r8d, %eax
	movl	%r8d, %edx
	xsave64	(%rsp)
	movl	%r9d, %eax
	movl	%r10d, %edx
	/* vr_nudge_rest(futex's address, operation, value, system call's number) */
	movl	%eax, %ecx
	call	vr_nudge_rest
	movl	$-1, %eax
	movl	$-1, %edx
	xrstor64 (%rsp)
	movq	%rbp, %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rbp
	popq	%rbx
	popq	%rdx
	popq	%rcx
	popq	%rax
	popfq
	ret	$128
	.cfi_endproc
	.size	vr_nudge_enter, .-vr_nudge_enter

	.section .note.GNU-stack,"",@progbits
