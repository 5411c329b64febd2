package timeline

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"
)

var (
	someFacts = Facts{Program: "a <b> & \xff", Args: []string{"./a", "x y"}, Options: []string{"+p", "2"}, Method: "pie", Version: "1",
		Began: time.Unix(1e9, 0).UTC(), Ranks: 3, PEs: 2, Mapping: []int{0, 0, 1}}
	someRuns = []Run{{PE: 0, From: 10, To: 30, Rank: 0, Then: "MPI_Recv"}, {PE: 0, From: 30, To: 35, Rank: 2}, {PE: 1, From: 0, To: 1 << 40, Rank: Idle},
		{PE: 1, From: 1 << 40, To: 2 << 40, Rank: Many, Runs: 1000, Busy: 5e9}, {PE: 0, From: 40, To: 41, Rank: 0, Then: "MPI_Recv"}}
	someMessages = []Message{{PE: 0, At: 12, Flow: 77, Rank: 0, To: 2, Bytes: 1 << 33}, {PE: 1, At: 14, Flow: 77, Rank: 2, Bytes: 1 << 33, Received: true}}
	someMoves    = []Move{{PE: 0, At: 50, Rank: 1, To: 1, Number: 0}, {PE: 1, At: 55, Rank: 1, Number: 0, Arrived: true}}
	someStep     = Step{At: 45, Window: 0.25, Strategy: "Greedy", Asked: true, Before: 1.5, After: 1.25, Moves: 1}
	someTotals   = []RankTotal{{time.Second, 1, 0}, {2 * time.Millisecond, 0, 1}, {0, 5, 2}}
	someTraffic  = Traffic{From: 0, To: []int{1, 2}, Messages: []uint64{3, 4}, Bytes: []uint64{5, 1 << 50}}
	someEnd      = End{Elapsed: 2 * time.Second, ExitCode: 3, Reason: "why", Busy: 1.5, Hidden: 9, Lost: 1, BlockSize: 1}
)

func write(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, someFacts)
	for _, r := range someRuns {
		w.Run(r)
	}
	for _, m := range someMessages {
		w.Message(m)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	for _, m := range someMoves {
		w.Move(m)
	}
	w.Step(someStep)
	w.Totals(60, someTotals)
	w.Traffic(60, someTraffic)
	w.End(someEnd)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// got is what a reader was told.
type got struct {
	facts    Facts
	runs     []Run
	messages []Message
	moves    []Move
	steps    []Step
	totals   []RankTotal
	traffic  []Traffic
	ends     []End
}

func read(in io.Reader) (g got, err error) {
	err = Read(in, Handler{
		Facts:   func(f Facts) error { g.facts = f; return nil },
		Run:     func(r Run) { g.runs = append(g.runs, r) },
		Message: func(m Message) { g.messages = append(g.messages, m) },
		Move:    func(m Move) { g.moves = append(g.moves, m) },
		Step:    func(s Step) { g.steps = append(g.steps, s) },
		Totals:  func(all []RankTotal) { g.totals = all },
		Traffic: func(t Traffic) { g.traffic = append(g.traffic, t) },
		End:     func(e End) { g.ends = append(g.ends, e) },
	})
	return g, err
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	g, err := read(bytes.NewReader(write(t)))
	if err != nil {
		t.Fatal(err)
	}
	want := got{someFacts, someRuns, someMessages, someMoves, []Step{someStep}, someTotals, []Traffic{someTraffic}, []End{someEnd}}
	want.facts.Program = "a <b> & \uFFFD" // what Perfetto takes as text is UTF-8
	if !reflect.DeepEqual(g, want) {
		t.Errorf("read %+v\nwant %+v", g, want)
	}
}

// TestCutTraces reads a trace that ends anywhere: what it holds before is told, the rest is no reason to fail in another way.
func TestCutTraces(t *testing.T) {
	whole := write(t)
	for n := range whole {
		g, err := read(bytes.NewReader(whole[:n]))
		switch {
		case g.facts.Ranks == 0 && !errors.Is(err, ErrForeign):
			t.Fatalf("%d bytes: %v, want that it is foreign", n, err)
		case g.facts.Ranks != 0 && err != nil && !errors.Is(err, ErrCut):
			t.Fatalf("%d bytes: %v, want that it is cut", n, err)
		case len(g.ends) > 0:
			t.Fatalf("%d bytes of %d have an end", n, len(whole))
		}
	}
}

func TestForeignFiles(t *testing.T) {
	for _, text := range []string{"", "{}", "\x0a\x02\x08\x01", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", string(bytes.Repeat([]byte{0x0a}, 100))} {
		if _, err := read(bytes.NewReader([]byte(text))); !errors.Is(err, ErrForeign) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzRead reads what may be damaged: it must not fail in other ways than by an error, and must not tell of ranks that there are not.
func FuzzRead(f *testing.F) {
	var out bytes.Buffer
	w := NewWriter(&out, someFacts)
	w.Run(someRuns[0])
	w.Message(someMessages[0])
	w.Move(someMoves[0])
	w.Flush()
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		g, _ := read(bytes.NewReader(data))
		for _, r := range g.runs {
			if r.Rank >= g.facts.Ranks || r.Rank < Many || r.PE >= g.facts.PEs || r.To < r.From || r.Busy < 0 {
				t.Errorf("%+v of %d ranks on %d PEs", r, g.facts.Ranks, g.facts.PEs)
			}
		}
		for _, m := range g.moves {
			if m.Rank >= g.facts.Ranks || m.PE >= g.facts.PEs || m.To >= g.facts.PEs {
				t.Errorf("%+v of %d ranks on %d PEs", m, g.facts.Ranks, g.facts.PEs)
			}
		}
	})
}

func TestClock(t *testing.T) {
	var c Clock
	c.Add(1000, 100)
	c.Add(3000, 1100)
	c.Add(3000, 5000) // no time has passed by the counter: left out
	c.Add(4000, 1200)
	for tick, want := range map[uint64]int64{1000: 100, 2000: 600, 3000: 1100, 3500: 1150, 4000: 1200, 5000: 1300, 0: -400} {
		if at := c.At(tick); at != want {
			t.Errorf("tick %d is at %d, want %d", tick, at, want)
		}
	}
}
