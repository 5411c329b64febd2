// Package freeze is the C of a job that comes to rest, to be saved or started again. It has no Go: see package vrank.
package freeze

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/../..
*/
import "C"
