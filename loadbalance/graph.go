package loadbalance

import (
	"cmp"
	"fmt"
	"slices"
)

// Graph is who sent how much to whom in the measured period, in compressed rows: what rank r sent are the entries
// Start[r] to Start[r+1]-1, ordered by receiver. The zero value is "nobody talked".
type Graph struct {
	Start    []int32
	Peer     []int32
	Messages []int64
	Bytes    []int64
}

// Edge is one entry of a Graph.
type Edge struct {
	From, To        int32
	Messages, Bytes int64
}

// NewGraph makes a graph over ranks 0 to ranks-1 of edges in any order; several between the same two are added up. What
// a rank sends to itself is left out. It reorders the edges it is given.
func NewGraph(ranks int, edges []Edge) Graph {
	edges = slices.DeleteFunc(edges, func(e Edge) bool { return e.From == e.To })
	slices.SortFunc(edges, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	g := Graph{Start: make([]int32, ranks+1)}
	for i, e := range edges {
		if last := len(g.Peer) - 1; i > 0 && edges[i-1].From == e.From && edges[i-1].To == e.To {
			g.Messages[last] += e.Messages
			g.Bytes[last] += e.Bytes
			continue
		}
		g.Peer = append(g.Peer, e.To)
		g.Messages = append(g.Messages, e.Messages)
		g.Bytes = append(g.Bytes, e.Bytes)
		g.Start[e.From+1]++
	}
	for r := range ranks {
		g.Start[r+1] += g.Start[r]
	}
	return g
}

// Empty tells whether nobody talked.
func (g *Graph) Empty() bool { return len(g.Peer) == 0 }

// Row is the range of entries of what rank r sent.
func (g *Graph) Row(r int) (from, to int32) {
	if g.Empty() {
		return 0, 0
	}
	return g.Start[r], g.Start[r+1]
}

// Edges calls f for every entry, by sender, then by receiver.
func (g *Graph) Edges(f func(Edge)) {
	for r := 0; r+1 < len(g.Start); r++ {
		for i := g.Start[r]; i < g.Start[r+1]; i++ {
			f(Edge{From: int32(r), To: g.Peer[i], Messages: g.Messages[i], Bytes: g.Bytes[i]})
		}
	}
}

// Symmetric is the graph of traffic in both directions: the entry (a, b) equals the entry (b, a) and holds what either
// sent to the other. O(ranks + entries): two passes of counting, no sorting.
func (g *Graph) Symmetric() Graph {
	if g.Empty() {
		return Graph{}
	}
	n := len(g.Start) - 1
	transposed := g.transpose()
	s := Graph{Start: make([]int32, n+1)}
	for r := range n {
		s.mergeRows(g, &transposed, r)
		s.Start[r+1] = int32(len(s.Peer))
	}
	return s
}

// transpose turns senders into receivers; its rows come out ordered.
func (g *Graph) transpose() Graph {
	n := len(g.Start) - 1
	t := Graph{Start: make([]int32, n+1), Peer: make([]int32, len(g.Peer)),
		Messages: make([]int64, len(g.Peer)), Bytes: make([]int64, len(g.Peer))}
	for _, p := range g.Peer {
		t.Start[p+1]++
	}
	for r := range n {
		t.Start[r+1] += t.Start[r]
	}
	next := slices.Clone(t.Start)
	g.Edges(func(e Edge) {
		i := next[e.To]
		next[e.To]++
		t.Peer[i], t.Messages[i], t.Bytes[i] = e.From, e.Messages, e.Bytes
	})
	return t
}

// mergeRows appends the sum of row r of two graphs.
func (s *Graph) mergeRows(a, b *Graph, r int) {
	i, iEnd := a.Row(r)
	j, jEnd := b.Row(r)
	for i < iEnd || j < jEnd {
		var peer int32
		var messages, bytes int64
		takeA := i < iEnd && (j >= jEnd || a.Peer[i] <= b.Peer[j])
		takeB := j < jEnd && (i >= iEnd || b.Peer[j] <= a.Peer[i])
		if takeA {
			peer, messages, bytes = a.Peer[i], a.Messages[i], a.Bytes[i]
			i++
		}
		if takeB {
			peer, messages, bytes = b.Peer[j], messages+b.Messages[j], bytes+b.Bytes[j]
			j++
		}
		s.Peer = append(s.Peer, peer)
		s.Messages = append(s.Messages, messages)
		s.Bytes = append(s.Bytes, bytes)
	}
}

func (g *Graph) validate(ranks int) error {
	if g.Empty() {
		return nil
	}
	if len(g.Start) != ranks+1 || g.Start[0] != 0 || int(g.Start[ranks]) != len(g.Peer) ||
		len(g.Messages) != len(g.Peer) || len(g.Bytes) != len(g.Peer) {
		return fmt.Errorf("the communication graph is not one of %d ranks", ranks)
	}
	for r := range ranks {
		if err := g.validateRow(r, ranks); err != nil {
			return err
		}
	}
	return nil
}

func (g *Graph) validateRow(r, ranks int) error {
	from, to := g.Row(r)
	if from > to || int(to) > len(g.Peer) {
		return fmt.Errorf("the communication graph has row %d from %d to %d", r, from, to)
	}
	for i := from; i < to; i++ {
		switch p := g.Peer[i]; {
		case p < 0 || int(p) >= ranks || int(p) == r:
			return fmt.Errorf("rank %d: talks to rank %d, of %d", r, p, ranks)
		case i > from && g.Peer[i-1] >= p:
			return fmt.Errorf("rank %d: its receivers are not in order", r)
		case g.Messages[i] < 0 || g.Bytes[i] < 0:
			return fmt.Errorf("rank %d: sent %d messages of %d bytes to rank %d", r, g.Messages[i], g.Bytes[i], p)
		}
	}
	return nil
}
