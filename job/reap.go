package job

import (
	"os"
	"strconv"
	"syscall"
	"time"

	"ampirun/job/control"
)

// adoptOrphans makes this process the parent of what its descendants leave behind, so that nothing escapes the job.
func adoptOrphans() {
	const setChildSubreaper = 36 // PR_SET_CHILD_SUBREAPER
	syscall.RawSyscall(syscall.SYS_PRCTL, setChildSubreaper, 1, 0)
}

// reapWorkers waits for children until the given number of workers has ended, telling ended of every child.
func reapWorkers(workers map[int]bool, ended func(pid int, status syscall.WaitStatus, cpu time.Duration)) {
	for len(workers) > 0 {
		pid, status, cpu, err := waitChild()
		if err != nil {
			panic("BUG: workers are left and no child is: " + err.Error())
		}
		if workers[pid] {
			delete(workers, pid)
			ended(pid, status, cpu)
		}
	}
}

// waitChild also says how long the child has computed.
func waitChild() (pid int, status syscall.WaitStatus, cpu time.Duration, err error) {
	for {
		var usage syscall.Rusage
		pid, err = syscall.Wait4(-1, &status, 0, &usage)
		if err != syscall.EINTR {
			return pid, status, time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), err
		}
	}
}

// killOrphans ends all children but those to keep: what ranks started and left running.
func killOrphans(keep map[int]bool) {
	for {
		killed := 0
		for pid := range children() {
			if !keep[pid] && syscall.Kill(pid, syscall.SIGKILL) == nil {
				syscall.Wait4(pid, nil, 0, nil)
				killed++
			}
		}
		if killed == 0 {
			return
		}
	}
}

// children returns the processes whose parent this one is.
func children() map[int]bool {
	found := map[int]bool{}
	if _, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err == syscall.ECHILD {
		return found
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return found
	}
	self := os.Getpid()
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil && control.ParentOf(pid) == self {
			found[pid] = true
		}
	}
	return found
}
