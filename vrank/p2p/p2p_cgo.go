// Package p2p is the C of messages between ranks: requests, matching, datatypes, copies. It has no Go: see package vrank.
package p2p

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/../..
*/
import "C"
