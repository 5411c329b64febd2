package job

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"ampirun/internal/refusal"
	"ampirun/isomalloc"
	"ampirun/job/control"
	"ampirun/vrank"
)

// Core is what a worker runs its ranks with.
type Core struct {
	// Run runs this worker's share of the job until its ranks have ended or Stop was called. It reports events from
	// any goroutine, EventDone last.
	Run func(cfg vrank.Config, report func(vrank.Event)) error
	// Stop demands that Run returns; it may be called from any goroutine, at any time.
	Stop func()
	// Freeze is vrank.Freeze; any goroutine.
	Freeze func(halt bool)
	// Prepare does ahead what this worker can do for that. Any goroutine.
	Prepare func()
	// Trace says where this worker's ranks are; it may be called from any goroutine, at any time.
	Trace func() *vrank.Trace
	// Survey says what all ranks of the job do; it may be called from any goroutine, at any time.
	Survey func() *vrank.Survey
	// Move has a rank go to a PE, and returns when it is there or stays. Any goroutine.
	Move func(rank, pe int) vrank.Moved
}

// stopTime is how long a worker that was told to stop waits for Core.Run to return: a rank that computes does not see
// the demand.
const stopTime = 200 * time.Millisecond

// IsWorker tells whether this process was started as a worker, and so must call Worker and nothing else.
func IsWorker() bool {
	return len(os.Args) > 1 && os.Args[0] == control.WorkerName && os.Args[1] == workerVerb
}

// Worker is the main function of a worker process. It returns the process's exit code.
func Worker(core Core) int {
	// A job's signals are the manager's to handle: the terminal sends them to workers too.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP)
	keepInherited()
	control, err := newLink(os.NewFile(uintptr(vrank.InheritedFD(workerControlFD)), "control"))
	if err != nil {
		fmt.Fprintf(os.Stderr, "ampirun: %s is for ampirun's own use: %v\n", workerVerb, err)
		return refusal.CodeUsage
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	go answerSignal(signals, core, control)
	if err := work(core, control); err != nil {
		control.send(message{Kind: kindFailed, Text: err.Error(), Code: refusalCode(err)})
		return 1
	}
	return 0
}

// keepInherited has what this process was given, without a gap, close when a child executes a program.
func keepInherited() {
	for fd := vrank.InheritedFD(workerControlFD); ; fd++ {
		if _, _, bad := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFD, 0); bad != 0 {
			return
		}
		syscall.CloseOnExec(fd)
	}
}

// work says hello, waits for the configuration and runs the ranks.
func work(core Core, control *link) error {
	free, err := isomalloc.FreeRanges()
	if err != nil {
		return fmt.Errorf("find free address ranges: %w", err)
	}
	if err := control.send(message{Kind: kindHello, Free: limits(free)}); err != nil {
		return err
	}
	cfg, err := receiveConfig(control)
	if err != nil {
		return err
	}
	go obey(core, control)
	return core.Run(cfg, func(e vrank.Event) {
		sendEvent(control, e)
	})
}

// sendEvent passes an event on; a manager that is gone takes this process along. Descriptors are given up if too many of them are on their way.
func sendEvent(control *link, e vrank.Event) {
	const pauses, pause = 1000, time.Millisecond
	m := message{Kind: kindEvent, Event: &e}
	err := control.send(m, e.FDs...)
	for i := 0; errors.Is(err, syscall.ETOOMANYREFS) && i < pauses; i++ {
		time.Sleep(pause)
		err = control.send(m, e.FDs...)
	}
	if errors.Is(err, syscall.ETOOMANYREFS) {
		control.send(m)
	}
}

func receiveConfig(control *link) (vrank.Config, error) {
	msg, err := control.receive()
	if err != nil {
		return vrank.Config{}, fmt.Errorf("receive configuration: %w", err)
	}
	if msg.Kind != kindConfig || msg.Config == nil {
		return vrank.Config{}, fmt.Errorf("receive configuration: got a %q message", msg.Kind)
	}
	cfg := *msg.Config
	for _, fd := range []*int{&cfg.OutputFD, &cfg.FDPassFD, &cfg.CopyFD} {
		if *fd > 0 {
			*fd = vrank.InheritedFD(*fd)
		}
	}
	wanted := []*int{&cfg.RegionFD}
	if cfg.Snapshot {
		wanted = append(wanted, &cfg.SnapshotFD)
	}
	if cfg.Journal.Wanted() {
		wanted = append(wanted, &cfg.Journal.FD)
	}
	if len(msg.fds) != len(wanted) {
		return cfg, fmt.Errorf("receive configuration: %d descriptors came with it, not %d (see ulimit -n)", len(msg.fds), len(wanted))
	}
	for i, fd := range wanted {
		*fd = msg.fds[i]
	}
	return cfg, nil
}

// obey stops the ranks when the manager says so or has gone.
func obey(core Core, control *link) {
	for {
		msg, err := control.receive()
		if err != nil {
			os.Exit(1)
		}
		switch msg.Kind {
		case kindTrace:
			go control.send(message{Kind: kindTrace, Trace: core.Trace()})
		case kindSurvey:
			go survey(core, control, msg)
		case kindMove:
			go move(core, control, msg)
		case kindFreeze:
			go core.Freeze(msg.Halt)
		case kindPrepare:
			go core.Prepare()
		case kindPing:
			control.send(message{Kind: kindPing})
		case kindStop:
			core.Stop()
			time.Sleep(stopTime)
			os.Exit(0)
		}
	}
}

func survey(core Core, control *link, question message) {
	control.send(message{Kind: kindSurvey, Number: question.Number, Survey: core.Survey()})
}

func move(core Core, control *link, order message) {
	moved := core.Move(order.Rank, order.PE)
	control.send(message{Kind: kindMove, Number: order.Number, Moved: &moved})
}

// answerSignal has the manager print where this worker's ranks are when it gets SIGUSR1, unless a rank wants that signal.
func answerSignal(signals <-chan os.Signal, core Core, control *link) {
	for range signals {
		if t := core.Trace(); !t.Handles {
			t.Unasked = true
			control.send(message{Kind: kindTrace, Trace: t})
		}
	}
}
