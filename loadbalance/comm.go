package loadbalance

// messageBytes is how many bytes cost as much as a message does by itself: what a fast network sends in the time that
// one message takes for software and latency. Strategies that look at traffic weigh it by this.
const messageBytes = 4096

// weight is one number for traffic.
func (g *Graph) weight(i int32) int64 { return g.Bytes[i] + messageBytes*g.Messages[i] }

// traffic is the weighted traffic between PEs under a mapping; what leaves a node counts double.
func (m *Measurements) traffic(mapping []int32) (cut int64) {
	m.Graph.Edges(func(e Edge) {
		from, to := mapping[e.From], mapping[e.To]
		if from == to {
			return
		}
		weight := e.Bytes + messageBytes*e.Messages
		if m.PEs[from].Node != m.PEs[to].Node {
			weight *= 2
		}
		cut += weight
	})
	return cut
}

// movesIfUseful gives no moves where neither the makespan nor the traffic gets better.
func (p *placement) movesIfUseful() []Move {
	present := p.m.present()
	if p.makespan() >= present.makespan() && p.m.traffic(p.pe) >= p.m.traffic(present.pe) {
		return nil
	}
	return p.moves()
}

// room is the work that each PE can take beside what is fixed on it, until the level.
func (m *Measurements) room() []float64 {
	level := m.Level()
	room := m.onlyPinned().time
	for p, pe := range m.PEs {
		room[p] = max(0, level-room[p]) * pe.Speed
	}
	return room
}
