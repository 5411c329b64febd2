// Package loadbalance decides which ranks move where: pure functions from what was measured to a list of moves. It
// knows nothing of processes, of MPI or of how a rank is moved; the same input and seed give the same moves everywhere.
package loadbalance

import "fmt"

// PE is one processing element: a worker that runs ranks one at a time.
type PE struct {
	Speed      float64 // work done in a second, against a nominal PE; above 0
	Background float64 // seconds of the measured period that something else than our ranks took
	Node       int32   // PEs of a node share memory: a move between them copies nothing
}

// Rank is one virtual rank as it was measured.
type Rank struct {
	Load   float64 // seconds of the measured period it would take on a PE of speed 1
	PE     int32   // where it is
	Memory int64   // bytes that a move by copy carries
	Pinned bool    // it cannot move
}

// Measurements is what all strategies decide on.
type Measurements struct {
	PEs   []PE
	Ranks []Rank
	Graph Graph // who talked to whom; may be empty
}

// Validate finds the first thing in m that no strategy could work with.
func (m *Measurements) Validate() error {
	if len(m.PEs) == 0 {
		return fmt.Errorf("there is no PE")
	}
	for i, pe := range m.PEs {
		if !(pe.Speed > 0) || !isFinite(pe.Speed) {
			return fmt.Errorf("PE %d: speed is %v", i, pe.Speed)
		}
		if !(pe.Background >= 0) || !isFinite(pe.Background) {
			return fmt.Errorf("PE %d: background load is %v", i, pe.Background)
		}
		if pe.Node < 0 {
			return fmt.Errorf("PE %d: node is %d", i, pe.Node)
		}
	}
	for i, r := range m.Ranks {
		if !(r.Load >= 0) || !isFinite(r.Load) {
			return fmt.Errorf("rank %d: load is %v", i, r.Load)
		}
		if r.PE < 0 || int(r.PE) >= len(m.PEs) {
			return fmt.Errorf("rank %d: is on PE %d, of %d", i, r.PE, len(m.PEs))
		}
	}
	return m.Graph.validate(len(m.Ranks))
}

func isFinite(x float64) bool { return x-x == 0 }

// Move takes a rank from one PE to another.
type Move struct {
	Rank, From, To int32
}

// Mapping is the PE of each rank before any move.
func (m *Measurements) Mapping() []int32 {
	mapping := make([]int32, len(m.Ranks))
	for r := range m.Ranks {
		mapping[r] = m.Ranks[r].PE
	}
	return mapping
}

// Apply changes a mapping by moves. It says which move does not fit: a rank that is not there, moved twice, or to nowhere.
func (m *Measurements) Apply(moves []Move) (mapping []int32, err error) {
	mapping = m.Mapping()
	moved := make([]bool, len(m.Ranks))
	for _, v := range moves {
		switch {
		case v.Rank < 0 || int(v.Rank) >= len(mapping):
			return nil, fmt.Errorf("move of rank %d, of %d", v.Rank, len(mapping))
		case moved[v.Rank]:
			return nil, fmt.Errorf("rank %d is moved twice", v.Rank)
		case mapping[v.Rank] != v.From:
			return nil, fmt.Errorf("rank %d is on PE %d, not on %d", v.Rank, mapping[v.Rank], v.From)
		case v.To < 0 || int(v.To) >= len(m.PEs):
			return nil, fmt.Errorf("rank %d moves to PE %d, of %d", v.Rank, v.To, len(m.PEs))
		case m.Ranks[v.Rank].Pinned:
			return nil, fmt.Errorf("rank %d is pinned", v.Rank)
		}
		mapping[v.Rank], moved[v.Rank] = v.To, true
	}
	return mapping, nil
}

// movesTo lists what differs between where ranks are and a mapping, in the order of ranks.
func (m *Measurements) movesTo(mapping []int32) []Move {
	var moves []Move
	for r, to := range mapping {
		if from := m.Ranks[r].PE; from != to {
			moves = append(moves, Move{Rank: int32(r), From: from, To: to})
		}
	}
	return moves
}
