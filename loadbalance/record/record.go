// Package record writes and reads what a run measured, step by step, so that balancing can be replayed elsewhere.
//
// A trace is the bytes "AMPILB" and one byte for the version, then a stream compressed with zstd: frames of a length (as
// encoding/binary writes unsigned varints) and that many bytes of CBOR (RFC 8949). The first frame is the header, each
// further one a step. Times are whole nanoseconds. Steps hold differences to the step before: see step.go.
package record

import (
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"ampirun/loadbalance"
)

const magic = "AMPILB"

// Version is the version of the format that is written, and the only one that is read.
const Version = 1

// maxFrame is the size of the largest frame that is written or read.
const maxFrame = 1 << 30

// ErrCut tells that a trace ends in the middle: the run that wrote it was ended. What was read before holds.
var ErrCut = errors.New("the trace is cut off")

// Header says what was measured.
type Header struct {
	Program string
	Ranks   int
	PEs     []loadbalance.PE // Background is not recorded here: it is in each step
}

// Step is what was measured between two points in time.
type Step struct {
	Seconds    float64            // how long it took
	Ranks      []loadbalance.Rank // Load is of this step
	Idle       []float64          // seconds that each PE had nothing to run
	Background []float64          // seconds that each PE lost to something else
	Graph      loadbalance.Graph  // what was sent in this step
}

// Measurements is what a balancer sees of a step. It shares the step's memory.
func (s *Step) Measurements(h *Header) *loadbalance.Measurements {
	m := &loadbalance.Measurements{PEs: append([]loadbalance.PE(nil), h.PEs...), Ranks: s.Ranks, Graph: s.Graph}
	for p, b := range s.Background {
		m.PEs[p].Background = b
	}
	return m
}

// check finds a step that does not fit the header.
func (s *Step) check(h *Header) error {
	if len(s.Ranks) != h.Ranks || len(s.Idle) != len(h.PEs) || len(s.Background) != len(h.PEs) {
		return fmt.Errorf("it has %d ranks, %d idle times and %d background times, not those of %d ranks on %d PEs",
			len(s.Ranks), len(s.Idle), len(s.Background), h.Ranks, len(h.PEs))
	}
	for p, idle := range s.Idle {
		if !(idle >= 0) || idle-idle != 0 {
			return fmt.Errorf("PE %d was idle for %v seconds", p, idle)
		}
	}
	if !(s.Seconds >= 0) || s.Seconds-s.Seconds != 0 {
		return fmt.Errorf("it took %v seconds", s.Seconds)
	}
	return s.Measurements(h).Validate()
}

// wireHeader is Header in CBOR.
type wireHeader struct {
	_       struct{} `cbor:",toarray"`
	Program string
	Ranks   int
	Speeds  []float64
	Nodes   []int32
}

func (h *Header) wire() wireHeader {
	w := wireHeader{Program: h.Program, Ranks: h.Ranks}
	for _, pe := range h.PEs {
		w.Speeds = append(w.Speeds, pe.Speed)
		w.Nodes = append(w.Nodes, pe.Node)
	}
	return w
}

func (w *wireHeader) header() (*Header, error) {
	if len(w.Nodes) != len(w.Speeds) || w.Ranks < 0 {
		return nil, fmt.Errorf("the header has %d speeds, %d nodes and %d ranks", len(w.Speeds), len(w.Nodes), w.Ranks)
	}
	h := &Header{Program: w.Program, Ranks: w.Ranks, PEs: make([]loadbalance.PE, len(w.Speeds))}
	for p := range h.PEs {
		h.PEs[p] = loadbalance.PE{Speed: w.Speeds[p], Node: w.Nodes[p]}
	}
	return h, (&loadbalance.Measurements{PEs: h.PEs}).Validate()
}

// decoding allows arrays as long as a frame can hold, and nothing nested deeper than steps are.
var decoding = func() cbor.DecMode {
	mode, err := cbor.DecOptions{MaxArrayElements: maxFrame, MaxNestedLevels: 4, TagsMd: cbor.TagsForbidden}.DecMode()
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return mode
}()
