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

// setup is what the workers of a job begin with: the program's files, and its memory.
type setup struct {
	m *manager

	directory      string // private, for copies of the program; or ""
	libraries      []privatize.Library
	resolved       bool              // they are known
	region         *isomalloc.Region // nil until the job is launched
	rollbackTarget *rollbackTarget   // what the job goes on with; nil: it begins
}

// start begins with what takes long: workers come up while the program's libraries are searched or its memory is read.
func (s *setup) start() error {
	if s.m.opt.Restart == nil {
		go s.resolve()
	} else if err := s.restart(); err != nil {
		return err
	}
	return s.m.startWorkers()
}

// resolve finds the program's libraries while the workers come up.
func (s *setup) resolve() {
	libraries, err := s.m.opt.Libraries(s.m.program)
	s.m.post(func() {
		if s.goesOn(err) {
			s.libraries, s.resolved, s.m.ready = libraries, true, true
			s.launchWhenReady()
		}
	})
}

// goesOn takes the end of what may have had children of its own, which the reaper has waited for, and ends the job if that failed.
func (s *setup) goesOn(err error) bool {
	s.m.reap()
	if err != nil {
		s.m.ending.giveUp(refusalCode(err), err)
	}
	return err == nil
}

// launchWhenReady launches the job once everything is known that the configuration needs.
func (s *setup) launchWhenReady() {
	if s.m.launched || s.m.renewer.current != nil || !s.m.ready || s.m.hellos < s.m.opt.Workers || s.m.ending.hasBegun() {
		return
	}
	s.m.launched = true
	if s.goesOn(s.launch()) {
		s.m.freezer.next()
	}
}

// launch agrees on the region, creates it, and sends every worker its configuration.
func (s *setup) launch() error {
	if err := s.makeRegion(); err != nil {
		return err
	}
	layout := s.region.Config()
	rights := []int{s.region.FD()}
	if s.m.checkpointer != nil {
		if err := s.m.checkpointer.begin(layout); err != nil {
			return err
		}
		rights = append(rights, s.m.checkpointer.snapshot.FD(), s.m.checkpointer.journal.FD())
	}
	placed, err := s.place()
	if err != nil {
		return err
	}
	if s.m.opt.observed() && s.m.observer == nil {
		if err := s.m.observe(placed); err != nil {
			return err
		}
	}
	if err := s.m.input.goOn(s.rollbackTarget); err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	for _, w := range s.m.workers {
		c := s.config(w.pe, layout)
		c.Mapping = placed
		msg := message{Kind: kindConfig, Config: &c}
		if err := w.outbox.send(msg, rights...); err != nil {
			return fmt.Errorf("configure worker %d: %w", w.pe, err)
		}
	}
	return nil
}

// makeRegion makes the memory of the job where all workers have room for it. Memory that has been there before has to lie where it was.
func (s *setup) makeRegion() error {
	if s.region != nil {
		return s.checkFree(s.region.Config())
	}
	layout, err := s.layout()
	if err != nil {
		return err
	}
	if s.region, err = isomalloc.Create(layout); err != nil {
		return fmt.Errorf("create the region of %d ranks: %w", s.m.opt.Ranks, err)
	}
	return nil
}

// wantsTraffic tells whether the strategy looks at who talks to whom, or a record or the timeline has it.
func (s *setup) wantsTraffic() bool {
	if s.m.opt.recorded() {
		return true
	}
	strategy, err := loadbalance.Find(s.m.opt.Balance)
	return err == nil && strategy.Info().Traffic
}

// place says where each rank begins; nil is vrank's own choice.
func (s *setup) place() ([]int32, error) {
	if s.m.opt.Mapping == nil || s.rollbackTarget != nil {
		return nil, nil
	}
	pes := make([]loadbalance.PE, s.m.opt.Workers)
	for i := range pes {
		pes[i].Speed = 1
	}
	placed, err := s.m.opt.Mapping(s.m.opt.Ranks, pes)
	if err != nil {
		return nil, refusal.New(refusal.CodeUsage, "+mapping: %v", err)
	}
	return placed, nil
}

// layout chooses the sizes of the region and agrees on its address with all workers.
func (s *setup) layout() (isomalloc.Config, error) {
	c := isomalloc.Config{
		Control:   s.m.opt.ControlSize(s.m.opt.Workers),
		SliceSize: isomalloc.SpreadSliceSize(s.m.opt.Slice),
		Slices:    s.m.opt.Ranks,
	}
	if s.m.opt.Slice == 0 {
		c.SliceSize = isomalloc.DefaultSliceSize(s.m.opt.Ranks)
	}
	if s.m.opt.Stack >= c.SliceSize {
		return c, refusal.New(refusal.CodeUsage, "+stack %d does not fit in a slice of %d bytes: lower +stack, or raise +slice", s.m.opt.Stack, c.SliceSize)
	}
	free := make([][]isomalloc.Range, len(s.m.workers))
	for i, w := range s.m.workers {
		free[i] = w.hello.free()
	}
	if s.m.opt.observed() {
		own, err := isomalloc.FreeRanges()
		if err != nil {
			return c, fmt.Errorf("find free address ranges: %w", err)
		}
		free = append(free, own)
	}
	base, err := isomalloc.Agree(free, c.Size())
	if err != nil {
		return c, refusal.New(refusal.CodeUsage, "no address space for %d slices of %d bytes (%v): lower +slice or +vp", s.m.opt.Ranks, c.SliceSize, err)
	}
	c.Base = uint64(base)
	return c, nil
}

func (s *setup) config(pe int, layout isomalloc.Config) vrank.Config {
	return vrank.Config{
		Lasting: s.m.opt.Lasting.Lasting, ThisRun: s.m.opt.ThisRun,
		PE: pe, PEs: s.m.opt.Workers, Ranks: s.m.opt.Ranks, Layout: layout,
		Keeps: s.m.opt.cannotBeSaved() == "", Snapshot: s.m.checkpointer != nil, Restart: s.rollbackTarget.config(),
		ToDisk: s.m.checkpointer.writes(), ToMemory: s.m.checkpointer.staysInMemory(), Journal: s.m.checkpointer.noting(s.rollbackTarget), Holds: s.m.opt.FT != nil,
		Program: s.m.program, Args: append([]string{s.m.opt.Program}, s.m.opt.Args...), Env: s.m.opt.Env,
		Libraries: s.libraries, Copies: s.m.opt.Restart.namedCopies(), Directory: s.directory,
		OutputFD: workerOutputFD, FDPassFD: fdPassFD(s.m.opt.Workers), CopyFD: s.m.opt.copyFD(),
		HostHeap: s.m.opt.hostHeap(), ProbeOnly: s.m.opt.probeOnly, Traffic: s.wantsTraffic(),
		StealPolicy: vrank.StealPolicy{Half: loadbalance.DefaultSteal.Half, Cost: loadbalance.DefaultSteal.Cost},
		Measure:     s.m.opt.Stats || s.m.opt.Balance != "" || s.m.opt.Steal || s.m.opt.Record != "" || s.m.opt.observed(),
		Timeline:    s.m.opt.timelineLimit(), Debug: s.m.opt.Debugger != nil,
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
