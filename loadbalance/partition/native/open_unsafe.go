package native

import (
	"fmt"
	"unsafe"

	"github.com/rainycape/dl"
)

// open opens the first library of a list that is installed, never to be closed again.
func open(names []string, flags int) (lib *dl.DL, err error) {
	for _, name := range names {
		if lib, err = dl.Open(name, flags); err == nil {
			return lib, nil
		}
	}
	return nil, err
}

// find looks functions up. They are called from C of our own: calls through package dl return with clobbered registers
// when there are more than six arguments.
func find(lib *dl.DL, functions map[string]*unsafe.Pointer) error {
	for name, to := range functions {
		if err := lib.Sym(name, to); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
