package balance

import (
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

// Attach has a job balanced from its worker 0, as its configuration says; call it before vrank.Run. Without a strategy in it, the
// program may still ask for steps.
func Attach(cfg *vrank.Config, report func(vrank.Event)) error {
	if cfg.PE != 0 {
		return nil
	}
	name, period := cfg.Balance, cfg.Period
	if name == "" {
		name, period = DefaultStrategy, "calls"
	}
	strategy, err := loadbalance.Find(name)
	if err != nil {
		return err
	}
	o := Options{Strategy: strategy, Schedule: ReadSchedule, Report: func(s vrank.BalanceStep) {
		report(vrank.Event{Kind: vrank.EventBalanced, Rank: -1, Step: &s})
	}}
	if o.Period, err = ParsePeriod(period); err != nil {
		return err
	}
	sampler := vrank.NewSampler(cfg.PEs, cfg.Ranks)
	cfg.Started = func() { go Run(liveJob{sampler}, o) }
	return nil
}
