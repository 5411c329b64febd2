// Package simulate replays what a run measured on any number of PEs, with any strategy, to tell what would have come of it.
package simulate

import (
	"fmt"

	"ampirun/loadbalance"
)

// Link is what a message costs on one kind of way.
type Link struct {
	Latency   float64 // seconds until the first byte is there; paid once in a step by a PE that sends or receives any
	Overhead  float64 // seconds of CPU for each message, of the sender and of the receiver
	Bandwidth float64 // bytes in a second that one PE can send, and receive at the same time
}

// Costs is the model of network and migration. A step of a PE takes the work of its ranks, the overhead of their messages
// to and from other PEs, the time its bytes take (what it sends or what it receives, whichever is more), and one latency;
// nothing of it overlaps. A step ends when the last PE ends. Messages between ranks of a PE cost nothing. A balancing
// takes as long as the PE that is busiest with it: a fixed time for each rank it sends or receives, and for ranks that
// leave or enter its node the time their memory takes; inside of a node no memory is copied.
type Costs struct {
	Node    Link // between PEs of a node
	Network Link // between nodes

	Move loadbalance.MoveCost
}

// DefaultCosts is a machine of today: shared memory in a node, and a 100 Gbit/s network.
var DefaultCosts = Costs{
	Node:    Link{Latency: 0.5e-6, Overhead: 0.1e-6, Bandwidth: 8e9},
	Network: Link{Latency: 2e-6, Overhead: 0.5e-6, Bandwidth: 12e9},
	Move:    loadbalance.MoveCost{Fixed: 30e-6, Bandwidth: 8e9},
}

// Validate finds a cost that makes no sense.
func (c *Costs) Validate() error {
	for _, x := range []struct {
		name      string
		value     float64
		mayBeZero bool
	}{
		{"latency in a node", c.Node.Latency, true}, {"latency between nodes", c.Network.Latency, true},
		{"overhead in a node", c.Node.Overhead, true}, {"overhead between nodes", c.Network.Overhead, true},
		{"bandwidth in a node", c.Node.Bandwidth, false}, {"bandwidth between nodes", c.Network.Bandwidth, false},
		{"fixed time of a move", c.Move.Fixed, true}, {"bandwidth of moves", c.Move.Bandwidth, false},
		{"time to decide", c.Move.Decide, true},
	} {
		if !(x.value >= 0) || x.value == 0 && !x.mayBeZero {
			return fmt.Errorf("%s is %v", x.name, x.value)
		}
	}
	return nil
}

// String states the model in a few lines, for the head of a report.
func (c *Costs) String() string {
	link := func(l Link) string {
		return fmt.Sprintf("latency %.3g us, %.3g us of CPU for a message at each end, %.3g GB/s", l.Latency*1e6, l.Overhead*1e6, l.Bandwidth/1e9)
	}
	return fmt.Sprintf("in a node: %s\nbetween nodes: %s\na move: %.3g us at each end; between nodes its memory at %.3g GB/s\ndeciding: %.3g us of every PE",
		link(c.Node), link(c.Network), c.Move.Fixed*1e6, c.Move.Bandwidth/1e9, c.Move.Decide*1e6)
}

// meter adds up what messages cost each PE in a step.
type meter struct {
	costs        *Costs
	pes          []loadbalance.PE
	in, out      []float64 // seconds of bytes
	overhead     []float64
	latency      []float64
	bytes, nodes int64 // between PEs, and the part between nodes
}

func newMeter(costs *Costs, pes []loadbalance.PE) *meter {
	n := len(pes)
	return &meter{costs: costs, pes: pes, in: make([]float64, n), out: make([]float64, n), overhead: make([]float64, n), latency: make([]float64, n)}
}

// send accounts for messages from one PE to another.
func (m *meter) send(from, to int32, messages, bytes int64) {
	if from == to {
		return
	}
	link := &m.costs.Node
	if m.pes[from].Node != m.pes[to].Node {
		link = &m.costs.Network
		m.nodes += bytes
	}
	m.bytes += bytes
	m.out[from] += float64(bytes) / link.Bandwidth
	m.in[to] += float64(bytes) / link.Bandwidth
	for _, p := range []int32{from, to} {
		m.overhead[p] += float64(messages) * link.Overhead
		m.latency[p] = max(m.latency[p], link.Latency)
	}
}

// seconds is what messages cost a PE.
func (m *meter) seconds(p int) float64 {
	return m.overhead[p] + max(m.in[p], m.out[p]) + m.latency[p]
}
