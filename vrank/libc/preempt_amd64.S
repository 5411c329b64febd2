/* Where a rank goes on that was preempted, or that has a signal's handler to run: all registers are as they were, below the red
   zone lies the address to go back to. */
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

	/* All but the register of protection keys, which says what this process lets the rank touch (vrank/core/isolate.h). */
	.set	COMPONENTS, ~(1 << 9) & 0xffffffff

	.macro ENTER name, function
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_escape 0x15, 0x07, 0x70	/* DW_CFA_val_offset_sf rsp, -16 * -8: the red zone. gas before 2.36 takes no .cfi_val_offset here */
	pushfq
	.cfi_adjust_cfa_offset 8
	push_saved %rax
	push_saved %rcx
	push_saved %rdx
	push_saved %rbx
	push_saved %rbp
	push_saved %rsi
	push_saved %rdi
	push_saved %r8
	push_saved %r9
	push_saved %r10
	push_saved %r11
	push_saved %r12
	push_saved %r13
	push_saved %r14
	push_saved %r15
	cld
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	subq	vr_preempt_xsave_bytes(%rip), %rsp
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
	movl	$COMPONENTS, %eax
	movl	$-1, %edx
	xsave64	(%rsp)
	fninit				/* others shall find the register stack empty, as at any call */
	movq	%r8, %rdx
	movq	%rsp, %rcx
	call	\function			/* with %rdi, %rsi, %rdx as they were, and in %rcx what is saved */
	movl	$COMPONENTS, %eax
	movl	$-1, %edx
	xrstor64 (%rsp)
	movq	%rbp, %rsp
	.cfi_def_cfa_register rsp
	pop_saved %r15
	pop_saved %r14
	pop_saved %r13
	pop_saved %r12
	pop_saved %r11
	pop_saved %r10
	pop_saved %r9
	pop_saved %r8
	pop_saved %rdi
	pop_saved %rsi
	pop_saved %rbp
	pop_saved %rbx
	pop_saved %rdx
	pop_saved %rcx
	pop_saved %rax
	popfq
	.cfi_adjust_cfa_offset -8
	ret	$128
	.cfi_endproc
	.size	\name, .-\name
	.endm

	.text
	ENTER vr_preempt_enter, vr_preempt_rest
	ENTER vr_signal_enter, vr_signals_run

	.section .note.GNU-stack,"",@progbits
