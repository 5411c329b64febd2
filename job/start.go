package job

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"ampirun/isomalloc"
	"ampirun/loadbalance"
	"ampirun/privatize"
	"ampirun/vrank"
)

// framePipeSize is how much output ranks can be ahead of the manager, in bytes.
const framePipeSize = 1 << 20

// start starts the workers and, beside them, the search for libraries; the launch follows when all have answered.
func (m *manager) start() error {
	framesR, framesW, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("create output pipe: %w", err)
	}
	defer framesW.Close()
	widenPipe(framesW, framePipeSize)
	m.read(framesR, func(pipe *os.File) error { return m.pump().frames(pipe, m.opt.Ranks) })
	if m.opt.Restart != nil {
		if err := m.opt.Restart.begin(func(err error) { m.post(func() { m.restored(err) }) }); err != nil {
			return err
		}
	} else {
		go m.resolve()
	}

	s := &spawner{program: m.program, env: workerEnv(m.opt.Env, m.opt.facts().Environment), stdin: m.opt.Stdin, frames: framesW, copies: m.opt.Copy}
	err = s.start(m.opt.Workers, m.over, m.began)
	m.watch()
	return err
}

func (m *manager) pump() pump {
	if isTerminal(m.opt.Stdout) {
		return pump{out: m.out, idle: idleTime}
	}
	return pump{out: m.out}
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

// began takes a worker that was started. It runs before serve does.
func (m *manager) began(w *worker, stdout, stderr *os.File) {
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
		reapWorkers(pids, func(pid int, status syscall.WaitStatus) { m.post(func() { m.ended(pid, status) }) })
	}()
}

// listen posts what a worker says until it has no more to say.
func (m *manager) listen(w *worker) {
	for {
		msg, err := w.link.receive()
		if errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) {
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

// resolve finds the program's libraries while the workers come up.
func (m *manager) resolve() {
	libraries, err := m.opt.Libraries(m.program)
	m.post(func() {
		m.reap()
		if err != nil {
			m.verdict.decide(refusalCode(err), err)
			m.end()
			return
		}
		m.libraries, m.resolved = libraries, true
		m.launchWhenReady()
	})
}

// restored notes that the memory of a job that goes on is there.
func (m *manager) restored(err error) {
	m.reap()
	if err != nil {
		m.verdict.decide(refusalCode(err), err)
		m.end()
		return
	}
	m.libraries, m.resolved = m.opt.Restart.was.Libraries, true
	for _, e := range m.opt.Restart.was.Ended {
		m.verdict.rankExit(e.Rank, e.Code)
	}
	m.launchWhenReady()
}

// launchWhenReady launches the job once everything is known that the configuration needs.
func (m *manager) launchWhenReady() {
	if m.launched || !m.resolved || m.hellos < m.opt.Workers || m.stage != stageRun {
		return
	}
	m.launched = true
	if err := m.launch(); err != nil {
		m.verdict.decide(refusalCode(err), err)
		m.end()
	}
}

// launch agrees on the region, creates it, and sends every worker its configuration.
func (m *manager) launch() error {
	layout, err := m.layout()
	if err != nil {
		return err
	}
	region, err := m.region(layout)
	if err != nil {
		return err
	}
	defer region.Close()
	rights := []int{region.FD()}
	if m.keeper != nil {
		if err := m.keeper.begin(layout); err != nil {
			return err
		}
		rights = append(rights, m.keeper.shadow.FD())
	}
	var steal *vrank.StealPolicy
	if m.opt.Steal {
		steal = &vrank.StealPolicy{Half: loadbalance.DefaultSteal.Half, Cost: loadbalance.DefaultSteal.Cost}
	}
	placed, err := m.place()
	if err != nil {
		return err
	}
	if m.opt.observed() {
		if err := m.observe(region, layout, placed); err != nil {
			return err
		}
	}
	for _, w := range m.workers {
		c := m.config(w.pe, layout)
		c.Mapping, c.Steal = placed, steal
		msg := message{Kind: kindConfig, Config: packConfig(c)}
		if err := w.link.send(msg, rights...); err != nil && !errors.Is(err, syscall.EPIPE) {
			return fmt.Errorf("configure worker %d: %w", w.pe, err)
		}
	}
	return nil
}

// region makes the memory of the job, unless it has been restored.
func (m *manager) region(layout isomalloc.Config) (*isomalloc.Region, error) {
	if r := m.opt.Restart; r != nil {
		region := r.region
		r.region = nil
		return region, nil
	}
	region, err := isomalloc.Create(layout)
	if err != nil {
		return nil, fmt.Errorf("create the region of %d ranks: %w", m.opt.Ranks, err)
	}
	return region, nil
}

// wantsTraffic tells whether the strategy looks at who talks to whom, or a record or the timeline has it.
func (m *manager) wantsTraffic() bool {
	if m.opt.Record != "" || m.opt.Trace != "" {
		return true
	}
	strategy, err := loadbalance.Find(m.opt.Balance)
	return err == nil && strategy.Info().Traffic
}

// place says where each rank begins; nil is vrank's own choice.
func (m *manager) place() ([]int32, error) {
	if m.opt.Mapping == nil {
		return nil, nil
	}
	pes := make([]loadbalance.PE, m.opt.Workers)
	for i := range pes {
		pes[i].Speed = 1
	}
	placed, err := m.opt.Mapping(m.opt.Ranks, pes)
	if err != nil {
		return nil, refuse(CodeUsage, "+mapping: %v", err)
	}
	return placed, nil
}

// layout chooses the sizes of the region and agrees on its address with all workers.
func (m *manager) layout() (isomalloc.Config, error) {
	if m.opt.Restart != nil {
		return m.opt.Restart.layout(m.workers)
	}
	c := isomalloc.Config{
		Control:   m.opt.ControlSize(m.opt.Workers, m.opt.Ranks),
		SliceSize: isomalloc.SpreadSliceSize(m.opt.Slice),
		Slices:    m.opt.Ranks,
	}
	if m.opt.Slice == 0 {
		c.SliceSize = isomalloc.DefaultSliceSize(m.opt.Ranks)
	}
	if m.opt.Stack >= c.SliceSize {
		return c, refuse(CodeUsage, "+stack %d does not fit in a slice of %d bytes: lower +stack, or raise +slice", m.opt.Stack, c.SliceSize)
	}
	free := make([][]isomalloc.Range, len(m.workers))
	for i, w := range m.workers {
		free[i] = w.hello.Free
	}
	if m.opt.observed() {
		own, err := isomalloc.FreeRanges()
		if err != nil {
			return c, fmt.Errorf("find free address ranges: %w", err)
		}
		free = append(free, own)
	}
	base, err := isomalloc.Agree(free, c.Size())
	if err != nil {
		return c, refuse(CodeUsage, "no address space for %d slices of %d bytes (%v): lower +slice or +vp", m.opt.Ranks, c.SliceSize, err)
	}
	c.Base = base
	return c, nil
}

func (m *manager) config(pe int, layout isomalloc.Config) vrank.Config {
	return vrank.Config{
		Control: layout.Control, Keeps: m.keeper != nil, Revive: m.opt.Restart.revive(),
		PE: pe, PEs: m.opt.Workers, Ranks: m.opt.Ranks,
		Base: layout.Base, SliceSize: layout.SliceSize, StackSize: m.opt.Stack,
		Program: m.program, Args: append([]string{m.opt.Program}, m.opt.Args...), Env: m.opt.Env,
		Libraries: m.libraries, Method: m.opt.Method, Directory: m.directory,
		OutputFD: workerOutputFD, FerryFD: ferryFD(m.opt.Workers), CopyFD: m.opt.copyFD(),
		HostHeap: m.opt.hostHeap(), ProbeOnly: m.opt.probeOnly, HeapCheck: m.opt.HeapCheck, Stats: m.opt.Stats, Pin: m.opt.Pin,
		Balance: m.opt.Balance, Period: m.opt.Period, Traffic: m.wantsTraffic(),
		Measure: m.opt.Stats || m.opt.Balance != "" || m.opt.Steal || m.opt.Record != "" || m.opt.observed(),
		Record:  m.opt.Record, RecordStep: m.opt.RecordStep, Timeline: m.opt.timelineLimit(),
		Debug: m.opt.Debugger != nil,
	}
}

// refusalCode tells errors the user can mend from failures of the system.
func refusalCode(err error) int {
	var own *Refusal
	if errors.As(err, &own) {
		return own.Code
	}
	var foreign *privatize.Refusal
	if errors.As(err, &foreign) {
		return CodeUsage
	}
	return 1
}
