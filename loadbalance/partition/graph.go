// Package partition divides a graph into parts of given weights with little traffic between them: by an own multilevel
// recursive bisection, or by a library that was found at run time and registered here.
package partition

import "fmt"

// Graph has a weight on each vertex and each edge, in compressed rows. Each edge appears in both directions with equal
// weight; there are no loops. Weights are 0 or larger.
type Graph struct {
	Start  []int32
	Peer   []int32
	Edge   []int64
	Vertex []int64
}

// Vertices is the number of vertices.
func (g *Graph) Vertices() int { return len(g.Vertex) }

// Total is the weight of all vertices.
func (g *Graph) Total() (total int64) {
	for _, w := range g.Vertex {
		total += w
	}
	return total
}

// Cut is the weight of the edges between different parts.
func (g *Graph) Cut(part []int32) (cut int64) {
	for v := range g.Vertex {
		for i := g.Start[v]; i < g.Start[v+1]; i++ {
			if part[v] != part[g.Peer[i]] {
				cut += g.Edge[i]
			}
		}
	}
	return cut / 2
}

// Weights is the weight of each of k parts.
func (g *Graph) Weights(part []int32, k int) []int64 {
	weights := make([]int64, k)
	for v, p := range part {
		weights[p] += g.Vertex[v]
	}
	return weights
}

// Function divides g into len(targets) parts, part i about the share targets[i] of the weight (the targets' sum is 1).
// It gives the part of each vertex. The same input and seed give the same parts.
type Function func(g *Graph, targets []float64, seed uint64) ([]int32, error)

var registered = map[string]Function{}

// Register makes a library's partitioner known under its name. It is called from init functions only.
func Register(name string, f Function) { registered[name] = f }

// Find is the partitioner that was registered under a name, or an error that says there is none.
func Find(name string) (Function, error) {
	if f, ok := registered[name]; ok {
		return f, nil
	}
	return nil, fmt.Errorf("this program was built without %s", name)
}
