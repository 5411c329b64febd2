package job

import (
	"errors"
	"fmt"

	"ampirun/internal/refusal"
	"ampirun/isomalloc"
	"ampirun/loadbalance"
	"ampirun/privatize"
	"ampirun/vrank"
)

// start begins with what takes long: workers come up while the program's libraries are searched or its memory is read.
func (m *manager) start() error {
	if m.opt.Restart == nil {
		go m.resolve()
	} else if err := m.restart(); err != nil {
		return err
	}
	return m.startWorkers()
}

// resolve finds the program's libraries while the workers come up.
func (m *manager) resolve() {
	libraries, err := m.opt.Libraries(m.program)
	m.post(func() {
		if m.goesOn(err) {
			m.libraries, m.resolved, m.ready = libraries, true, true
			m.launchWhenReady()
		}
	})
}

// goesOn takes the end of what may have had children of its own, which the reaper has waited for, and ends the job if that failed.
func (m *manager) goesOn(err error) bool {
	m.reap()
	if err != nil {
		m.giveUp(refusalCode(err), err)
	}
	return err == nil
}

// launchWhenReady launches the job once everything is known that the configuration needs.
func (m *manager) launchWhenReady() {
	if m.launched || m.renewal != nil || !m.ready || m.hellos < m.opt.Workers || m.stage != stageRun {
		return
	}
	m.launched = true
	if m.goesOn(m.launch()) {
		m.nextFreeze()
	}
}

// launch agrees on the region, creates it, and sends every worker its configuration.
func (m *manager) launch() error {
	if err := m.settle(); err != nil {
		return err
	}
	layout := m.region.Config()
	rights := []int{m.region.FD()}
	if m.checkpointer != nil {
		if err := m.checkpointer.begin(layout); err != nil {
			return err
		}
		rights = append(rights, m.checkpointer.snapshot.FD(), m.checkpointer.journal.FD())
	}
	placed, err := m.place()
	if err != nil {
		return err
	}
	if m.opt.observed() && m.observer == nil {
		if err := m.observe(placed); err != nil {
			return err
		}
	}
	if err := m.input.goOn(m.rollbackTarget); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	for _, w := range m.workers {
		c := m.config(w.pe, layout)
		c.Mapping = placed
		msg := message{Kind: kindConfig, Config: &c}
		if err := w.outbox.send(msg, rights...); err != nil {
			return fmt.Errorf("configure worker %d: %w", w.pe, err)
		}
	}
	return nil
}

// settle makes the memory of the job where all workers have room for it. Memory that has been there before has to lie where it was.
func (m *manager) settle() error {
	if m.region != nil {
		return m.checkFree(m.region.Config())
	}
	layout, err := m.layout()
	if err != nil {
		return err
	}
	if m.region, err = isomalloc.Create(layout); err != nil {
		return fmt.Errorf("create the region of %d ranks: %w", m.opt.Ranks, err)
	}
	return nil
}

// wantsTraffic tells whether the strategy looks at who talks to whom, or a record or the timeline has it.
func (m *manager) wantsTraffic() bool {
	if m.opt.recorded() {
		return true
	}
	strategy, err := loadbalance.Find(m.opt.Balance)
	return err == nil && strategy.Info().Traffic
}

// place says where each rank begins; nil is vrank's own choice.
func (m *manager) place() ([]int32, error) {
	if m.opt.Mapping == nil || m.rollbackTarget != nil {
		return nil, nil
	}
	pes := make([]loadbalance.PE, m.opt.Workers)
	for i := range pes {
		pes[i].Speed = 1
	}
	placed, err := m.opt.Mapping(m.opt.Ranks, pes)
	if err != nil {
		return nil, refusal.New(refusal.CodeUsage, "+mapping: %v", err)
	}
	return placed, nil
}

// layout chooses the sizes of the region and agrees on its address with all workers.
func (m *manager) layout() (isomalloc.Config, error) {
	c := isomalloc.Config{
		Control:   m.opt.ControlSize(m.opt.Workers),
		SliceSize: isomalloc.SpreadSliceSize(m.opt.Slice),
		Slices:    m.opt.Ranks,
	}
	if m.opt.Slice == 0 {
		c.SliceSize = isomalloc.DefaultSliceSize(m.opt.Ranks)
	}
	if m.opt.Stack >= c.SliceSize {
		return c, refusal.New(refusal.CodeUsage, "+stack %d does not fit in a slice of %d bytes: lower +stack, or raise +slice", m.opt.Stack, c.SliceSize)
	}
	free := make([][]isomalloc.Range, len(m.workers))
	for i, w := range m.workers {
		free[i] = w.hello.free()
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
		return c, refusal.New(refusal.CodeUsage, "no address space for %d slices of %d bytes (%v): lower +slice or +vp", m.opt.Ranks, c.SliceSize, err)
	}
	c.Base = uint64(base)
	return c, nil
}

func (m *manager) config(pe int, layout isomalloc.Config) vrank.Config {
	return vrank.Config{
		Lasting: m.opt.Lasting.Lasting, ThisRun: m.opt.ThisRun,
		PE: pe, PEs: m.opt.Workers, Ranks: m.opt.Ranks, Layout: layout,
		Keeps: m.opt.cannotBeSaved() == "", Snapshot: m.checkpointer != nil, Restart: m.rollbackTarget.config(),
		ToDisk: m.checkpointer.writes(), ToMemory: m.checkpointer.staysInMemory(), Journal: m.checkpointer.noting(m.rollbackTarget), Holds: m.opt.FT != nil,
		Program: m.program, Args: append([]string{m.opt.Program}, m.opt.Args...), Env: m.opt.Env,
		Libraries: m.libraries, Copies: m.opt.Restart.namedCopies(), Directory: m.directory,
		OutputFD: workerOutputFD, FDPassFD: fdPassFD(m.opt.Workers), CopyFD: m.opt.copyFD(),
		HostHeap: m.opt.hostHeap(), ProbeOnly: m.opt.probeOnly, Traffic: m.wantsTraffic(),
		StealPolicy: vrank.StealPolicy{Half: loadbalance.DefaultSteal.Half, Cost: loadbalance.DefaultSteal.Cost},
		Measure:     m.opt.Stats || m.opt.Balance != "" || m.opt.Steal || m.opt.Record != "" || m.opt.observed(),
		Timeline:    m.opt.timelineLimit(), Debug: m.opt.Debugger != nil,
	}
}

// refusalCode tells errors the user can mend from failures of the system.
func refusalCode(err error) int {
	var own *refusal.Refusal
	if errors.As(err, &own) {
		return own.Code
	}
	var foreign *privatize.Refusal
	if errors.As(err, &foreign) {
		return refusal.CodeUsage
	}
	return 1
}
