package live

import (
	"ampirun/loadbalance"
	"ampirun/vrank"
)

// traffic is who sent how much to whom, of late.
type traffic struct {
	before sums // at the look before the last one
	last   sums
	graph  loadbalance.Graph
}

// sums is what ranks had sent each other at some moment.
type sums map[pair]amount

type (
	pair   struct{ from, to int32 }
	amount struct{ messages, bytes int64 }
)

func sumUp(all []vrank.Traffic) sums {
	s := make(sums, len(all))
	for _, t := range all {
		s[pair{int32(t.From), int32(t.To)}] = amount{t.Messages, t.Bytes}
	}
	return s
}

// since is the graph of what was sent after an earlier look.
func (s sums) since(was sums, ranks int) loadbalance.Graph {
	var edges []loadbalance.Edge
	for p, now := range s {
		if then := was[p]; now.messages > then.messages {
			edges = append(edges, loadbalance.Edge{From: p.from, To: p.to, Messages: now.messages - then.messages, Bytes: max(0, now.bytes-then.bytes)})
		}
	}
	return loadbalance.NewGraph(ranks, edges)
}

// lookAtTraffic makes the graph of what was sent in the last two spans between looks, for a strategy that wants it.
func (b *balancer) lookAtTraffic(ranks int) {
	if !b.Strategy.Info().Traffic {
		return
	}
	now := sumUp(b.job.TakeTraffic())
	b.sent.graph = now.since(b.sent.before, ranks)
	b.sent.before, b.sent.last = b.sent.last, now
}
