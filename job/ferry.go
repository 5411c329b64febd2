package job

import (
	"fmt"
	"os"
	"syscall"
)

// ferry is how workers pass descriptors to each other: for each worker a pair of sockets, one end of which it reads and all others
// write. Workers inherit them. Descriptors of ranks have one, and another is for ranks that are copied.
type ferry struct{ in, out []*os.File }

// newFerry makes the sockets for n workers; a worker that is alone needs none.
func newFerry(n int) (*ferry, error) {
	f := &ferry{}
	for pe := 0; n > 1 && pe < n; pe++ {
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			f.close()
			return nil, fmt.Errorf("create sockets for descriptors: %w", err)
		}
		f.in = append(f.in, os.NewFile(uintptr(fds[0]), "ferry"))
		f.out = append(f.out, os.NewFile(uintptr(fds[1]), "ferry"))
	}
	return f, nil
}

// of lists the descriptors of one worker, to be inherited from workerFerryFD or copyFD on: its own end, and those to write to each PE.
func (f *ferry) of(pe int) (fds []uintptr) {
	if len(f.in) == 0 {
		return nil
	}
	fds = append(fds, f.in[pe].Fd())
	for _, out := range f.out {
		fds = append(fds, out.Fd())
	}
	return fds
}

func (f *ferry) close() {
	for _, file := range append(f.in, f.out...) {
		file.Close()
	}
}

// ferryFD is where workers of a job find theirs.
func ferryFD(workers int) int {
	if workers < 2 {
		return 0
	}
	return workerFerryFD
}

// copyFD is where they find those for ranks that are copied, or 0.
func (o *Options) copyFD() int {
	if !o.Copy || o.Workers < 2 {
		return 0
	}
	return workerFerryFD + 1 + o.Workers
}
