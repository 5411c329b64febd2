package privatize

/*
#cgo CFLAGS: -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wno-unused-parameter -I${SRCDIR}/..
#include <stddef.h>
#include <stdint.h>

extern char priv_tlsdesc_static[];

// Each resolver takes no argument that x86-64 glibc would pass, and returns the function to use.
static void priv_resolvers_call(uint64_t *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		calls[i] = ((uint64_t (*)(void))(uintptr_t)calls[i])();
}
*/
import "C"

import "unsafe"

// callResolvers replaces each function address by what the function returns.
func callResolvers(calls []uint64) {
	C.priv_resolvers_call((*C.uint64_t)(unsafe.Pointer(&calls[0])), C.size_t(len(calls)))
}

// tlsdescAddress is the code that TLS descriptors of the images point to.
func tlsdescAddress() uintptr {
	return uintptr(unsafe.Pointer(&C.priv_tlsdesc_static))
}
