// Package libpthread is the C that starts copies of the thread library of glibc before 2.34. It has no Go.
package libpthread

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -D_GNU_SOURCE -fno-stack-protector -I${SRCDIR}/../..
*/
import "C"
