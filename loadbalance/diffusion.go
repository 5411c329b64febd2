package loadbalance

import (
	"context"
	"math/bits"
)

var diffusion = strategy{
	info: Info{
		Name: "Diffusion", Aliases: []string{"DiffusionLB", "NeighborLB", "NborBaseLB"},
		Summary:    "each PE evens out with its neighbours in a hypercube, in numbers first, then with ranks along the flows",
		Complexity: "O(log P) rounds; O(n/P + log P) time and memory on each PE in a round",
		Reference:  "G. Cybenko, Dynamic Load Balancing for Distributed Memory Multiprocessors, J. Parallel Distrib. Comput. 7(2), 1989",
	},
	balance: func(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
		agents := NewDiffusers(m, o)
		if err := RunAgents(ctx, agents, maxRounds(len(m.PEs))); err != nil {
			return nil, err
		}
		return m.movesOf(agents), nil
	},
}

// diffusionRepeats is how often numbers are evened out and ranks follow.
const diffusionRepeats = 3

// diffuser is the agent of the strategy Diffusion. Its neighbours are the PEs whose number differs in one bit, as far as
// there are such; as clearing a bit always gives a PE, all are connected.
type diffuser struct {
	agentState
	degree int       // bits of a PE's number
	value  float64   // the time it would take if work were fluid
	flow   []float64 // work that should go to each neighbour, by bit
}

// NewDiffusers makes the agents of the strategy Diffusion, one for each PE.
func NewDiffusers(m *Measurements, o Options) []Agent {
	states := m.states(o.tolerance())
	agents := make([]Agent, len(states))
	degree := bits.Len(uint(len(states) - 1))
	for pe := range states {
		agents[pe] = &diffuser{agentState: states[pe], degree: degree, flow: make([]float64, degree)}
	}
	return agents
}

// neighbour is the PE that differs in a bit.
func (d *diffuser) neighbour(bit int) (pe int32, ok bool) {
	pe = d.me.PE ^ 1<<bit
	return pe, int(pe) < d.pes
}

// smoothing and passing are the rounds of each kind in one repetition.
func (d *diffuser) smoothing() int { return 3 * (d.degree + 1) }
func (d *diffuser) passing() int   { return 2 * (d.degree + 4) }

// Step implements Agent.
func (d *diffuser) Step(in []Message, send func(Message)) (done bool) {
	d.step(in, send)
	if !d.ready || d.age < 0 {
		return false
	}
	cycle := d.smoothing() + d.passing()
	if d.age >= diffusionRepeats*cycle {
		return true
	}
	switch phase := d.age % cycle; {
	case phase == 0:
		d.value = d.me.Time
		clear(d.flow)
		d.tell(send)
	case phase < d.smoothing():
		d.smooth(in)
		d.tell(send)
	case (phase-d.smoothing())%2 == 0: // answers arrive in the round between
		if phase == d.smoothing() {
			d.smooth(in)
		}
		d.offerAlong(send)
	}
	return false
}

// tell sends its number to its neighbours.
func (d *diffuser) tell(send func(Message)) {
	state := Peer{d.me.PE, d.value, d.me.Speed}
	for bit := range d.degree {
		if pe, ok := d.neighbour(bit); ok {
			send(Message{From: d.me.PE, To: pe, Kind: State, Sender: state})
		}
	}
}

// smooth takes part of each difference to a neighbour away. The neighbour computes the same flow with the other sign.
func (d *diffuser) smooth(in []Message) {
	change := 0.0
	for i := range in {
		if in[i].Kind != State {
			continue
		}
		p := &in[i].Sender
		flow := (d.value - p.Time) * min(d.me.Speed, p.Speed) / float64(d.degree+1)
		d.flow[bits.TrailingZeros32(uint32(p.PE^d.me.PE))] += flow
		change += flow
	}
	d.value -= change / d.me.Speed
}

// diffusionBurst is how many ranks a PE offers one neighbour in a round.
const diffusionBurst = 64

// offerAlong offers each neighbour ranks, largest first, until what should still go there is given: none is above twice
// the rest, so that on average ranks are rounded to the flow.
func (d *diffuser) offerAlong(send func(Message)) {
	for bit := range d.degree {
		pe, _ := d.neighbour(bit)
		for range diffusionBurst {
			i := d.upTo(2 * d.flow[bit])
			if d.flow[bit] <= 0 || i < 0 {
				break
			}
			d.flow[bit] -= d.tokens[i].Load
			d.offer(i, pe, send)
		}
	}
}
