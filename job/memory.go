package job

import (
	"fmt"
	"slices"

	"ampirun/internal/refusal"
	"ampirun/isomalloc"
)

// fill has that done by a goroutine; the workers are launched when it is.
func (s *setup) fill(fill filler) {
	c := s.m.workerGroup
	c.memory.Go(func() {
		back, err := fill()
		s.m.post(func() {
			if !s.goesOn(err) {
				return
			}
			s.m.tracer.symbols.Copies = s.m.opt.Restart.namedCopies()
			s.rollbackTarget = back
			s.m.outputLog.rollBack(back.output())
			s.m.ending.verdict.rollBack(back.exits())
			c.ready = true
			s.launchWhenReady()
		})
	})
}

// checkFree refuses to map the region where somebody has something else: addresses of the program are in its memory, so it is the same place,
// or none.
func (s *setup) checkFree(c isomalloc.Config) error {
	for _, w := range s.m.workers {
		if !hasFree(w.hello.free(), c) {
			return occupied(c, fmt.Sprintf("worker %d", w.pe))
		}
	}
	if !s.m.opt.observed() || s.m.observer != nil {
		return nil
	}
	own, err := isomalloc.FreeRanges()
	if err == nil && !hasFree(own, c) {
		err = occupied(c, "ampirun itself, which +trace and +progress have look at it,")
	}
	return err
}

func hasFree(free []isomalloc.Range, c isomalloc.Config) bool {
	return slices.ContainsFunc(free, func(r isomalloc.Range) bool { return uint64(r.Lo) <= c.Base && c.Base+c.Size() <= uint64(r.Hi) })
}

func occupied(c isomalloc.Config, who string) error {
	return refusal.New(refusal.CodeUsage, "the memory of the job lay at %#x to %#x, and %s has something else there: addresses are chosen at random, so try again",
		c.Base, c.Base+c.Size(), who)
}
