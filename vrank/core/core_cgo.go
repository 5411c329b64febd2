// Package core is the C of ranks, and of the PEs that run them: control blocks, the switch, run queue, inboxes, pools of envelopes, fibers. It has no Go: see package vrank.
package core

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/../..
*/
import "C"
