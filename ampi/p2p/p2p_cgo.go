// Package p2p is the C of point-to-point calls of MPI. It has no Go: see package ampi.
package p2p

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/../..
#cgo CFLAGS: -I${SRCDIR}/../../shim/include -I${SRCDIR}/../../shim
*/
import "C"
