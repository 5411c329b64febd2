package loadbalance

import (
	"cmp"
	"math"
	"slices"
)

// seats decides which PE takes which part. Parts that are alike may trade places, first whole nodes, then PEs of a node:
// the one whose ranks are there already gets the seat.
func (c *carver) seats(part []int32) []int32 {
	nodes := c.nodeRanges()
	block := make([]int32, len(c.pes)) // of each part: the range it belongs to
	for b, n := range nodes {
		for i := n[0]; i < n[1]; i++ {
			block[i] = int32(b)
		}
	}
	home := slices.Repeat([]int32{nowhere}, len(c.m.PEs)) // of each PE: the range it belongs to
	place := slices.Clone(home)                           // of each PE: its index in pes
	for i, pe := range c.pes {
		home[pe], place[pe] = block[i], int32(i)
	}

	nodeOf := trade(len(nodes), c.alikeNodes(nodes), c.overlaps(part, block, home))
	alike := make([]int, len(c.pes)) // parts may trade within the node they go to
	moved := make([]int32, len(c.pes))
	for i := range c.pes {
		b := nodes[nodeOf[block[i]]]
		moved[i] = int32(b[0] + i - nodes[block[i]][0])
		alike[moved[i]] = int(block[moved[i]])<<16 | sizeClass(c.targets[moved[i]])
	}
	peOf := trade(len(c.pes), alike, c.overlaps(part, moved, place))
	seats := make([]int32, len(c.pes))
	for i := range seats {
		seats[i] = c.pes[peOf[moved[i]]]
	}
	return seats
}

// nodeRanges is the ranges of pes that belong to one node.
func (c *carver) nodeRanges() (ranges [][2]int) {
	for i, pe := range c.pes {
		if i == 0 || c.m.PEs[pe].Node != c.m.PEs[c.pes[i-1]].Node {
			ranges = append(ranges, [2]int{i, i})
		}
		ranges[len(ranges)-1][1] = i + 1
	}
	return ranges
}

// sizeClass is equal for shares that differ by little: 2 %.
func sizeClass(share float64) int { return int(math.Round(-math.Log2(share) * 35)) }

// alikeNodes numbers nodes so that those with the same PEs, in the same order, have the same number.
func (c *carver) alikeNodes(nodes [][2]int) []int {
	number := map[string]int{}
	alike := make([]int, len(nodes))
	for b, n := range nodes {
		var key []byte
		for _, share := range c.targets[n[0]:n[1]] {
			class := sizeClass(share)
			key = append(key, byte(class), byte(class>>8))
		}
		if _, ok := number[string(key)]; !ok {
			number[string(key)] = len(number)
		}
		alike[b] = number[string(key)]
	}
	return alike
}

// overlap is how many ranks of one thing are on another already.
type overlap struct {
	part, seat int32
	ranks      int
}

// overlaps counts ranks by what their part and their present PE belong to.
func (c *carver) overlaps(part, partOf, seatOf []int32) []overlap {
	count := map[[2]int32]int{}
	for v, r := range c.ranks {
		if seat := seatOf[c.m.Ranks[r].PE]; seat != nowhere {
			count[[2]int32{partOf[part[v]], seat}]++
		}
	}
	list := make([]overlap, 0, len(count))
	for k, n := range count {
		list = append(list, overlap{k[0], k[1], n})
	}
	slices.SortFunc(list, func(a, b overlap) int {
		return cmp.Or(cmp.Compare(b.ranks, a.ranks), cmp.Compare(a.part, b.part), cmp.Compare(a.seat, b.seat))
	})
	return list
}

// trade gives each of k parts a seat of the same kind, the largest overlaps first.
func trade(k int, alike []int, overlaps []overlap) []int32 {
	seat, taken := slices.Repeat([]int32{nowhere}, k), make([]bool, k)
	for _, o := range overlaps {
		if seat[o.part] == nowhere && !taken[o.seat] && alike[o.part] == alike[o.seat] {
			seat[o.part], taken[o.seat] = o.seat, true
		}
	}
	free := map[int][]int32{}
	for s := range k {
		if !taken[s] {
			free[alike[s]] = append(free[alike[s]], int32(s))
		}
	}
	for p := range k {
		if seat[p] == nowhere {
			list := free[alike[p]]
			seat[p], free[alike[p]] = list[0], list[1:]
		}
	}
	return seat
}
