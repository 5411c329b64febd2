package job

import (
	"fmt"
	"math"
	"os"
	"strings"
	"syscall"
	"time"

	"ampirun/internal/rlimits"
	"ampirun/vrank"
)

// verdict gathers what decides the exit code of a job. The first fatal event wins; without one it is the code of the
// lowest rank that ended with a code other than zero.
type verdict struct {
	fatal    bool
	code     int
	err      error // what to say about a fatal end; nil: nothing
	rank     int   // the lowest rank that failed, valid when rankCode is not 0
	rankCode int
}

// rankExit records the end of one rank.
func (v *verdict) rankExit(rank, code int) {
	code &= 0xff
	if code != 0 && (v.rankCode == 0 || rank < v.rank) {
		v.rank, v.rankCode = rank, code
	}
}

// decide records a fatal event, unless one was there before; err may be nil for a quiet end.
func (v *verdict) decide(code int, err error) {
	if !v.fatal {
		v.fatal, v.code, v.err = true, code&0xff, err
	}
}

// event takes the fatal events of workers.
func (v *verdict) event(e vrank.Event) {
	switch e.Kind {
	case vrank.EventAbort:
		v.decide(e.Code, eventText(e, fmt.Sprintf("rank %d aborted the job with code %d", e.Rank, e.Code)))
	case vrank.EventFault:
		v.decide(128+e.Signal, eventText(e, fmt.Sprintf("rank %d: %s", e.Rank, signalName(syscall.Signal(e.Signal)))))
	case vrank.EventDeadlock:
		code := e.Code & 0xff
		if code == 0 {
			code = 1
		}
		v.decide(code, eventText(e, "deadlock: every rank waits for ever"))
	}
}

func eventText(e vrank.Event, otherwise string) error {
	if e.Text == "" {
		return fmt.Errorf("%s", otherwise)
	}
	return fmt.Errorf("%s", e.Text)
}

// workerEnd says what the end of a worker means that has not said it was done.
func workerEnd(w *worker) (code int, err error) {
	pe, pid, status := w.pe, w.pid, w.status
	limit, isLimited := cpuLimit()
	switch {
	case status.Signaled() && (status.Signal() == syscall.SIGXCPU || status.Signal() == syscall.SIGKILL && isLimited && w.cpu >= limit/2): // the kernel counts whole ticks for its limit
		return 128 + int(status.Signal()), fmt.Errorf("worker %d (pid %d) was ended by the kernel: it has used up its CPU time, of which the limit is %s (ulimit -t)", pe, pid, cpuTime())
	case status.Signaled() && status.Signal() == syscall.SIGKILL:
		return 137, fmt.Errorf("worker %d (pid %d) was killed by signal 9 (SIGKILL): by hand, or by the kernel for want of memory", pe, pid)
	case status.Signaled():
		sig := status.Signal()
		return 128 + int(sig), fmt.Errorf("worker %d (pid %d) was killed by signal %d (%s)", pe, pid, int(sig), signalName(sig))
	}
	code = status.ExitStatus()
	if why := rlimits.Reason(code); why != "" {
		return 1, fmt.Errorf("worker %d (pid %d): %s", pe, pid, why)
	}
	return max(code, 1), fmt.Errorf("worker %d (pid %d) ended with code %d before its ranks did", pe, pid, code)
}

// cpuLimit is how much CPU time a process of the job has; false where there is no limit.
func cpuLimit() (time.Duration, bool) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(rlimitCPU, &limit); err != nil || limit.Cur > math.MaxInt32 {
		return 0, false
	}
	return time.Duration(limit.Cur) * time.Second, true
}

const rlimitCPU = 0 // RLIMIT_CPU

// cpuTime is that limit in words.
func cpuTime() string {
	if limit, ok := cpuLimit(); ok {
		return limit.String()
	}
	return "its own"
}

// rollBack forgets the ends of ranks but for those that are given.
func (v *verdict) rollBack(exits []ended) {
	v.rank, v.rankCode = 0, 0
	for _, e := range exits {
		v.rankExit(e.Rank, e.Code)
	}
}

// core tells where the core file of a worker is.
func (v *verdict) core(pe, pid int) {
	self, _ := os.Executable()
	v.decide(1, fmt.Errorf("worker %d (pid %d) died", pe, pid))
	v.err = fmt.Errorf("%w\nworker %d (pid %d) left a core file; look at its ranks with: gdb -x <(ampirun --gdb-script) %s %s",
		v.err, pe, pid, self, coreName(pid))
}

// coreName is the name of a process's core file as far as it is known.
func coreName(pid int) string {
	pattern, _ := os.ReadFile("/proc/sys/kernel/core_pattern")
	name := strings.TrimSpace(string(pattern))
	if name == "" || strings.ContainsAny(name, "|%") {
		return "CORE"
	}
	if withPID, _ := os.ReadFile("/proc/sys/kernel/core_uses_pid"); strings.TrimSpace(string(withPID)) == "1" {
		name = fmt.Sprintf("%s.%d", name, pid)
	}
	return name
}

func (v *verdict) exitCode() int {
	if v.fatal {
		return v.code
	}
	return v.rankCode
}
