package privatize

/*
#cgo LDFLAGS: -Wl,-z,noexecstack
#include <stdlib.h>
#include "namespace.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"ampirun/internal/memfd"
)

// namespace is a handle of dlmopen.
type namespace struct{ space, handle unsafe.Pointer }

// openNamespace loads two files that are given by their bytes into a new namespace: what libraries get from the runtime, and the
// program, whose copies of variables are filled on the way.
func openNamespace(name string, provider, program []byte, base uintptr, copies []copiedVar) (*namespace, error) {
	first, err := memoryFile("definitions for "+name, provider)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	second, err := memoryFile(name, program)
	if err != nil {
		return nil, err
	}
	defer second.Close()
	list := make([]C.struct_priv_copy, len(copies)+1)
	for i, c := range copies {
		path := C.CString(c.library)
		defer C.free(unsafe.Pointer(path))
		list[i] = C.struct_priv_copy{library: path, from: C.uint64_t(c.from), to: C.uint64_t(uint64(base) + c.to), size: C.uint64_t(c.size)}
	}
	block := C.CBytes(unsafe.Slice((*byte)(unsafe.Pointer(&list[0])), uintptr(len(list))*unsafe.Sizeof(list[0])))
	defer C.free(block)
	var why *C.char
	n := new(namespace)
	n.handle = C.priv_namespace_open(C.int(first.Fd()), C.int(second.Fd()), (*C.struct_priv_copy)(block), &n.space, &why)
	if n.handle != nil {
		return n, nil
	}
	return nil, errors.New(C.GoString(why))
}

// memoryFile makes a file that lies in memory alone.
func memoryFile(name string, contents []byte) (*os.File, error) {
	f, err := memfd.Create(name, 0)
	if err != nil {
		return nil, fmt.Errorf("make a copy of the program: %w", err)
	}
	if _, err := f.Write(contents); err != nil {
		f.Close()
		return nil, fmt.Errorf("make a copy of the program: %w", err)
	}
	return f, nil
}

// copyHook is the function that fills copies of variables, and where its result may be stored.
func copyHook() (result, function uintptr) {
	return uintptr(unsafe.Pointer(&C.priv_copy_result)), uintptr(C.priv_copy_function())
}

// beginNamespace makes a namespace whose first object is a file of definitions.
func beginNamespace(definitions string) (*namespace, error) {
	path := C.CString(definitions)
	defer C.free(unsafe.Pointer(path))
	var why *C.char
	n := new(namespace)
	n.space = C.priv_namespace_begin(path, &why)
	if n.handle = n.space; n.space == nil {
		return nil, errors.New(C.GoString(why))
	}
	return n, nil
}

// add has ld.so load a file into a namespace.
func (n *namespace) add(file string) (*namespace, error) {
	path := C.CString(file)
	defer C.free(unsafe.Pointer(path))
	var why *C.char
	handle := C.priv_namespace_add(n.space, path, &why)
	if handle == nil {
		return nil, errors.New(C.GoString(why))
	}
	return &namespace{n.space, handle}, nil
}

// remove has ld.so unload what the handle stands for.
func (n *namespace) remove() error {
	if why := (*C.char)(C.priv_namespace_remove(n.handle)); why != nil {
		return errors.New(C.GoString(why))
	}
	return nil
}

// bias is what ld.so has added to the addresses in the file.
func (n *namespace) bias() uint64 { return uint64(C.priv_bias(n.handle)) }

// startStreams makes std::cout and kin of a C++ library.
func (n *namespace) startStreams() { C.priv_streams_start(n.handle) }

// hostBytes keeps bytes in memory that stays where it is, as long as the process lives.
func hostBytes(b []byte) uintptr { return uintptr(C.CBytes(b)) }

// end runs the destructors of libraries, in that order, and flushes streams.
func (n *namespace) end(libraries []string) {
	for _, l := range libraries {
		path := C.CString(l)
		C.priv_library_end(n.space, path)
		C.free(unsafe.Pointer(path))
	}
	C.priv_streams_flush(n.handle)
}

// symbol is the address of a symbol of what the handle stands for, or of what that needs; or 0.
func (n *namespace) symbol(name string) uintptr {
	c := C.CString(name)
	defer C.free(unsafe.Pointer(c))
	return uintptr(C.priv_symbol(n.handle, c))
}
