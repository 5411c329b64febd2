package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"ampirun/internal/refusal"
	"ampirun/job/control"
	"ampirun/privatize"
	"ampirun/vrank"
)

// manager runs one job. It takes what happens, one thing after the other (serve), and gives it to the part whose job that is. All fields belong
// to the goroutine of Run, which others reach by post.
type manager struct {
	opt     Options
	program string // absolute path
	since   time.Time
	signals chan os.Signal
	kept    map[int]bool // children that were there before the job

	*mailbox
	*console
	*workerGroup
	setup     setup
	ending    ending
	freezer   freezer
	renewer   renewer
	recovery  recovery
	asker     asker
	tracer    tracer
	input     *input     // nil: workers read the job's own
	heartbeat *heartbeat // nil: nobody listens for it

	checkpointer *checkpointer // saves the job; nil: nobody does
	steps        []vrank.BalanceStep
	waiting      int // workers that wait for the debugger

	traceFile *os.File  // nil: none is wanted
	observer  *observer // nil until the job is launched, or when nobody wants one
}

// Run runs a job to its end and returns its exit code. The error says why the job did not run or was ended, in lines
// for the user without a prefix; it is nil for a job that ended by itself and for a quiet end such as a closed output.
// Everything ranks wrote has been passed on when Run returns, and no process or file of the job is left.
//
// Run changes process-wide state: the working directory (Options.Dir), the handling of signals, and who adopts orphans.
func Run(ctx context.Context, opt Options) (exitCode int, err error) {
	exitCode, _, err = runJob(ctx, opt)
	return exitCode, err
}

// runJob also returns what the workers measured, nil for those that did not tell.
func runJob(ctx context.Context, opt Options) (exitCode int, stats []*vrank.Stats, err error) {
	opt = opt.withDefaults()
	if err := opt.check(); err != nil {
		return refusal.CodeUsage, nil, err
	}
	program, err := opt.place()
	if err != nil {
		return refusalCode(err), nil, err
	}
	if err := opt.checkOutputs(program); err != nil {
		return refusal.CodeUsage, nil, err
	}
	if warning := opt.inVain(); warning != "" {
		fmt.Fprintln(opt.Stderr, "ampirun: warning:", warning)
	}
	traceFile, err := createTrace(opt.Trace)
	if err != nil {
		return refusal.CodeUsage, nil, err
	}
	defer traceFile.Close()
	directory := ""
	if opt.facts().Directory {
		if directory, err = privatize.MakeDirectory(opt.Directory); err != nil {
			return refusalCode(err), nil, err
		}
		defer os.RemoveAll(directory)
	}
	m := newManager(opt, program)
	m.setup.directory = directory
	m.traceFile = traceFile
	defer m.close()
	if err := m.prepareKeeping(); err != nil {
		return refusalCode(err), nil, err
	}
	if notice := control.Listen(steering{m}.verbs(), m.closed); notice != "" {
		m.say([]string{notice})
	}
	if err := m.setup.start(); err != nil {
		m.ending.giveUp(1, err)
	}
	m.serve(ctx)
	exitCode, err = m.finish()
	return exitCode, m.stats, err
}

func newManager(opt Options, program string) *manager {
	m := &manager{
		opt:         opt,
		program:     program,
		since:       time.Now(),
		kept:        children(),
		mailbox:     newMailbox(),
		workerGroup: newWorkerGroup(opt.Workers),
	}
	m.console = newConsole(opt, m.mailbox)
	m.setup.m, m.freezer.m, m.renewer.m, m.recovery.m, m.tracer.m = m, m, m, m, m
	m.asker = asker{m: m, moving: map[int]*moving{}}
	m.ending = newEnding(m)
	if opt.FT != nil {
		m.heartbeat = newHeartbeat(m, opt.FT.Timeout)
		m.input = newInput(opt.Stdin)
	}
	m.signals = catchSignals()
	adoptOrphans()
	return m
}

func (m *manager) close() {
	close(m.closed)
	signal.Stop(m.signals)
	m.workerGroup.memory.Wait() // it may be reading the copy
	m.checkpointer.close()
	m.opt.Restart.close()
	if m.setup.region != nil {
		m.setup.region.Close()
	}
	m.workerGroup.close()
}

// serve runs what is posted until all workers have ended.
func (m *manager) serve(ctx context.Context) {
	cancelled := ctx.Done()
	var due, checkHeartbeats <-chan time.Time
	if m.checkpointer != nil {
		due = m.checkpointer.due.C
	}
	if m.heartbeat != nil {
		checkHeartbeats = m.heartbeat.ticker.C
	}
	for !m.isOver() {
		select {
		case <-due:
			m.checkpointer.checkpoint(nil)
		case <-checkHeartbeats:
			m.heartbeat.check()
		case f := <-m.posts:
			f()
		case err := <-m.failure:
			m.outputFailed(err)
		case sig := <-m.signals:
			m.signalled(sig.(syscall.Signal))
		case <-m.ending.grace.C:
			m.ending.escalate()
		case <-cancelled:
			cancelled = nil
			m.ending.giveUp(1, ctx.Err())
		}
	}
}

// isOver tells whether all workers have ended, and none follow.
func (m *manager) isOver() bool {
	return m.workerGroup.isGone() && (m.renewer.current == nil || m.ending.hasBegun())
}

// hungUp takes the end of a worker's control link, which closed or broke with err.
func (m *manager) hungUp(w *worker, err error) {
	w.silent = true
	m.tracer.left(w)
	m.asker.left(w)
	if err != nil && !w.done {
		m.recovery.isLost(w, fmt.Errorf("worker %d (pid %d) sent no readable message: %w", w.pe, w.pid, err))
	}
	m.judgeEnd(w)
}

// cannotTell takes that nothing can be sent to a worker.
func (m *manager) cannotTell(w *worker, err error) {
	m.recovery.isLost(w, fmt.Errorf("worker %d (pid %d) cannot be told anything: %w", w.pe, w.pid, err))
}

// ended takes the end of a worker's process.
func (m *manager) ended(pid int, status syscall.WaitStatus, cpu time.Duration) {
	for _, w := range m.workers {
		if w.pid == pid {
			w.reaped, w.status, w.cpu = true, status, cpu
			m.judgeEnd(w)
			if status.CoreDump() {
				m.ending.verdict.core(w.pe, w.pid)
			}
		}
	}
}

// judgeEnd looks at a worker whose last word has been heard and whose status is known.
func (m *manager) judgeEnd(w *worker) {
	switch {
	case !w.reaped || !w.silent:
	case m.renewer.current != nil:
		if m.renewer.isToLeave() && w.status != 0 {
			m.renewer.failsToLeave(workerEnd(w))
		}
		m.renewer.replaceWhenGone()
	case w.done && w.status == 0 || m.freezer.isLeaving(w):
	case !m.ending.hasBegun():
		code, err := workerEnd(w)
		m.recovery.failed(code, err, "")
	}
}

// outputFailed ends a job whose output nobody takes: quietly when the reader has gone, as a pipeline expects it.
func (m *manager) outputFailed(err error) {
	if errors.Is(err, syscall.EPIPE) {
		err = nil
		m.ending.verdict.decide(128+int(syscall.SIGPIPE), nil)
	}
	m.ending.giveUp(1, err)
}

// finish passes on what is left of the output and gives the verdict.
func (m *manager) finish() (int, error) {
	m.killOrphans()
	m.workerGroup.readers.Wait()
	m.observer.end(m.ending.verdict)
	m.out.passAll()
	select {
	case err := <-m.failure:
		m.outputFailed(err)
	default:
	}
	m.checkpointer.awaitCopy(m.ending.verdict.exitCode() != 0)
	if m.opt.Stats || m.ending.verdict.err != nil {
		m.out.endLine(streamErr)
	}
	if m.opt.Stats {
		printStats(m.opt.Stderr, m.stats)
		printSteps(m.opt.Stderr, m.steps)
		m.checkpointer.print(m.opt.Stderr)
		m.recovery.print(m.opt.Stderr)
	}
	return m.ending.verdict.exitCode(), m.ending.verdict.err
}
