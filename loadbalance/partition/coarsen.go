package partition

import "math/rand/v2"

// level is a graph and how the vertices of the finer one before it were merged into its own.
type level struct {
	g      *Graph
	merged []int32
}

// coarsest is how many vertices the smallest graph has, about.
const coarsest = 60

// coarsen merges matched vertices until the graph is small or matching no longer makes it much smaller. The first level
// is g itself.
func coarsen(g *Graph, random *rand.Rand) []level {
	levels := []level{{g: g}}
	heaviest := 1 + 3*g.Total()/(2*coarsest)
	for g.Vertices() > coarsest {
		merged, count := match(g, heaviest, random)
		if count > g.Vertices()*19/20 {
			break
		}
		g = contract(g, merged, count)
		levels = append(levels, level{g, merged})
	}
	return levels
}

// match pairs each vertex with the unmatched neighbour that it talks to most. Pairs heavier than heaviest are not made,
// so that the smallest graph can still be divided evenly.
func match(g *Graph, heaviest int64, random *rand.Rand) (merged []int32, count int) {
	merged = make([]int32, g.Vertices())
	for v := range merged {
		merged[v] = -1
	}
	for _, v := range random.Perm(g.Vertices()) {
		if merged[v] >= 0 {
			continue
		}
		merged[v] = int32(count)
		if u := heaviestNeighbour(g, v, merged, heaviest-g.Vertex[v]); u >= 0 {
			merged[u] = int32(count)
		}
		count++
	}
	return merged, count
}

func heaviestNeighbour(g *Graph, v int, merged []int32, room int64) int32 {
	best, most := int32(-1), int64(-1)
	for i := g.Start[v]; i < g.Start[v+1]; i++ {
		if u := g.Peer[i]; merged[u] < 0 && g.Edge[i] > most && g.Vertex[u] <= room {
			best, most = u, g.Edge[i]
		}
	}
	return best
}

// contract is the graph of merged vertices; edges that became parallel are added up.
func contract(g *Graph, merged []int32, count int) *Graph {
	members := membersOf(merged, count)
	c := &Graph{Start: make([]int32, count+1), Vertex: make([]int64, count),
		Peer: make([]int32, 0, len(g.Peer)), Edge: make([]int64, 0, len(g.Peer))}
	place := make([]int32, count) // where a neighbour stands in the row being made, plus 1
	for v := range count {
		first := len(c.Peer)
		for _, fine := range members[v] {
			if fine >= 0 {
				c.Vertex[v] += g.Vertex[fine]
				c.addRow(g, fine, int32(v), merged, place, first)
			}
		}
		c.Start[v+1] = int32(len(c.Peer))
	}
	return c
}

func (c *Graph) addRow(g *Graph, fine, v int32, merged, place []int32, first int) {
	for i := g.Start[fine]; i < g.Start[fine+1]; i++ {
		u := merged[g.Peer[i]]
		if u == v {
			continue
		}
		if at := int(place[u]) - 1; at >= first && at < len(c.Peer) && c.Peer[at] == u {
			c.Edge[at] += g.Edge[i]
			continue
		}
		c.Peer = append(c.Peer, u)
		c.Edge = append(c.Edge, g.Edge[i])
		place[u] = int32(len(c.Peer))
	}
}

// membersOf lists the one or two vertices that each merged one stands for; -1 fills up.
func membersOf(merged []int32, count int) [][2]int32 {
	members := make([][2]int32, count)
	for i := range members {
		members[i] = [2]int32{-1, -1}
	}
	for v, c := range merged {
		if members[c][0] < 0 {
			members[c][0] = int32(v)
		} else {
			members[c][1] = int32(v)
		}
	}
	return members
}
