/* The resolver behind a TLS descriptor of a static block: the second word of the descriptor, whose address comes in
 * rax, is the offset from the thread pointer. All other registers stay as they are. */
	.text
	.globl	priv_tlsdesc_static
	.type	priv_tlsdesc_static, @function
priv_tlsdesc_static:
	movq	8(%rax), %rax
	ret
	.size	priv_tlsdesc_static, .-priv_tlsdesc_static
	.section	.note.GNU-stack, "", @progbits
