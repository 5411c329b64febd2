package checkpoint

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"ampirun/internal/safefile"
)

const lockName = "lock"

// ErrLocked is what errors.Is finds when another job works with a directory.
var ErrLocked = errors.New("the directory is in use")

// lock takes a directory for this process until the file is closed, whichever way the process ends. The file says who has it.
func lock(root *safefile.Dir, owner string) (*os.File, error) {
	f, err := root.OpenShared(lockName)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		defer f.Close()
		return nil, fmt.Errorf("checkpoints in %s: %w by %s: wait for it, or give another directory", root.Path(""), ErrLocked, holder(f))
	}
	if err == nil {
		err = sign(f, owner)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return f, nil
}

// sign writes who holds the lock.
func sign(f *os.File, owner string) error {
	host, _ := os.Hostname()
	if owner == "" {
		owner = "a job"
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt(fmt.Appendf(nil, "%s, process %d on %s\n", owner, os.Getpid(), host), 0)
	return err
}

func holder(f *os.File) string {
	text := make([]byte, 4096)
	n, _ := f.ReadAt(text, 0)
	if who := strings.TrimSpace(string(text[:n])); who != "" {
		return who
	}
	return "another process"
}
