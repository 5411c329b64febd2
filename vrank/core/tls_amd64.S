/* The reserve for thread-local variables of ranks: 2 MiB (VR_TLS_RESERVE) that end exactly at the thread pointer. Linkers put .tcommon behind all
 * other thread-local variables without initial values, in whatever order they come. */
#include "vrank/core/tls_reserve.h"

	.section .tcommon, "awT", @nobits
	.globl vr_tls_reserve
	.type vr_tls_reserve, @object
	.size vr_tls_reserve, VR_TLS_RESERVE
	.balign 64
vr_tls_reserve:
	.zero VR_TLS_RESERVE

	.section .note.GNU-stack, "", @progbits
