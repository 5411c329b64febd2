package plan

import (
	"math"
	"math/rand/v2"
	"time"
)

// Machine is what a job runs on.
type Machine struct {
	MTBF    time.Duration // of all nodes together
	Cost    time.Duration // that a checkpoint takes away from the program
	Safe    time.Duration // from the begin of a checkpoint until it can be used; at least Cost, where it is written behind the program
	Restart time.Duration // from a failure to running again
	Shape   float64       // of the Weibull distribution of times between failures; 1: exponential
}

// Simulate plays so many failures and gives the share of the time in which something lasting was computed.
func (m *Machine) Simulate(interval time.Duration, failures int, seed uint64) float64 {
	draw := rand.New(rand.NewPCG(seed, 0))
	shape := m.Shape
	scale := m.MTBF.Seconds() / math.Gamma(1+1/shape)
	useful, total := 0.0, 0.0
	for range failures {
		quiet := scale * math.Pow(draw.ExpFloat64(), 1/shape)
		useful += m.saved(interval, quiet)
		total += quiet
	}
	return useful / total
}

// saved is what lasts of the time between two failures: whole intervals whose checkpoint could still be finished. A failure
// while starting again means to start once more.
func (m *Machine) saved(interval time.Duration, quiet float64) float64 {
	t, d := interval.Seconds(), m.Cost.Seconds()
	running := quiet - m.Restart.Seconds() - max(0, m.Safe.Seconds()-d)
	if running <= 0 {
		return 0
	}
	return math.Floor(running/(t+d)) * t
}
