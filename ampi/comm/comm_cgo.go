// Package comm is the C of communicators, topologies and attributes. It has no Go: see package ampi.
package comm

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/../..
#cgo CFLAGS: -I${SRCDIR}/../../shim/include -I${SRCDIR}/../../shim
*/
import "C"
