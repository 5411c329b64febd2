package job

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"ampirun/privatize"
	"ampirun/vrank"
)

// manager runs one job. All fields belong to the goroutine of Run, which others reach by post.
type manager struct {
	opt     Options
	program string // absolute path
	workers []*worker
	out     *merger
	readers sync.WaitGroup // of output pipes
	verdict verdict
	stats   []*vrank.Stats // by PE, nil until known
	steps   []vrank.BalanceStep

	directory string // private, for copies of the program; or ""
	libraries []privatize.Library
	resolved  bool // libraries is set
	hellos    int
	launched  bool // the workers have their configuration

	stage   stage
	grace   *time.Timer // until the next stage, once the job must end
	waits   int         // how often the next stage was put off
	posts   chan func()
	failure chan error    // why output was lost: the first reason
	over    chan struct{} // closed when nobody takes posts any more
	signals chan os.Signal
	kept    map[int]bool // children that were there before the job
	reap    func()       // lets the reaper begin

	keeper *keeper // saves the job; nil: nobody does

	waiting int      // workers that wait for the debugger
	inquiry *inquiry // about where the ranks are; nil: none is under way
	symbols vrank.Symbolizer

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
		return CodeUsage, nil, err
	}
	if opt.Dir != "" {
		if err := os.Chdir(opt.Dir); err != nil {
			return CodeUsage, nil, refuse(CodeUsage, "-wdir %s: %v", opt.Dir, errors.Unwrap(err))
		}
	}
	program, err := FindProgram(opt.Program)
	if err != nil {
		return err.(*Refusal).Code, nil, err
	}
	if err := opt.checkOutputs(program); err != nil {
		return CodeUsage, nil, err
	}
	if warning := opt.inVain(); warning != "" {
		fmt.Fprintln(opt.Stderr, "ampirun: warning:", warning)
	}
	traceFile, err := createTrace(opt.Trace)
	if err != nil {
		return CodeUsage, nil, err
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
	m.directory = directory
	m.traceFile = traceFile
	defer m.close()
	if err := m.prepareKeeping(); err != nil {
		return refusalCode(err), nil, err
	}
	m.listenForInquiries()
	if err := m.start(); err != nil {
		m.verdict.decide(1, err)
		m.end()
	}
	m.serve(ctx)
	exitCode, err = m.finish()
	return exitCode, m.stats, err
}

func newManager(opt Options, program string) *manager {
	m := &manager{
		opt:     opt,
		program: program,
		stats:   make([]*vrank.Stats, opt.Workers),
		posts:   make(chan func(), 64),
		failure: make(chan error, 1),
		over:    make(chan struct{}),
		grace:   time.NewTimer(time.Hour),
		kept:    children(),
		reap:    func() {},
	}
	m.grace.Stop()
	printer := newPrinter(opt.Stdout, opt.Stderr, m.fail)
	m.out = newMerger(printer, opt.Label)
	m.signals = catchSignals()
	adoptOrphans()
	return m
}

func (m *manager) close() {
	close(m.over)
	signal.Stop(m.signals)
	m.keeper.close()
	m.opt.Restart.close()
	for _, w := range m.workers {
		w.link.close()
	}
}

// post hands f to the manager's goroutine; it is dropped when the job is over.
func (m *manager) post(f func()) {
	select {
	case m.posts <- f:
	case <-m.over:
	}
}

// fail notes that output was lost. Any goroutine may call it, also with locks held.
func (m *manager) fail(err error) {
	select {
	case m.failure <- err:
	default:
	}
}

// serve runs what is posted until all workers have ended.
func (m *manager) serve(ctx context.Context) {
	cancelled := ctx.Done()
	var due <-chan time.Time
	if m.keeper != nil {
		due = m.keeper.due.C
	}
	for m.running() {
		select {
		case <-due:
			m.keeper.checkpoint(nil)
		case f := <-m.posts:
			f()
		case err := <-m.failure:
			m.outputFailed(err)
		case sig := <-m.signals:
			m.signalled(sig.(syscall.Signal))
		case <-m.grace.C:
			m.escalate()
		case <-cancelled:
			cancelled = nil
			m.verdict.decide(1, ctx.Err())
			m.end()
		}
	}
}

func (m *manager) running() bool {
	for _, w := range m.workers {
		if !w.reaped || !w.silent {
			return true
		}
	}
	return false
}

// heard takes a message of a worker.
func (m *manager) heard(w *worker, msg message) {
	switch {
	case msg.Kind == kindHello && w.hello == nil:
		w.hello = &msg
		m.hellos++
		m.launchWhenReady()
	case msg.Kind == kindEvent && msg.Event != nil:
		m.happened(w, *msg.Event)
	case msg.Kind == kindTrace:
		m.traced(w, msg.Trace)
	case msg.Kind == kindFailed:
		m.verdict.decide(msg.Code, errors.New(msg.Text))
		m.end()
	default:
		m.verdict.decide(1, fmt.Errorf("worker %d (pid %d) sent an unexpected %q message", w.pe, w.pid, msg.Kind))
		m.end()
	}
}

// happened takes an event of a worker's ranks.
func (m *manager) happened(w *worker, e vrank.Event) {
	switch e.Kind {
	case vrank.EventRankExit:
		m.verdict.rankExit(e.Rank, e.Code)
	case vrank.EventDone:
		w.done = true
		m.stats[w.pe] = e.Stats
	case vrank.EventBalanced:
		m.steps = append(m.steps, *e.Step)
		m.observer.balanced(*e.Step)
	case vrank.EventSave:
		m.keeper.checkpoint(func(error) {})
	case vrank.EventFrozen:
		m.keeper.took(e.Frozen)
	case vrank.EventDeadlock:
		m.deadlocked(e)
	case vrank.EventPlaced:
		m.tellDebugger()
	default:
		w.dies = e.Core
		m.verdict.event(e)
		m.end()
	}
}

// tellDebugger names the workers once all wait for the debugger.
func (m *manager) tellDebugger() {
	if m.waiting++; m.waiting < len(m.workers) {
		return
	}
	var pids []string
	for _, w := range m.workers {
		pids = append(pids, strconv.Itoa(w.pid))
	}
	fmt.Fprintln(m.opt.Debugger, strings.Join(pids, " "))
	m.opt.Debugger.Close()
}

// deadlocked says where all ranks wait before it ends the job.
func (m *manager) deadlocked(e vrank.Event) {
	m.trace(func(traces []*vrank.Trace) {
		for _, line := range m.symbols.Describe(traces, false) {
			e.Text += "\n  " + line
		}
		m.verdict.event(e)
		m.end()
	})
}

// hungUp takes the end of a worker's control link, which closed or broke with err.
func (m *manager) hungUp(w *worker, err error) {
	w.silent = true
	m.leftInquiry(w)
	if err != nil && !w.done {
		m.verdict.decide(1, fmt.Errorf("worker %d (pid %d) sent no readable message: %w", w.pe, w.pid, err))
		m.end()
	}
	m.judgeEnd(w)
}

// ended takes the end of a worker's process.
func (m *manager) ended(pid int, status syscall.WaitStatus) {
	for _, w := range m.workers {
		if w.pid == pid {
			w.reaped, w.status = true, status
			m.judgeEnd(w)
			if status.CoreDump() {
				m.verdict.core(w.pe, w.pid)
			}
		}
	}
}

// judgeEnd looks at a worker whose last word has been heard and whose status is known.
func (m *manager) judgeEnd(w *worker) {
	if !w.reaped || !w.silent || w.done && w.status == 0 {
		return
	}
	m.verdict.workerEnd(w.pe, w.pid, w.status)
	m.end()
}

// outputFailed ends a job whose output nobody takes: quietly when the reader has gone, as a pipeline expects it.
func (m *manager) outputFailed(err error) {
	if errors.Is(err, syscall.EPIPE) {
		err = nil
		m.verdict.decide(128+int(syscall.SIGPIPE), nil)
	}
	m.verdict.decide(1, err)
	m.end()
}

// finish passes on what is left of the output and gives the verdict.
func (m *manager) finish() (int, error) {
	killOrphans(m.kept)
	m.readers.Wait()
	m.observer.end(m.verdict)
	m.out.passAll()
	select {
	case err := <-m.failure:
		m.outputFailed(err)
	default:
	}
	if m.opt.Stats || m.verdict.err != nil {
		m.out.endLine(streamErr)
	}
	if m.opt.Stats {
		printStats(m.opt.Stderr, m.stats)
		printSteps(m.opt.Stderr, m.steps)
		m.keeper.print(m.opt.Stderr)
	}
	return m.verdict.exitCode(), m.verdict.err
}
