// Package mapping decides where ranks begin: pure functions from ranks and PEs to a PE for each rank.
package mapping

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"ampirun/loadbalance"
)

// Function gives the PE (index in pes) of each of a number of ranks. Its errors are one line for the user.
type Function func(ranks int, pes []loadbalance.PE) ([]int32, error)

// Names is what Parse understands, for help.
const Names = "block, rr, prop or file:F"

// charmNames are what AMPI's programs call them.
var charmNames = map[string]string{"BLOCK_MAP": "block", "RR_MAP": "rr", "PROP_MAP": "prop", "MAPFILE": "file:mapfile"}

// Parse finds the mapping that +mapping names. A file is read when the function is called.
func Parse(spec string) (Function, error) {
	if known := charmNames[spec]; known != "" {
		spec = known
	}
	file, isFile := strings.CutPrefix(spec, "file:")
	switch {
	case spec == "block":
		return Block, nil
	case spec == "rr":
		return RoundRobin, nil
	case spec == "prop":
		return Proportional, nil
	case isFile && file != "":
		return func(ranks int, pes []loadbalance.PE) ([]int32, error) { return readFile(file, ranks, pes) }, nil
	}
	return nil, fmt.Errorf("there is no mapping %q; there are %s", spec, Names)
}

func readFile(name string, ranks int, pes []loadbalance.PE) ([]int32, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(name, f, ranks, pes)
}

// Block puts neighbouring ranks together: equally many on each PE, give or take one, the PEs of a node after each other.
func Block(ranks int, pes []loadbalance.PE) ([]int32, error) {
	order := byNode(pes)
	mapping := make([]int32, ranks)
	for r := range mapping {
		mapping[r] = order[r*len(order)/ranks]
	}
	return mapping, nil
}

// RoundRobin deals ranks out one by one, to the PEs of a node after each other.
func RoundRobin(ranks int, pes []loadbalance.PE) ([]int32, error) {
	order := byNode(pes)
	mapping := make([]int32, ranks)
	for r := range mapping {
		mapping[r] = order[r%len(order)]
	}
	return mapping, nil
}

// Proportional is Block with as many ranks on each PE as it is fast, rounded so that any number of neighbouring PEs has
// within one of its share.
func Proportional(ranks int, pes []loadbalance.PE) ([]int32, error) {
	total := 0.0
	for _, pe := range pes {
		total += pe.Speed
	}
	mapping := make([]int32, 0, ranks)
	speed := 0.0
	order := byNode(pes)
	for i, p := range order {
		speed += pes[p].Speed
		end := int(float64(ranks)*speed/total + 0.5)
		if i == len(order)-1 {
			end = ranks
		}
		for len(mapping) < end {
			mapping = append(mapping, p)
		}
	}
	return mapping, nil
}

// byNode lists PEs, those of a node together.
func byNode(pes []loadbalance.PE) []int32 {
	order := make([]int32, len(pes))
	for p := range order {
		order[p] = int32(p)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(pes[a].Node, pes[b].Node) })
	return order
}
