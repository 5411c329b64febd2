package job

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"ampirun/vrank"
)

// workerGroup is the workers of a job. A job whose workers are replaced has one after the other.
type workerGroup struct {
	workers  []*worker
	stats    []*vrank.Stats // by PE, nil until known
	readers  sync.WaitGroup // of output pipes
	hellos   int
	ready    bool           // everything is known that the configuration needs
	memory   sync.WaitGroup // who puts the memory of the job into the region
	launched bool           // the workers have their configuration
	reap     func()         // lets the reaper begin
	over     chan struct{}  // closed when none of them is left
	dismiss  func()         // closes it
}

func newWorkerGroup(workers int) *workerGroup {
	c := &workerGroup{stats: make([]*vrank.Stats, workers), reap: func() {}, over: make(chan struct{})}
	c.dismiss = sync.OnceFunc(func() { close(c.over) })
	return c
}

// isGone tells whether all processes have ended, and all that they said has been heard.
func (c *workerGroup) isGone() bool {
	for _, w := range c.workers {
		if !w.reaped || !w.silent {
			return false
		}
	}
	return true
}

// isDying tells whether a worker that has announced its death is yet to find the time for it.
func (c *workerGroup) isDying() bool {
	return slices.ContainsFunc(c.workers, func(w *worker) bool { return w.dies && w.alive() })
}

// isDumping tells whether the kernel is writing a worker's core file: a signal would cut it short.
func (c *workerGroup) isDumping() bool {
	for _, w := range c.workers {
		status, err := os.ReadFile("/proc/" + strconv.Itoa(w.pid) + "/status")
		if w.alive() && err == nil && bytes.Contains(status, []byte("CoreDumping:\t1")) {
			return true
		}
	}
	return false
}

// forward signals all workers that are left.
func (c *workerGroup) forward(sig syscall.Signal) {
	for _, w := range c.workers {
		if w.alive() {
			syscall.Kill(w.pid, sig)
		}
	}
}

// kill ends the workers that have not announced their death.
func (c *workerGroup) kill() {
	for _, w := range c.workers {
		if w.alive() && !w.dies {
			syscall.Kill(w.pid, syscall.SIGKILL)
		}
	}
}

func (c *workerGroup) close() {
	c.dismiss()
	for _, w := range c.workers {
		w.outbox.close()
		w.link.close()
	}
}

// framePipeSize is how much output ranks can be ahead of the manager, in bytes.
const framePipeSize = 1 << 20

// startWorkers starts the processes of a workerGroup and listens to them.
func (m *manager) startWorkers() error {
	framesR, framesW, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("create output pipe: %w", err)
	}
	defer framesW.Close()
	widenPipe(framesW, framePipeSize)
	m.read(framesR, func(pipe *os.File) error { return m.pump().frames(pipe, m.opt.Ranks) })
	stdin := m.opt.Stdin
	if m.input != nil {
		if stdin, err = m.input.open(); err != nil {
			return err
		}
		defer stdin.Close()
	}
	s := &spawner{program: m.program, env: workerEnv(m.opt.Env, m.opt.facts().Environment), stdin: stdin, frames: framesW, copies: m.opt.Copy}
	err = s.start(m.opt.Workers, m.workerGroup.over, m.began)
	m.watch()
	return err
}

// read runs a reader of output. When it fails the rest is thrown away: a full pipe would block ranks that must stop.
func (m *manager) read(pipe *os.File, reader func(pipe *os.File) error) {
	m.readers.Go(func() {
		defer pipe.Close()
		if err := reader(pipe); err != nil {
			m.fail(err)
			io.Copy(io.Discard, pipe)
		}
	})
}

// began takes a worker that was started, while nobody else looks at the workerGroup.
func (m *manager) began(w *worker, stdout, stderr *os.File) {
	w.outbox = newOutbox(w.link, func(err error) { m.post(func() { m.cannotTell(w, err) }) })
	m.workers = append(m.workers, w)
	m.read(stdout, func(pipe *os.File) error { return m.pump().plain(pipe, source{-1 - w.pe, streamOut}) })
	m.read(stderr, func(pipe *os.File) error { return m.pump().plain(pipe, source{-1 - w.pe, streamErr}) })
}

// watch begins to listen to the workers, and prepares to wait for their ends: the reaper takes any child, so it begins
// when the search for libraries, which has children of its own, is over or does not matter any more.
func (m *manager) watch() {
	pids := map[int]bool{}
	for _, w := range m.workers {
		pids[w.pid] = true
		go m.listen(w)
	}
	begin := make(chan struct{})
	m.reap = sync.OnceFunc(func() { close(begin) })
	go func() {
		<-begin
		reapWorkers(pids, func(pid int, status syscall.WaitStatus, cpu time.Duration) {
			m.post(func() { m.ended(pid, status, cpu) })
		})
	}()
}

// listen posts what a worker says until it has no more to say. One that is killed may leave off in the middle of a message.
func (m *manager) listen(w *worker) {
	for {
		msg, err := w.link.receive()
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) {
			m.post(func() { m.hungUp(w, nil) })
			return
		}
		if err != nil {
			m.post(func() { m.hungUp(w, err) })
			return
		}
		m.post(func() { m.heard(w, msg) })
	}
}
