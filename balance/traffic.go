package balance

import "ampirun/loadbalance"

// traffic is who sent how much to whom, of late.
type traffic struct {
	before map[pair]amount // sums at the look before the last one
	last   map[pair]amount
	graph  loadbalance.Graph
}

type (
	pair   struct{ from, to int32 }
	amount struct{ messages, bytes int64 }
)

// lookAtTraffic makes the graph of what was sent in the last two spans between looks, for a strategy that wants it.
func (b *balancer) lookAtTraffic(ranks int) {
	if !b.Strategy.Info().Traffic {
		return
	}
	now := map[pair]amount{}
	var edges []loadbalance.Edge
	for _, t := range b.job.TakeTraffic() {
		p := pair{int32(t.From), int32(t.To)}
		now[p] = amount{t.Messages, t.Bytes}
		was := b.sent.before[p]
		if t.Messages > was.messages {
			edges = append(edges, loadbalance.Edge{From: p.from, To: p.to, Messages: t.Messages - was.messages, Bytes: max(0, t.Bytes-was.bytes)})
		}
	}
	b.sent.before, b.sent.last = b.sent.last, now
	b.sent.graph = loadbalance.NewGraph(ranks, edges)
}
