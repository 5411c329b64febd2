// Package rlimits tells in one line which limit keeps the Go runtime from memory or threads. Who imports it has that done, in C.
package rlimits

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -D_GNU_SOURCE -fno-stack-protector -I${SRCDIR}/../..
#cgo LDFLAGS: -ldl
#include "internal/rlimits/rlimits.h"
*/
import "C"

// Reason is what a worker's exit code says of the limit that it has met; "" for other codes.
func Reason(code int) string {
	if code != C.RLIMITS_MEMORY && code != C.RLIMITS_THREADS {
		return ""
	}
	var text [256]C.char
	C.rlimits_text(C.int(code), &text[0], C.size_t(len(text)))
	return C.GoString(&text[0])
}
