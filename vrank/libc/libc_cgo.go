// Package libc is the C of what programs get in place of some functions of the C library. It has no Go: see package vrank.
package libc

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/../..
*/
import "C"
