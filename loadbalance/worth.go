package loadbalance

// MoveCost is what one balancing costs.
type MoveCost struct {
	Fixed     float64 // seconds for each move, of the sender and of the receiver
	Bandwidth float64 // bytes in a second, of memory that leaves or enters a node; inside of a node none is copied
	Decide    float64 // seconds that every PE waits for the strategy
}

// Seconds is how long a balancing takes: as long as the PE that is busiest with it.
func (c MoveCost) Seconds(m *Measurements, moves []Move) (seconds float64) {
	fixed, in, out := make([]float64, len(m.PEs)), make([]float64, len(m.PEs)), make([]float64, len(m.PEs))
	for _, v := range moves {
		fixed[v.From] += c.Fixed
		fixed[v.To] += c.Fixed
		if m.PEs[v.From].Node != m.PEs[v.To].Node {
			copying := float64(m.Ranks[v.Rank].Memory) / c.Bandwidth
			out[v.From] += copying
			in[v.To] += copying
		}
	}
	for p := range fixed {
		seconds = max(seconds, fixed[p]+max(in[p], out[p]))
	}
	return seconds + c.Decide
}

// Gain is how many seconds moves would win if the next period were like the one that was measured: what the makespan
// shrinks, less what the moves cost. Moves are worth while where it is above 0. Traffic is not looked at.
func (m *Measurements) Gain(moves []Move, cost MoveCost) (float64, error) {
	mapping, err := m.Apply(moves)
	if err != nil {
		return 0, err
	}
	before, after := m.present(), &placement{m: m, pe: mapping, time: m.times(mapping)}
	return before.makespan() - after.makespan() - cost.Seconds(m, moves), nil
}
