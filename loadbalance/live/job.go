package live

import (
	"fmt"
	"time"

	"ampirun/loadbalance"
	"ampirun/vrank"
)

// liveJob is the job of this process.
type liveJob struct{ *vrank.Sampler }

func (liveJob) Measure()                     { vrank.Measure() }
func (liveJob) Order(rank, pe int) error     { return vrank.OrderMove(rank, pe) }
func (liveJob) Await(d time.Duration) uint32 { return vrank.AwaitStep(d) }
func (liveJob) Finish(step uint32)           { vrank.FinishStep(step) }
func (liveJob) Ends() bool                   { return vrank.JobEnds() }

// DefaultStrategy is asked when the program asks for balancing and the user has named no strategy.
const DefaultStrategy = "GreedyRefine"

// Attach has a job balanced and recorded from its worker 0, as its configuration says; call it before vrank.Run, and what it
// returns after that. Without a strategy in the configuration the program may still ask for steps.
func Attach(cfg *vrank.Config, report func(vrank.Event)) (finish func() error, err error) {
	finish = func() error { return nil }
	if cfg.PE != 0 {
		return finish, nil
	}
	o, err := balancing(cfg, report)
	if err != nil {
		return nil, err
	}
	begin := func() {}
	if cfg.Record != "" {
		r, err := openRecorder(cfg)
		if err != nil {
			return nil, fmt.Errorf("+lb-record: %w", err)
		}
		begin = r.start
		finish = func() error {
			if err := r.finish(); err != nil {
				return fmt.Errorf("+lb-record %s: %w", cfg.Record, err)
			}
			return nil
		}
	}
	sampler := vrank.NewSampler(cfg.PEs, cfg.Ranks)
	cfg.Started = func() {
		begin()
		go Run(liveJob{sampler}, o)
	}
	return finish, nil
}

// balancing is how the configuration wants a job balanced.
func balancing(cfg *vrank.Config, report func(vrank.Event)) (o Options, err error) {
	name, period := cfg.Balance, cfg.Period
	if name == "" {
		name, period = DefaultStrategy, "calls"
	}
	o.Schedule = ReadSchedule
	o.Report = func(s vrank.BalanceStep) {
		report(vrank.Event{Kind: vrank.EventBalanced, Rank: -1, Step: &s})
	}
	if o.Strategy, err = loadbalance.Find(name); err != nil {
		return o, err
	}
	o.Period, err = ParsePeriod(period)
	return o, err
}
