// Package native opens METIS and Scotch, where they are installed, when they are first asked for. Importing it registers
// them with package partition as "metis" and "scotch"; nothing is linked against them.
package native

import (
	"errors"
	"math"

	"ampirun/loadbalance/partition"
)

// input is a graph as both libraries want it: 32-bit weights whose sums fit in 32 bits as well.
type input struct {
	start, peer, edge, vertex []int32
}

// largest is what weights may add up to; the libraries add and multiply some of them by small numbers.
const largest = math.MaxInt32 / 8

func newInput(g *partition.Graph, targets []float64) (*input, error) {
	if g.Vertices() == 0 || len(g.Peer) == 0 || len(targets) == 0 {
		return nil, errors.New("the graph has no edge, or there are no parts")
	}
	return &input{start: g.Start, peer: g.Peer, edge: scale(g.Edge), vertex: scale(g.Vertex)}, nil
}

// scale brings weights into range and above 0: both libraries divide by weights.
func scale(weights []int64) []int32 {
	total := 0.0
	for _, w := range weights {
		total += float64(w)
	}
	factor := min(1, (largest-float64(len(weights)))/max(total, 1))
	scaled := make([]int32, len(weights))
	for i, w := range weights {
		scaled[i] = int32(max(1, math.Round(float64(w)*factor)))
	}
	return scaled
}
