// Package fault is the C of ranks that fail: signals of faults, core files, debuggers. It has no Go: see package vrank.
package fault

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/../..
*/
import "C"
