// Package rpc is the C of remote procedure calls. It has no Go: see package ampi.
package rpc

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/../..
#cgo CFLAGS: -I${SRCDIR}/../../shim/include -I${SRCDIR}/../../shim
*/
import "C"
