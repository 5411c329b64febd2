package record

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/quick"

	"ampirun/loadbalance"
)

// randomTrace makes a header and steps that change in every way from one to the next.
func randomTrace(seed uint64) (Header, []*Step) {
	r := rand.New(rand.NewPCG(seed, 0))
	h := Header{Program: "a.out", Ranks: r.IntN(20), PEs: make([]loadbalance.PE, 1+r.IntN(5))}
	for p := range h.PEs {
		h.PEs[p] = loadbalance.PE{Speed: 0.5 + r.Float64(), Node: int32(r.IntN(3))}
	}
	steps := make([]*Step, r.IntN(6))
	for i := range steps {
		steps[i] = randomStep(r, &h)
		if i > 0 {
			inherit(r, steps[i], steps[i-1])
		}
	}
	return h, steps
}

func exact(r *rand.Rand) float64 { return float64(r.IntN(1e9)) / 1e9 }

func randomStep(r *rand.Rand, h *Header) *Step {
	s := &Step{Seconds: exact(r), Ranks: make([]loadbalance.Rank, h.Ranks), Idle: make([]float64, len(h.PEs)), Background: make([]float64, len(h.PEs))}
	for p := range h.PEs {
		s.Idle[p], s.Background[p] = exact(r), exact(r)
	}
	for i := range s.Ranks {
		s.Ranks[i] = loadbalance.Rank{Load: exact(r), PE: int32(r.IntN(len(h.PEs))), Memory: int64(r.IntN(1 << 30)), Pinned: r.IntN(4) == 0}
	}
	if h.Ranks > 1 && r.IntN(4) > 0 {
		s.Graph = loadbalance.NewGraph(h.Ranks, []loadbalance.Edge{
			{From: 0, To: int32(1 + r.IntN(h.Ranks-1)), Messages: int64(r.IntN(100)), Bytes: int64(r.IntN(1e9))},
			{From: int32(1 + r.IntN(h.Ranks-1)), To: 0, Messages: int64(r.IntN(100)), Bytes: int64(r.IntN(1e9))}})
	}
	return s
}

// inherit keeps some of the step before: its graph, who talks to whom in it, or its ranks.
func inherit(r *rand.Rand, s, before *Step) {
	if r.IntN(2) == 0 {
		s.Ranks = before.Ranks
	}
	switch r.IntN(3) {
	case 0:
		s.Graph = before.Graph
	case 1:
		s.Graph = before.Graph
		s.Graph.Bytes = append([]int64(nil), before.Graph.Bytes...)
		for i := range s.Graph.Bytes {
			s.Graph.Bytes[i] += int64(r.IntN(10))
		}
	}
}

func write(t *testing.T, h Header, steps []*Step) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, h)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// read gives all steps and why there was no further one.
func read(file []byte) (h *Header, steps []*Step, err error) {
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, nil, err
	}
	defer r.Close()
	for {
		s, err := r.Next()
		if err != nil {
			return r.Header, steps, err
		}
		steps = append(steps, s)
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	same := func(seed uint64) bool {
		h, steps := randomTrace(seed)
		gotHeader, got, err := read(write(t, h, steps))
		if err != io.EOF || !reflect.DeepEqual(&h, gotHeader) || len(got) != len(steps) {
			t.Logf("seed %d: %v, %+v, %d steps of %d", seed, err, gotHeader, len(got), len(steps))
			return false
		}
		for i := range steps {
			if !sameStep(steps[i], got[i]) {
				t.Logf("seed %d, step %d:\n%+v\n%+v", seed, i, steps[i], got[i])
				return false
			}
		}
		return true
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
}

// sameStep compares steps; a graph without entries equals none.
func sameStep(a, b *Step) bool {
	x, y := *a, *b
	if x.Graph.Empty() && y.Graph.Empty() {
		x.Graph, y.Graph = loadbalance.Graph{}, loadbalance.Graph{}
	}
	return reflect.DeepEqual(x, y)
}

// TestEveryCutIsNoticed cuts a trace at every byte: the steps before are read, then the cut is named.
func TestEveryCutIsNoticed(t *testing.T) {
	h, steps := randomTrace(1)
	for seed := uint64(2); len(steps) < 4; seed++ {
		h, steps = randomTrace(seed)
	}
	file := write(t, h, steps)
	for n := range len(file) {
		_, got, err := read(file[:n])
		if n <= len(magic) {
			if err == nil || !strings.Contains(err.Error(), "not a trace") {
				t.Errorf("%d bytes: %v", n, err)
			}
			continue
		}
		if !errors.Is(err, ErrCut) {
			t.Errorf("%d of %d bytes: %d steps, %v", n, len(file), len(got), err)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	for file, want := range map[string]string{
		"":                               "it is not a trace",
		"#!/bin/sh\nexit 0":              "it is not a trace",
		magic + "\x07":                   "a trace of version 7",
		magic + "\x01 no stream of zstd": "magic",
	} {
		if _, _, err := read([]byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", file, err)
		}
	}
}

func TestBadStepsAreNotWritten(t *testing.T) {
	h := Header{Ranks: 1, PEs: []loadbalance.PE{{Speed: 1}}}
	w, err := NewWriter(io.Discard, h)
	if err != nil {
		t.Fatal(err)
	}
	s := &Step{Ranks: make([]loadbalance.Rank, 2), Idle: []float64{0}, Background: []float64{0}}
	if err := w.Write(s); err == nil || !strings.HasPrefix(err.Error(), "step 0: it has 2 ranks") {
		t.Errorf("gives %v", err)
	}
	if _, err := NewWriter(io.Discard, Header{Ranks: 1}); err == nil {
		t.Error("a trace without PEs was begun")
	}
}

// FuzzRead: any bytes give steps that can be balanced, or an error.
func FuzzRead(f *testing.F) {
	for seed := range uint64(4) {
		var file bytes.Buffer
		h, steps := randomTrace(seed)
		w, _ := NewWriter(&file, h)
		for _, s := range steps {
			w.Write(s)
		}
		w.Close()
		f.Add(file.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		h, steps, err := read(file)
		if err == nil {
			t.Fatal("the end was not told")
		}
		for _, s := range steps {
			if err := s.Measurements(h).Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// FuzzFrames is FuzzRead behind the compression, which random bytes seldom get through.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{0x86, 0, 1, 1, 1, 1, 1})
	f.Fuzz(func(t *testing.T, content []byte) {
		var w wireStep
		if decoding.Unmarshal(content, &w) != nil || len(w.Load) > 1000 {
			return
		}
		h := &Header{Ranks: len(w.Load), PEs: make([]loadbalance.PE, len(w.Idle))}
		for p := range h.PEs {
			h.PEs[p].Speed = 1
		}
		b := newState(h.Ranks)
		for range 2 { // the second time, differences are to something
			s, err := b.decode(&w)
			if (s == nil) == (err == nil) {
				t.Fatalf("%v and %v", s, err)
			}
			if err != nil || s.check(h) != nil {
				return
			}
		}
	})
}
