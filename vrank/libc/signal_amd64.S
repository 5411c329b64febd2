/* void vr_signal_call_on(void *top, void *handler, int signal, void *info, void *context): call the handler on the stack that ends at
   top. One that leaves by siglongjmp leaves this one too. */
	.text
	.globl	vr_signal_call_on
	.type	vr_signal_call_on, @function
	.p2align 4
vr_signal_call_on:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	andq	$-16, %rdi
	movq	%rdi, %rsp
	movq	%rsi, %rax
	movl	%edx, %edi
	movq	%rcx, %rsi
	movq	%r8, %rdx
	call	*%rax
	movq	%rbp, %rsp
	popq	%rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	vr_signal_call_on, .-vr_signal_call_on

	.section .note.GNU-stack,"",@progbits
