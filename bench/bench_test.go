package main

import (
	"bytes"
	"io"
	"io/fs"
	"os/exec"
	"strings"
	"testing"
)

func TestParseSamplesByKey(t *testing.T) {
	run, err := parseSamples([]byte("noise\nsample a 1.5\nsample b 2e3\nsample a 2.5\n"))
	if err != nil {
		t.Fatal(err)
	}
	if len(run["a"]) != 2 || run["a"][1] != 2.5 || run["b"][0] != 2000 {
		t.Errorf("got %v", run)
	}
}

func TestParseSamplesRefusesWhatIsNone(t *testing.T) {
	for _, text := range []string{"", "hello\n", "sample a\n", "sample a x\n"} {
		if run, err := parseSamples([]byte(text)); err == nil {
			t.Errorf("%q was read as %v", text, run)
		}
	}
}

func TestParseMemoryOfMedianRank(t *testing.T) {
	text := "PE busy\nrank user s memory\n   min  0.0  1  64 B  72.0 KiB\nmedian  0.0  2  0 B  1.5 MiB  3\n"
	if kib, err := parseMemory([]byte(text)); err != nil || kib != 1536 {
		t.Errorf("got %v KiB, %v", kib, err)
	}
	for _, text := range []string{"", "median 1 ? KiB\n", "median 1 2 apples\n"} {
		if kib, err := parseMemory([]byte(text)); err == nil {
			t.Errorf("%q was read as %v KiB", text, kib)
		}
	}
}

func TestFigureLinesHaveThreeFields(t *testing.T) {
	s := samples{}
	s.add("", map[string]series{"k": {2, 1, 3}})
	s.add("mpich", map[string]series{"k": {4}})
	var out bytes.Buffer
	(&figure{name: "x", unit: "us", value: of("k")}).print(&out, s)
	want := "x 2 us\nx.min 1 us\nx.mpich 4 us\nx.mpich.min 4 us\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
}

func TestSpeedIsNativeTimeOverOurs(t *testing.T) {
	s := samples{}
	s.add("", map[string]series{"k": {4, 2}})
	s.add("native", map[string]series{"k": {3, 3}})
	median, least, ok := speed("k")(s, "")
	if !ok || median != 1 || least != 1.5 {
		t.Errorf("got %v, %v, %v", median, least, ok)
	}
	if _, _, ok := speed("k")(s, "native"); ok {
		t.Error("native was compared with itself")
	}
}

func TestTimeOverIdealIsOfEachRun(t *testing.T) {
	s := samples{}
	s.add("", map[string]series{"seconds": {1.5, 2.5, 4.5}, "ideal": {1, 1, 4}})
	if median, least, ok := overIdeal(0.5)(s, ""); !ok || median != 1 || least != 1 {
		t.Errorf("got %v, %v, %v", median, least, ok)
	}
	s.add("", map[string]series{"seconds": {1}})
	if _, _, ok := overIdeal(0.5)(s, ""); ok {
		t.Error("a run without its ideal counts")
	}
}

func TestPercentileAndMean(t *testing.T) {
	s := samples{"": {"k": {5, 1, 2, 3, 4, 9, 6, 7, 8, 10, 11}}, "other": {"k": {3}}}
	if p, least, ok := percentile("k", 90)(s, ""); !ok || p != 10 || least != 1 {
		t.Errorf("percentile: %v, %v, %v", p, least, ok)
	}
	if m, _, ok := mean("k")(s, ""); !ok || m != 6 {
		t.Errorf("mean: %v, %v", m, ok)
	}
	if r, _, ok := against("k", "other")(s, ""); !ok || r != 2 {
		t.Errorf("against: %v, %v", r, ok)
	}
	if _, _, ok := against("k", "other")(s, "other"); ok {
		t.Error("a variant is compared with itself")
	}
}

// AMPI takes its flags behind the program.
func TestFlagsBehindTheProgram(t *testing.T) {
	im := &implementation{launcher: []string{"charmrun", "++local"}, flags: charmFlags, trailing: true}
	want := "charmrun ++local prog slope +p 2 +vp 64 +balancer X"
	if got := strings.Join(im.command(2, 64, []string{"+balancer", "X"}, "prog", []string{"slope"}), " "); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestVerdict(t *testing.T) {
	f := &figure{value: of("k"), aim: 2, beat: true}
	for _, c := range []struct {
		ours, other series
		want        string
	}{
		{series{1}, series{3}, "yes"}, {series{2}, nil, "yes"}, {series{2}, series{1}, "aim yes, others no"},
		{series{1, 3, 3}, nil, "at best"}, {series{3}, nil, "no"}, {nil, nil, "not measured"},
	} {
		s := samples{}
		s.add("", map[string]series{"k": c.ours})
		s.add("openmpi", map[string]series{"k": c.other})
		if got := f.verdict(s); got != c.want {
			t.Errorf("%v against %v: %q, want %q", c.ours, c.other, got, c.want)
		}
	}
}

func TestEveryExperimentHasItsProgram(t *testing.T) {
	seen := make(map[string]bool)
	for _, e := range experiments() {
		if found, _ := fs.Glob(sources, "programs/"+e.program+".[cf]*"); (len(found) == 1) == (e.inside != nil) {
			t.Errorf("%s: %d sources of %q", e.name, len(found), e.program)
		}
		for _, f := range e.figures {
			if seen[f.name] || strings.ContainsAny(f.name+f.unit, " \t") {
				t.Errorf("figure %q (%q) is there twice or has blanks", f.name, f.unit)
			}
			seen[f.name] = true
		}
	}
}

func TestOnlySelectsByName(t *testing.T) {
	o, err := parse([]string{"-only", "^hello"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range selected(o) {
		if !strings.HasPrefix(e.name, "hello") {
			t.Errorf("%s was selected", e.name)
		}
	}
	if _, err := parse([]string{"-only", "("}, io.Discard); err == nil {
		t.Error("a broken expression was accepted")
	}
}

func TestLaunchEndsWhatFails(t *testing.T) {
	if _, err := launch(t.Context(), []string{"sh", "-c", "echo why >&2; exit 3"}, nil); err == nil || !strings.Contains(err.Error(), "why") {
		t.Errorf("got %v", err)
	}
}

// The native kernels check their own results; so a run under a plain compiler shows that the program is right.
func TestComputeRunsNatively(t *testing.T) {
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("no C compiler")
	}
	b, err := newBuilder(t.TempDir(), &options{bin: "."})
	if err != nil {
		t.Fatal(err)
	}
	run, err := compute().once(t.Context(), b, native())
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"stencil", "triad", "malloc"} {
		if len(run[key]) != 4 || run[key].Min() <= 0 {
			t.Errorf("%s: %v", key, run[key])
		}
	}
}
