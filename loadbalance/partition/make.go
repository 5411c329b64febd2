package partition

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

// Builder collects vertices and edges of a Graph.
type Builder struct {
	vertex []int64
	edges  []edge
}

type edge struct {
	from, to int32
	weight   int64
}

// NewBuilder begins a graph of n vertices of weight 1 without edges.
func NewBuilder(n int) *Builder { return &Builder{vertex: slices.Repeat([]int64{1}, n)} }

// SetVertex sets the weight of a vertex.
func (b *Builder) SetVertex(v int, weight int64) { b.vertex[v] = weight }

// Add adds weight to the edge between u and v; loops are left out.
func (b *Builder) Add(u, v int, weight int64) {
	if u != v {
		b.edges = append(b.edges, edge{int32(u), int32(v), weight}, edge{int32(v), int32(u), weight})
	}
}

// Graph is what was collected. The builder is used up.
func (b *Builder) Graph() *Graph {
	slices.SortFunc(b.edges, func(x, y edge) int { return cmp.Or(cmp.Compare(x.from, y.from), cmp.Compare(x.to, y.to)) })
	g := &Graph{Start: make([]int32, len(b.vertex)+1), Vertex: b.vertex}
	for i, e := range b.edges {
		if i > 0 && b.edges[i-1].from == e.from && b.edges[i-1].to == e.to {
			g.Edge[len(g.Edge)-1] += e.weight
			continue
		}
		g.Peer = append(g.Peer, e.to)
		g.Edge = append(g.Edge, e.weight)
		g.Start[e.from+1]++
	}
	for v := range b.vertex {
		g.Start[v+1] += g.Start[v]
	}
	return g
}

// Grid is an x by y by z mesh with edges of weight 1 along its axes.
func Grid(x, y, z int) *Graph {
	b := NewBuilder(x * y * z)
	for v := range x * y * z {
		if v%x+1 < x {
			b.Add(v, v+1, 1)
		}
		if v/x%y+1 < y {
			b.Add(v, v+x, 1)
		}
		if v+x*y < x*y*z {
			b.Add(v, v+x*y, 1)
		}
	}
	return b.Graph()
}

// Geometric is n points at random in the unit square, each with edges to those so near that it has about 8 of them.
func Geometric(n int, seed uint64) *Graph {
	random := rand.New(rand.NewPCG(seed, 0))
	radius := math.Sqrt(8 / (math.Pi * float64(n)))
	cells := int(1 / radius)
	type point struct{ x, y float64 }
	points, cell := make([]point, n), map[[2]int][]int{}
	b := NewBuilder(n)
	for v := range points {
		p := point{random.Float64(), random.Float64()}
		points[v] = p
		cx, cy := int(p.x*float64(cells)), int(p.y*float64(cells))
		for dx := -1; dx <= 1; dx++ {
			for dy := -1; dy <= 1; dy++ {
				for _, u := range cell[[2]int{cx + dx, cy + dy}] {
					if math.Hypot(p.x-points[u].x, p.y-points[u].y) <= radius {
						b.Add(u, v, 1)
					}
				}
			}
		}
		cell[[2]int{cx, cy}] = append(cell[[2]int{cx, cy}], v)
	}
	return b.Graph()
}
