package job

import (
	"fmt"
	"os"
	"syscall"
)

// fdPassing is how workers pass descriptors to each other: for each worker a pair of sockets, one end of which it reads and all others
// write. Workers inherit them. Descriptors of ranks have one, and another is for ranks that are copied.
type fdPassing struct{ in, out []*os.File }

// newFDPassing makes the sockets for n workers; a worker that is alone needs none.
func newFDPassing(n int) (*fdPassing, error) {
	f := &fdPassing{}
	for pe := 0; n > 1 && pe < n; pe++ {
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			f.close()
			return nil, fmt.Errorf("create sockets for descriptors: %w", err)
		}
		f.in = append(f.in, os.NewFile(uintptr(fds[0]), "fd passing"))
		f.out = append(f.out, os.NewFile(uintptr(fds[1]), "fd passing"))
	}
	return f, nil
}

// of lists the descriptors of one worker, to be inherited from workerFDPassFD or copyFD on: its own end, and those to write to each PE.
func (f *fdPassing) of(pe int) (fds []uintptr) {
	if len(f.in) == 0 {
		return nil
	}
	fds = append(fds, f.in[pe].Fd())
	for _, out := range f.out {
		fds = append(fds, out.Fd())
	}
	return fds
}

func (f *fdPassing) close() {
	for _, file := range append(f.in, f.out...) {
		file.Close()
	}
}

// fdPassFD is where workers of a job find theirs.
func fdPassFD(workers int) int {
	if workers < 2 {
		return 0
	}
	return workerFDPassFD
}

// copyFD is where they find those for ranks that are copied, or 0.
func (o *Options) copyFD() int {
	if !o.Copy || o.Workers < 2 {
		return 0
	}
	return workerFDPassFD + 1 + o.Workers
}
