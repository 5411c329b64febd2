package vrank

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// peeker reads this process's memory without faulting where there is none, page by page; what it has read once stays as it was.
type peeker struct {
	pages map[uint64][]byte // nil: not readable
}

func newPeeker() *peeker { return &peeker{pages: map[uint64][]byte{}} }

// read fills p from an address; false when not all of it can be read.
func (k *peeker) read(address uint64, p []byte) bool {
	for len(p) > 0 {
		data := k.page(address &^ (page - 1))
		if data == nil {
			return false
		}
		n := copy(p, data[address%page:])
		p, address = p[n:], address+uint64(n)
	}
	return true
}

func (k *peeker) page(address uint64) []byte {
	if data, known := k.pages[address]; known {
		return data
	}
	data := make([]byte, page)
	local := []unix.Iovec{{Base: &data[0], Len: page}}
	remote := []unix.RemoteIovec{{Base: uintptr(address), Len: page}}
	n, err := unix.ProcessVMReadv(os.Getpid(), local, remote, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) { // as in containers
		n, err = readOwn(data, int64(address))
	}
	if err != nil || n != page {
		data = nil
	}
	k.pages[address] = data
	return data
}

// readOwn does the same by way of /proc.
func readOwn(data []byte, address int64) (int, error) {
	memory, err := os.Open("/proc/self/mem")
	if err != nil {
		return 0, err
	}
	defer memory.Close()
	return memory.ReadAt(data, address)
}
