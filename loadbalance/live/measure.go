package live

import (
	"ampirun/loadbalance"
	"ampirun/vrank"
)

// leastGain is the part of the longest PE's time that moves must win to be made without being asked.
const leastGain = 0.02

// leastKept is the part of what the first half of a window promises that the second must keep: a rank whose only run lies in both
// keeps half of it.
const leastKept = 2.0 / 3

// noCopy is the bandwidth of moves inside of a node, which copy nothing.
const noCopy = 1e15

// touchCost is what a rank that has moved pays for touching its memory from another process for the first time, in seconds: 200
// pages of 4 KiB.
const touchCost = 100e-6

// guessedCost is what a move is taken to cost its sender and its receiver before any has happened, in seconds.
const guessedCost = 20e-6

// moveCost is that of moves as they were so far.
func moveCost(s *vrank.Sample) loadbalance.MoveCost {
	seconds, steps := 0.0, uint64(0)
	for _, pe := range s.PEs {
		seconds += pe.Moving
		steps += pe.MoveSteps
	}
	each := guessedCost
	if steps > 0 {
		each = seconds / float64(steps)
	}
	return loadbalance.MoveCost{Fixed: each + touchCost, Bandwidth: noCopy}
}

// measurements is what happened between two looks, as strategies want it: the speed of a PE is the part of a core that it got when it
// wanted one, which is what others on the machine left to it.
func measurements(from, to *look) *loadbalance.Measurements {
	m := &loadbalance.Measurements{PEs: make([]loadbalance.PE, len(to.PEs)), Ranks: make([]loadbalance.Rank, len(to.Ranks))}
	for p := range m.PEs {
		m.PEs[p].Speed = share(from.schedules[p], to.schedules[p])
	}
	for i := range to.Ranks {
		r := &to.Ranks[i]
		m.Ranks[i] = loadbalance.Rank{PE: int32(r.PE), Memory: r.Memory, Pinned: r.Pinned || r.Ended}
		if !r.Ended {
			m.Ranks[i].Load = load(&from.Ranks[i], r) * m.PEs[r.PE].Speed
		}
	}
	return m
}

// load is the time of a rank between two samples, unless the program has said what it is.
func load(from, to *vrank.RankSample) float64 {
	if to.Load != nil {
		return max(0, *to.Load)
	}
	return userTime(from, to)
}

// userTime is how long a rank's code ran between two samples.
func userTime(from, to *vrank.RankSample) float64 {
	if to.User < from.User { // its measuring has begun anew
		return to.User
	}
	return to.User - from.User
}
