/* Where a rank goes on that was nudged: all registers are as they were, below the red zone lies
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
	movq	%rdx, %r8
	movl	$-1, %eax
	movl	$-1, %edx
	xsave64	(%rsp)
	fninit				/* others shall find the register stack empty, as at any call */
	movq	%r8, %rdx
	call	vr_nudge_rest			/* with %rdi, %rsi, %rdx as they were */
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
