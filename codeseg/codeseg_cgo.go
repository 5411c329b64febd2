// Package codeseg names pointers into the images of ranks so that other ranks find what they point to. It is C without Go.
package codeseg

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/..
*/
import "C"
