// Package migrate is the C of ranks that go to another PE: moves, offers, stealing, descriptors that are passed along. It has no Go: see package vrank.
package migrate

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/../..
*/
import "C"
