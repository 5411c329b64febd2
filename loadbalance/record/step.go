package record

import (
	"fmt"
	"math"
	"slices"

	"ampirun/loadbalance"
)

// wireStep is a step in CBOR, as differences to the step before it; before the first one everything is 0.
type wireStep struct {
	_          struct{} `cbor:",toarray"`
	Duration   int64
	Load       []int64 // of each rank, minus that before
	Moved      []int64 // pairs: rank, PE
	Memory     []int64 // pairs: rank, bytes
	Pinned     []int64 // ranks that became pinned, or movable again
	Idle       []int64 // of each PE
	Background []int64

	// What was sent. Rows holds the number of receivers of each rank, and Peers each receiver minus the one before it in
	// its row, if who talks to whom is not as before; then Messages and Bytes are absolute, else they are minus those
	// before. Where all are as before, the four are empty and Same is set.
	Same            bool
	Rows, Peers     []int32
	Messages, Bytes []int64
}

func nanoseconds(seconds float64) int64 { return int64(math.Round(seconds * 1e9)) }

func allNanoseconds(seconds []float64) []int64 {
	all := make([]int64, len(seconds))
	for i, s := range seconds {
		all[i] = nanoseconds(s)
	}
	return all
}

// state is what differences are taken to: the step before, as the reader sees it.
type state struct {
	load   []int64
	ranks  []loadbalance.Rank
	graph  loadbalance.Graph
	before bool // there was one
}

func newState(ranks int) *state {
	return &state{load: make([]int64, ranks), ranks: make([]loadbalance.Rank, ranks)}
}

// encode takes the difference to the step before.
func (b *state) encode(s *Step) *wireStep {
	w := &wireStep{Duration: nanoseconds(s.Seconds), Load: make([]int64, len(s.Ranks)),
		Idle: allNanoseconds(s.Idle), Background: allNanoseconds(s.Background)}
	for r, rank := range s.Ranks {
		was, load := &b.ranks[r], nanoseconds(rank.Load)
		w.Load[r] = load - b.load[r]
		b.load[r] = load
		if rank.PE != was.PE {
			w.Moved = append(w.Moved, int64(r), int64(rank.PE))
		}
		if rank.Memory != was.Memory {
			w.Memory = append(w.Memory, int64(r), rank.Memory)
		}
		if rank.Pinned != was.Pinned {
			w.Pinned = append(w.Pinned, int64(r))
		}
		*was = rank
	}
	b.encodeGraph(&s.Graph, w)
	return w
}

func (b *state) encodeGraph(g *loadbalance.Graph, w *wireStep) {
	was := &b.graph
	sameTalkers := b.before && slices.Equal(g.Start, was.Start) && slices.Equal(g.Peer, was.Peer)
	switch {
	case sameTalkers && slices.Equal(g.Messages, was.Messages) && slices.Equal(g.Bytes, was.Bytes):
		w.Same = true
	case sameTalkers:
		w.Messages, w.Bytes = minus(g.Messages, was.Messages), minus(g.Bytes, was.Bytes)
	default:
		for r := 0; r+1 < len(g.Start); r++ {
			row := g.Peer[g.Start[r]:g.Start[r+1]]
			w.Rows = append(w.Rows, int32(len(row)))
			last := int32(0)
			for _, p := range row {
				w.Peers = append(w.Peers, p-last)
				last = p
			}
		}
		w.Messages, w.Bytes = g.Messages, g.Bytes
	}
	b.before = true
	b.graph = loadbalance.Graph{Start: slices.Clone(g.Start), Peer: slices.Clone(g.Peer),
		Messages: slices.Clone(g.Messages), Bytes: slices.Clone(g.Bytes)}
}

func minus(a, b []int64) []int64 {
	d := make([]int64, len(a))
	for i := range a {
		d[i] = a[i] - b[i]
	}
	return d
}

// decode adds a difference, with the load of each rank, to the step before. Its outcome has yet to be checked.
func (b *state) decode(w *wireStep) (*Step, error) {
	for r, d := range w.Load {
		b.load[r] += d
		b.ranks[r].Load = float64(b.load[r]) / 1e9
	}
	if err := b.decodeChanges(w); err != nil {
		return nil, err
	}
	if err := b.decodeGraph(w); err != nil {
		return nil, err
	}
	return &Step{Seconds: float64(w.Duration) / 1e9, Ranks: slices.Clone(b.ranks), Idle: allSeconds(w.Idle),
		Background: allSeconds(w.Background), Graph: b.graph}, nil
}

func allSeconds(nanoseconds []int64) []float64 {
	all := make([]float64, len(nanoseconds))
	for i, n := range nanoseconds {
		all[i] = float64(n) / 1e9
	}
	return all
}

func (b *state) decodeChanges(w *wireStep) error {
	if len(w.Moved)%2 != 0 || len(w.Memory)%2 != 0 {
		return fmt.Errorf("half a change is missing")
	}
	for _, changed := range [][]int64{everySecond(w.Moved), everySecond(w.Memory), w.Pinned} {
		for _, r := range changed {
			if r < 0 || r >= int64(len(b.ranks)) {
				return fmt.Errorf("it changes rank %d, of %d", r, len(b.ranks))
			}
		}
	}
	for i := 0; i < len(w.Moved); i += 2 {
		if pe := w.Moved[i+1]; pe != int64(int32(pe)) {
			return fmt.Errorf("rank %d moved to PE %d", w.Moved[i], pe)
		}
		b.ranks[w.Moved[i]].PE = int32(w.Moved[i+1])
	}
	for i := 0; i < len(w.Memory); i += 2 {
		b.ranks[w.Memory[i]].Memory = w.Memory[i+1]
	}
	for _, r := range w.Pinned {
		b.ranks[r].Pinned = !b.ranks[r].Pinned
	}
	return nil
}

func everySecond(pairs []int64) []int64 {
	firsts := make([]int64, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		firsts = append(firsts, pairs[i])
	}
	return firsts
}

// decodeGraph makes a new graph unless nothing changed; steps that were given out keep theirs.
func (b *state) decodeGraph(w *wireStep) error {
	g := loadbalance.Graph{Messages: w.Messages, Bytes: w.Bytes}
	switch {
	case w.Same:
		return nil
	case len(w.Rows) == 0 && len(b.graph.Peer) > 0 && len(w.Messages) == len(b.graph.Peer) && len(w.Bytes) == len(b.graph.Peer):
		g.Start, g.Peer = b.graph.Start, b.graph.Peer
		for i := range g.Peer {
			g.Messages[i] += b.graph.Messages[i]
			g.Bytes[i] += b.graph.Bytes[i]
		}
	default:
		if err := decodeTalkers(&g, w, len(b.ranks)); err != nil {
			return err
		}
	}
	b.graph = g
	return nil
}

func decodeTalkers(g *loadbalance.Graph, w *wireStep, ranks int) error {
	if len(w.Rows) != 0 && len(w.Rows) != ranks || len(w.Rows) == 0 && len(w.Peers)+len(w.Messages)+len(w.Bytes) != 0 {
		return fmt.Errorf("who talks to whom is told of %d ranks, of %d", len(w.Rows), ranks)
	}
	if len(w.Rows) == 0 {
		return nil
	}
	g.Start, g.Peer = make([]int32, 1, ranks+1), w.Peers
	for _, n := range w.Rows {
		at := int(g.Start[len(g.Start)-1])
		if n < 0 || at+int(n) > len(g.Peer) {
			return fmt.Errorf("a rank talks to %d others, of %d that are told", n, len(g.Peer))
		}
		for i := at + 1; i < at+int(n); i++ {
			g.Peer[i] += g.Peer[i-1]
		}
		g.Start = append(g.Start, int32(at)+n)
	}
	return nil
}
