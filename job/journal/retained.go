package journal

import (
	"fmt"
	"syscall"

	"ampirun/vrank"
)

// retained keeps the files from going away that ranks have open when the job is copied: a job that goes back finds them, though it has removed
// or renamed them since. Workers give a descriptor of each once, and count on it as long as they find the file open in each freeze. Only
// the manager's goroutine uses it, or, while there are no workers, who makes the files as they were.
type retained struct {
	files  map[vrank.Retained]*retainedFile
	most   int // so many are kept
	recent Files
	told   bool // that there are more
}

// retainedFile is a descriptor that opens nothing (O_PATH), and what it is of.
type retainedFile struct {
	fd     int
	object vrank.Object
}

// newRetained leaves the manager of a job with so many workers the descriptors that it needs for itself.
func newRetained(workers int) *retained {
	const own, ofWorker = 512, 8
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		limit.Cur = own
	}
	return &retained{files: map[vrank.Retained]*retainedFile{}, most: max(int(min(limit.Cur, 1<<24))-own-ofWorker*workers, 0)}
}

// add takes descriptors of the first of the files, and gives what is to be said if they are not all kept: once.
func (h *retained) add(names []vrank.Retained, fds []int) string {
	kept := 0
	for i, fd := range fds[:min(len(fds), len(names))] {
		name := names[i]
		switch {
		case h.files[name] != nil: // of a rank that another worker had
			syscall.Close(fd)
			kept++
		case len(h.files) < h.most:
			h.files[name] = &retainedFile{fd, name.Object}
			kept++
		default:
			syscall.Close(fd)
		}
	}
	if kept == len(names) || h.told {
		return ""
	}
	h.told = true
	return fmt.Sprintf("ranks have more files open than the %d that ampirun can keep (see ulimit -n): if they remove others, the job cannot go back",
		len(h.files))
}

// sweep lets go of files that no longer belong to a state that the job can go back to, or to the last freeze.
func (h *retained) sweep(states ...Files) {
	live := map[vrank.Retained]bool{}
	for _, open := range append(states, h.recent) {
		open.eachRetained(func(name vrank.Retained, _ *vrank.File) { live[name] = true })
	}
	for name, file := range h.files {
		if !live[name] {
			syscall.Close(file.fd)
			delete(h.files, name)
		}
	}
}

func (h *retained) close() {
	if h != nil {
		h.recent = nil
		h.sweep()
	}
}

// Files are those that ranks have open, by rank.
type Files [][]vrank.File

// eachRetained visits those that can be retained.
func (all Files) eachRetained(visit func(name vrank.Retained, f *vrank.File)) {
	for _, files := range all {
		for i := range files {
			if name, ok := files[i].Retained(); ok {
				visit(name, &files[i])
			}
		}
	}
}
