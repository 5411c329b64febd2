package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"ampirun/observe/timeline"
)

func TestMain(m *testing.M) {
	cli.HelpFlag = nil // as cmd/ampirun has it
	os.Exit(m.Run())
}

// hostile is a name that would break out of any context that forgets to escape it.
const hostile = `</title></script><script>document.documentElement.dataset.broken=1</script><img src=x onerror="alert(1)">'"` + "`${1}{{.}}"

// example writes the trace of a made-up job: PE p is busy for part p+1 of pes of each period; ranks go round.
func example(t testing.TB, name string, ranks, pes, periods int) []byte {
	t.Helper()
	var out bytes.Buffer
	f := timeline.Facts{Program: name, Args: []string{"./" + name, "an argument"}, Options: []string{"+p", fmt.Sprint(pes)}, Method: "pie", Version: "1",
		Began: time.Unix(1e9, 0), Ranks: ranks, PEs: pes, Mapping: make([]int, ranks)}
	for i := range f.Mapping {
		f.Mapping[i] = i * pes / ranks
	}
	w := timeline.NewWriter(&out, f)
	const period = 10e6 // nanoseconds
	moves := make([]int, ranks)
	where := append([]int(nil), f.Mapping...)
	for i := range periods {
		from := int64(i) * period
		for pe := range pes {
			busy := from + int64(period*(pe+1)/pes)
			w.Run(timeline.Run{PE: pe, From: from, To: busy, Rank: (i*pes + pe) % ranks, Then: "MPI_Recv"})
			w.Run(timeline.Run{PE: pe, From: busy, To: from + period, Rank: timeline.Idle})
		}
		if rank := i * 7 % ranks; pes > 1 && i%4 == 0 {
			to := (where[rank] + 1) % pes
			w.Move(timeline.Move{PE: to, At: from + 2000, Rank: rank, Number: moves[rank], Arrived: true}) // PEs tell in any order
			w.Move(timeline.Move{PE: where[rank], At: from + 1000, Rank: rank, To: to, Number: moves[rank]})
			moves[rank]++
			where[rank] = to
			w.Step(timeline.Step{At: from, Window: 0.01, Strategy: "Greedy", Before: 2, After: 1.1, Moves: 1})
		}
	}
	elapsed := time.Duration(periods) * period
	totals := make([]timeline.RankTotal, ranks)
	for i := range totals {
		totals[i] = timeline.RankTotal{User: time.Duration(i) * time.Millisecond, Sent: 3, Moves: uint64(moves[i])}
	}
	block := (ranks + 511) / 512
	w.Totals(elapsed.Nanoseconds(), totals)
	for from := range (ranks + block - 1) / block {
		w.Traffic(elapsed.Nanoseconds(), timeline.Traffic{From: from, To: []int{(from + 1) % ((ranks + block - 1) / block)}, Messages: []uint64{3}, Bytes: []uint64{1000}})
	}
	w.End(timeline.End{Elapsed: elapsed, BlockSize: block})
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// make makes the page of a trace, in a file.
func makePage(t *testing.T, trace []byte) (file, text string) {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "trace")
	if err := os.WriteFile(in, trace, 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Run([]string{in}, &out); err != nil {
		t.Fatal(err)
	}
	file = strings.TrimSpace(out.String())
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, string(page)
}

func TestNumbersOfThePage(t *testing.T) {
	_, page := makePage(t, example(t, "program", 8, 2, 40))
	for _, want := range []string{
		"<b>400.0 ms</b><span>elapsed</span><small>8 ranks on 2 PEs</small>",
		"<b>75 %</b><span>utilisation</span>", // (1/2 + 1) / 2
		"<b>1.33</b><span>imbalance</span>",   // 1 / 0.75
		"<b>10</b><span>moves</span><small>10 balancing steps</small>",
		"<b>24</b><span>messages</span><small>60 in a second</small>",
		"<td>0.0000</td><td>0</td><td>0</td><td>1</td><td>1.0 us</td>",
		"rank 7 to rank 0: 3 messages, 1000 B",
		"rank 7: 0.007 s",
		"Greedy at 0.040 s: 2.00 before, 1.10 expected after 1 moves",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for _, pe := range []struct{ name, busy string }{{"PE 0", "0 % in ranks, 100 % idle"}, {"PE 1", "100 % in ranks, 0 % idle"}} {
		if n := len(regexp.MustCompile(pe.name+` at [^ ]+ s: `+pe.busy).FindAllString(page, -1)); n == 0 {
			t.Errorf("no span in which %s was %s", pe.name, pe.busy)
		}
	}
}

// TestRowsOfTheMap checks where a rank is shown that moves in the middle.
func TestRowsOfTheMap(t *testing.T) {
	var out bytes.Buffer
	w := timeline.NewWriter(&out, timeline.Facts{Ranks: 2, PEs: 3, Mapping: []int{0, 1}})
	w.Move(timeline.Move{PE: 2, At: 500, Rank: 1, Arrived: true})
	w.Run(timeline.Run{PE: 0, From: 0, To: 1000, Rank: 0})
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	d, err := gather(&out)
	if err != nil {
		t.Fatal(err)
	}
	row := d.rowOfMap(group{1, 1})
	if row[0] != 1 || row[mapColumns/2-1] != 1 || row[mapColumns/2] != 2 || row[mapColumns-1] != 2 {
		t.Errorf("rank 1 is on %v", row)
	}
	if !d.cut || d.end.Elapsed != 1000 {
		t.Errorf("without an end the trace is cut: %v, and took %v", d.cut, d.end.Elapsed)
	}
}

// TestHostileNames checks that nothing in a trace gets out of its place in the page.
func TestHostileNames(t *testing.T) {
	_, page := makePage(t, example(t, hostile, 4, 2, 10))
	for _, bad := range []string{"<img", "onerror=\"", "</title></script>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if strings.Count(page, "<script") != 1 || strings.Count(page, "&lt;img src=x") != 4 {
		t.Errorf("%d scripts; the name is there %d times", strings.Count(page, "<script"), strings.Count(page, "&lt;img src=x"))
	}
}

// TestNothingIsFetched checks that the page needs nothing but itself.
func TestNothingIsFetched(t *testing.T) {
	_, page := makePage(t, example(t, "program", 4, 2, 10))
	for _, word := range []string{"http:", "https:", "src=", "href=", "@import", "url("} {
		if strings.Contains(page, word) {
			t.Errorf("the page has %q", word)
		}
	}
}

// TestLargeJobs checks that pages do not grow with ranks and time.
func TestLargeJobs(t *testing.T) {
	for _, c := range []struct{ ranks, pes, periods int }{{4096, 64, 400}, {1, 1, 1}, {1000, 200, 50}, {7, 3, 20000}} {
		_, page := makePage(t, example(t, "program", c.ranks, c.pes, c.periods))
		if len(page) > 4<<20 || strings.Contains(page, "NaN") || strings.Contains(page, "Inf") {
			t.Errorf("%+v: the page has %d bytes, or numbers that are none", c, len(page))
		}
	}
}

// FuzzPage makes pages of damaged traces.
func FuzzPage(f *testing.F) {
	f.Add(example(f, "program", 3, 2, 2))
	f.Fuzz(func(t *testing.T, trace []byte) {
		d, err := gather(bytes.NewReader(trace))
		if err != nil || d.facts.Ranks > 1<<12 || d.facts.PEs > 1<<10 {
			return
		}
		var page bytes.Buffer
		if err := d.write(&page); err != nil {
			t.Error(err)
		}
	})
}

func TestThePageDoesNotReplaceTheTimeline(t *testing.T) {
	in, trace := filepath.Join(t.TempDir(), "trace"), example(t, "program", 2, 1, 2)
	if err := os.WriteFile(in, trace, 0o600); err != nil {
		t.Fatal(err)
	}
	err := Run([]string{in, "-o", in}, io.Discard)
	if left, _ := os.ReadFile(in); err == nil || !strings.Contains(err.Error(), "-o "+in+": that is the timeline itself") || !bytes.Equal(left, trace) {
		t.Errorf("%v; the timeline has %d bytes of %d", err, len(left), len(trace))
	}
}
