package vrank

/*
#include <stdlib.h>
#include "vrank/core/file_reader.h"
*/
import "C"

import (
	"os"
	"syscall"
	"unsafe"
)

// procSize is enough for what is read of /proc while ranks run.
const procSize = 4096

// ReadProc reads a short file of /proc, while ranks run: they list and close what this process has open, and get a number that has
// become free. Any goroutine.
func ReadProc(path string) (string, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	text := make([]byte, procSize)
	n := C.vr_read_file(name, unsafe.Pointer(&text[0]), procSize)
	if n < 0 {
		return "", &os.PathError{Op: "read", Path: path, Err: syscall.Errno(-n)}
	}
	return string(text[:n]), nil
}
