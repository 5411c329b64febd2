// Package synth makes workloads whose imbalance is known, for tests, benchmarks and to try strategies without a program.
package synth

import (
	"io"
	"math"
	"math/rand/v2"

	"ampirun/loadbalance"
	"ampirun/loadbalance/record"
)

// Workload is a program in steps, as a balancer sees it.
type Workload struct {
	Name   string
	Ranks  int
	Memory int64                     // bytes of each rank
	Load   func(step, r int) float64 // seconds of rank r in a step, on a PE of speed 1
	Graph  func() []loadbalance.Edge // what ranks send in each step; nil if nothing
}

// mean is the load of an average rank, in seconds.
const mean = 1e-3

// Linear has ranks whose work is proportional to their number: the last PE of a block mapping has nearly twice the mean.
func Linear(ranks int) Workload {
	return Workload{Name: "linear", Ranks: ranks, Memory: 1 << 20, Load: func(_, r int) float64 {
		return 2 * mean * float64(r+1) / float64(ranks+1)
	}}
}

// HotSpot has one stretch of an eighth of the ranks with nine times the work of others; it moves by its own length every
// period steps.
func HotSpot(ranks, period int) Workload {
	return Workload{Name: "hotspot", Ranks: ranks, Memory: 1 << 20, Load: func(step, r int) float64 {
		at := float64(r)/float64(ranks) - float64(step/period)/8
		if at-math.Floor(at) < 1.0/8 {
			return mean * 9 / 2
		}
		return mean / 2
	}}
}

// Random has exponentially distributed work that stays the same in all steps.
func Random(ranks int, seed uint64) Workload {
	random := rand.New(rand.NewPCG(seed, 0))
	load := make([]float64, ranks)
	for r := range load {
		load[r] = mean * random.ExpFloat64()
	}
	return Workload{Name: "random", Ranks: ranks, Memory: 1 << 20, Load: func(_, r int) float64 { return load[r] }}
}

// haloBytes is what neighbours of a stencil send each other in a step.
const haloBytes = 64 << 10

// Stencil2D is an x by y mesh in which each rank talks to up to four; work falls off around the middle of the mesh.
func Stencil2D(x, y int) Workload { return stencil("stencil2d", [3]int{x, y, 1}) }

// Stencil3D is an x by y by z mesh in which each rank talks to up to six; work falls off around the middle of the mesh.
func Stencil3D(x, y, z int) Workload { return stencil("stencil3d", [3]int{x, y, z}) }

func stencil(name string, size [3]int) Workload {
	ranks := size[0] * size[1] * size[2]
	return Workload{Name: name, Ranks: ranks, Memory: 1 << 20,
		Load:  func(_, r int) float64 { return mean * (0.5 + 2*math.Exp(-8*fromMiddle(size, r))) },
		Graph: func() []loadbalance.Edge { return halo(size) },
	}
}

// fromMiddle is the squared distance of a rank from the middle of the mesh, whose sides count 1.
func fromMiddle(size [3]int, r int) (square float64) {
	for axis, at := range coordinates(size, r) {
		d := (float64(at)+0.5)/float64(size[axis]) - 0.5
		square += d * d
	}
	return square
}

func coordinates(size [3]int, r int) [3]int {
	return [3]int{r % size[0], r / size[0] % size[1], r / (size[0] * size[1])}
}

func halo(size [3]int) (edges []loadbalance.Edge) {
	stride := [3]int{1, size[0], size[0] * size[1]}
	for r := range size[0] * size[1] * size[2] {
		for axis, at := range coordinates(size, r) {
			if at+1 < size[axis] {
				a, b := int32(r), int32(r+stride[axis])
				edges = append(edges, loadbalance.Edge{From: a, To: b, Messages: 1, Bytes: haloBytes},
					loadbalance.Edge{From: b, To: a, Messages: 1, Bytes: haloBytes})
			}
		}
	}
	return edges
}

// PEs makes PEs of speed 1, so many to a node.
func PEs(count, perNode int) []loadbalance.PE {
	pes := make([]loadbalance.PE, count)
	for p := range pes {
		pes[p] = loadbalance.PE{Speed: 1, Node: int32(p / perNode)}
	}
	return pes
}

// Measurements is what a balancer would see after a step with the ranks in blocks on PEs.
func (w Workload) Measurements(step int, pes []loadbalance.PE) *loadbalance.Measurements {
	m := &loadbalance.Measurements{PEs: pes, Ranks: make([]loadbalance.Rank, w.Ranks)}
	for r := range m.Ranks {
		m.Ranks[r] = loadbalance.Rank{Load: w.Load(step, r), PE: int32(r * len(pes) / w.Ranks), Memory: w.Memory}
	}
	if w.Graph != nil {
		m.Graph = loadbalance.NewGraph(w.Ranks, w.Graph())
	}
	return m
}

// Trace gives so many steps of a workload, as if they had been measured on PEs with ranks in blocks. It reads like a
// record.Reader.
func (w Workload) Trace(steps int, pes []loadbalance.PE) *Trace {
	t := &Trace{workload: w, steps: steps, Header: record.Header{Program: w.Name, Ranks: w.Ranks, PEs: pes}}
	if w.Graph != nil {
		t.graph = loadbalance.NewGraph(w.Ranks, w.Graph())
	}
	return t
}

// Trace is a workload as steps.
type Trace struct {
	Header      record.Header
	workload    Workload
	graph       loadbalance.Graph
	step, steps int
}

// Next gives the next step, or io.EOF.
func (t *Trace) Next() (*record.Step, error) {
	if t.step == t.steps {
		return nil, io.EOF
	}
	pes := t.Header.PEs
	s := &record.Step{Ranks: make([]loadbalance.Rank, t.workload.Ranks), Idle: make([]float64, len(pes)),
		Background: make([]float64, len(pes)), Graph: t.graph}
	busy := make([]float64, len(pes))
	for r := range s.Ranks {
		p := r * len(pes) / t.workload.Ranks
		s.Ranks[r] = loadbalance.Rank{Load: t.workload.Load(t.step, r), PE: int32(p), Memory: t.workload.Memory}
		busy[p] += s.Ranks[r].Load / pes[p].Speed
		s.Seconds = max(s.Seconds, busy[p])
	}
	for p := range pes {
		s.Idle[p] = s.Seconds - busy[p]
	}
	t.step++
	return s, nil
}

// Write writes the steps that are left as a run would have.
func (t *Trace) Write(w *record.Writer) error {
	for {
		s, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.Write(s); err != nil {
			return err
		}
	}
}
