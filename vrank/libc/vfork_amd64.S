/* pid_t vfork(void). The child runs on this stack until it executes another program, and overwrites the return address on it, so
   that is kept in a register, of which each of the two processes has its own. */
	.text
	.globl	vr_bind_vfork
	.type	vr_bind_vfork, @function
	.p2align 4
vr_bind_vfork:
	.cfi_startproc
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rdi
	movl	$58, %eax			/* SYS_vfork */
	syscall
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rip, 0
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	movl	%eax, %edi
	call	vr_vfork_after
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	vr_bind_vfork, .-vr_bind_vfork

	.section .note.GNU-stack,"",@progbits
