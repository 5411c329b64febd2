package job

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"ampirun/job/control"
)

// workerVerb is a worker's first argument, behind control.WorkerName in place of the program; a program of the same name does not match argv[0].
const workerVerb = "worker"

// The descriptors a worker starts with, besides 0, 1 and 2. The region's memfd comes later, with the configuration.
const (
	workerControlFD = 3
	workerOutputFD  = 4
	workerFDPassFD  = 5 // see fdPassing; workers of jobs with one have none
)

// worker is the manager's view of one worker process. Only the manager's goroutine uses it once it runs.
type worker struct {
	pe, pid int
	link    *link     // to hear it
	outbox  *outbox   // to tell it something
	hello   *message  // its first message, nil until it came
	heard   time.Time // when it said something last; zero: not known
	done    bool      // all its ranks have ended
	dies    bool      // of the fault that it has reported, and may leave a core file
	silent  bool      // its control link has ended
	reaped  bool      // the process has ended, with status
	status  syscall.WaitStatus
	cpu     time.Duration // that it has used in all
}

// alive tells whether the process can be signalled.
func (w *worker) alive() bool { return w.pid != 0 && !w.reaped }

// spawner starts workers from a thread that lives as long as the job: the kernel sends the workers SIGKILL when the
// thread that started them ends, which is how they die with a manager that was killed.
type spawner struct {
	program   string
	env       []string
	stdin     *os.File // rank 0 reads it, wherever it is
	frames    *os.File // writing end of the pipe that all workers share
	copies    bool     // ranks that move are copied
	fdPassing *fdPassing
	copy      *fdPassing
}

// start starts n workers, and keeps the thread until release is closed. Each worker that was started is handed to
// began, from another goroutine.
func (s *spawner) start(n int, release <-chan struct{}, began func(w *worker, stdout, stderr *os.File)) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread() // and no unlock: the thread ends with this goroutine
		result <- s.startAll(n, began)
		<-release
	}()
	return <-result
}

func (s *spawner) startAll(n int, began func(w *worker, stdout, stderr *os.File)) error {
	var err error
	if s.fdPassing, err = newFDPassing(n); err != nil {
		return err
	}
	defer s.fdPassing.close()
	s.copy = &fdPassing{}
	if s.copies {
		if s.copy, err = newFDPassing(n); err != nil {
			return err
		}
		defer s.copy.close()
	}
	for pe := range n {
		if err := s.startOne(pe, began); err != nil {
			return fmt.Errorf("start worker %d: %w", pe, err)
		}
	}
	return nil
}

func (s *spawner) startOne(pe int, began func(w *worker, stdout, stderr *os.File)) error {
	ours, theirs, err := socketPair()
	if err != nil {
		return err
	}
	defer theirs.Close()
	outR, outW, err := os.Pipe()
	if err != nil {
		ours.close()
		return err
	}
	defer outW.Close()
	errR, errW, err := os.Pipe()
	if err != nil {
		ours.close()
		outR.Close()
		return err
	}
	defer errW.Close()
	pid, err := syscall.ForkExec("/proc/self/exe", []string{control.WorkerName, workerVerb, strconv.Itoa(pe), s.program}, &syscall.ProcAttr{
		Env:   s.env,
		Files: append([]uintptr{s.stdin.Fd(), outW.Fd(), errW.Fd(), theirs.Fd(), s.frames.Fd()}, slices.Concat(s.fdPassing.of(pe), s.copy.of(pe))...),
		Sys:   &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL},
	})
	if err != nil {
		ours.close()
		outR.Close()
		errR.Close()
		return err
	}
	began(&worker{pe: pe, pid: pid, link: ours}, outR, errR)
	return nil
}

// workerEnv is the environment of a worker: what is preloaded belongs to the ranks and not to the process that runs them.
// The method may want a setting (NAME=value) for ld.so, whose values are joined by colons.
func workerEnv(env []string, setting string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, "LD_PRELOAD=") })
	if setting == "" {
		return env
	}
	name, _, _ := strings.Cut(setting, "=")
	for i, e := range env {
		if strings.HasPrefix(e, name+"=") {
			env[i] = e + ":" + setting[len(name)+1:]
			return env
		}
	}
	return append(env, setting)
}

// widenPipe gives ranks room to write on while the manager writes elsewhere. A refusal only costs speed.
func widenPipe(pipe *os.File, size int) {
	const setPipeSize = 1031 // F_SETPIPE_SZ
	syscall.Syscall(syscall.SYS_FCNTL, pipe.Fd(), setPipeSize, uintptr(size))
}
