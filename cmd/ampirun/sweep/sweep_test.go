package sweep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ampirun/internal/trial"
)

// launcher stands for ampirun: it notes each call in the file calls, does what the file script says, and says how long it "took".
const launcher = `#!/bin/sh
echo "$*" >> "$CALLS/calls"
vp=$4
. "$CALLS/script"
`

// fixture is a sweep with such a launcher.
func fixture(t *testing.T, script string) (s *Sweep, calls func() []string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("CALLS", dir)
	for name, text := range map[string]string{"ampirun": launcher, "script": script, "program": "one"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s = &Sweep{Job: Job{Ampirun: dir + "/ampirun", Options: []string{"--stack=1M"}, Name: "./program", Program: dir + "/program", Args: []string{"a b", "c"}},
		PEs: 2, Points: points([]int{2, 4, 8}, []string{None, "Greedy"}), Repeats: 2, Metric: regexp.MustCompile(`took ([0-9.]+)`),
		Out: dir + "/out", Report: io.Discard}
	return s, func() []string {
		text, err := os.ReadFile(dir + "/calls")
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		os.Remove(dir + "/calls")
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

func (s *Sweep) mustRun(t *testing.T) *Outcome {
	t.Helper()
	o, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSweep runs a matrix: each point twice, in rounds, with a table and a chart that name the best one.
func TestSweep(t *testing.T) {
	s, calls := fixture(t, `case "$*" in *Greedy*) f=1;; *) f=2;; esac; [ $vp = 4 ] || f=$((f + 2)); echo took $f; echo took $f.5`)
	o := s.mustRun(t)
	got := calls()
	for i, half := range [][]string{got[:6], got[6:]} {
		slices.Sort(half)
		want := []string{
			"+p 2 +vp 2 +lb Greedy --stack=1M -- ./program a b c", "+p 2 +vp 2 --stack=1M -- ./program a b c",
			"+p 2 +vp 4 +lb Greedy --stack=1M -- ./program a b c", "+p 2 +vp 4 --stack=1M -- ./program a b c",
			"+p 2 +vp 8 +lb Greedy --stack=1M -- ./program a b c", "+p 2 +vp 8 --stack=1M -- ./program a b c"}
		slices.Sort(want)
		if !slices.Equal(half, want) {
			t.Errorf("round %d runs\n%s", i, strings.Join(half, "\n"))
		}
	}
	if best := o.Best(); best.Point != (Point{4, "Greedy"}) || best.Seconds.Median() != 1.5 || len(best.Seconds) != 2 {
		t.Errorf("the best is %+v", best)
	}
	var table strings.Builder
	if err := o.Print(&table); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(table.String(), "best: 2 ranks per PE, with Greedy: 1.5 s\n") {
		t.Errorf("the table:\n%s", &table)
	}
	path, err := o.Draw()
	if err != nil {
		t.Fatal(err)
	}
	chart, err := os.ReadFile(path)
	for _, want := range []string{">best<", ">none<", ">Greedy<", ">ranks per PE<", "best: 2 ranks per PE, with Greedy, 1.5 s"} {
		if err != nil || !strings.Contains(string(chart), want) {
			t.Errorf("there is no %q in the chart (%v)\n%s", want, err, chart)
		}
	}
	if left, _ := filepath.Glob(s.Out + "/*"); len(left) != 2 {
		t.Errorf("there are %v", left)
	}
}

// TestRoundsDiffer: points do not come in the same order in each round.
func TestRoundsDiffer(t *testing.T) {
	all := points([]int{1, 2, 3, 4, 5, 6, 7, 8}, []string{None})
	if slices.Equal(round(all, 0), round(all, 1)) || !slices.Equal(round(all, 1), round(all, 1)) {
		t.Error("the order of rounds is always the same, or never")
	}
}

// TestResume ends a sweep in the middle: a further one runs what is missing, also when the last line was cut off, and a larger matrix
// keeps what is there.
func TestResume(t *testing.T) {
	s, calls := fixture(t, `echo took $vp`)
	ctx, cancel := context.WithCancel(t.Context())
	s.Report = reporter(func(line string) {
		if strings.Contains(line, " 5 of 12 ") {
			cancel()
		}
	})
	if _, err := s.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("a sweep that is ended gives %v", err)
	}
	if n := len(calls()); n != 5 {
		t.Fatalf("it made %d runs", n)
	}
	results := s.Out + "/runs.jsonl"
	text, err := os.ReadFile(results)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(results, text[:len(text)-10], 0o644); err != nil {
		t.Fatal(err)
	}
	s.Report = io.Discard
	o := s.mustRun(t)
	if n := len(calls()); n != 8 {
		t.Errorf("the second sweep made %d runs", n)
	}
	for _, m := range o.Points {
		if !slices.Equal(m.Seconds, trial.Series{float64(m.Ranks), float64(m.Ranks)}) {
			t.Errorf("%v: %v", m.Point, m.Seconds)
		}
	}
	s.Points = points([]int{2, 4, 8, 16}, []string{None})
	s.Repeats = 3
	s.mustRun(t)
	if n := len(calls()); n != 6 {
		t.Errorf("a larger matrix took %d runs more", n)
	}
}

// reporter calls a function with each line.
type reporter func(line string)

func (r reporter) Write(p []byte) (int, error) {
	r(string(p))
	return len(p), nil
}

// TestOtherSettingsAreRefused: results of something else are not mixed in, unless they are to be forgotten.
func TestOtherSettingsAreRefused(t *testing.T) {
	for want, change := range map[string]func(s *Sweep){
		"list of arguments":    func(s *Sweep) { s.Args = []string{"a", "b c"} },
		"list of options":      func(s *Sweep) { s.Options = nil },
		"number of PEs (2)":    func(s *Sweep) { s.PEs = 1 },
		"metric":               func(s *Sweep) { s.Metric = regexp.MustCompile("took (.*)") },
		"build of the program": func(s *Sweep) { os.WriteFile(s.Program, []byte("two"), 0o755) },
		"build of ampirun":     func(s *Sweep) { os.WriteFile(s.Ampirun, []byte(launcher+"\n"), 0o755) },
		"another program":      func(s *Sweep) { s.Program = s.Ampirun },
	} {
		s, calls := fixture(t, `echo took $vp`)
		s.mustRun(t)
		calls()
		change(s)
		_, err := s.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--fresh") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", want, err)
		}
		s.Forget = true
		s.mustRun(t)
		if n := len(calls()); n != 12 {
			t.Errorf("%s: a fresh sweep made %d runs", want, n)
		}
	}
}

// TestOtherFilesAreRefused: a file of something else is left as it is.
func TestOtherFilesAreRefused(t *testing.T) {
	s, _ := fixture(t, `echo took $vp`)
	s.Out = filepath.Join(filepath.Dir(s.Program), "x.svg")
	results := strings.TrimSuffix(s.Out, ".svg") + ".jsonl"
	for _, text := range []string{"some notes\n", "{}\n", "no end of line"} {
		if err := os.WriteFile(results, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context()); !errors.Is(err, errNoResults) {
			t.Errorf("%q: %v", text, err)
		}
		if now, err := os.ReadFile(results); err != nil || string(now) != text {
			t.Errorf("%q is now %q, %v", text, now, err)
		}
	}
	s.Out = s.Program
	if _, err := s.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "no directory") {
		t.Errorf("a file as directory: %v", err)
	}
}

// TestTwoSweepsAtOnce: the second one is refused.
func TestTwoSweepsAtOnce(t *testing.T) {
	s, _ := fixture(t, `echo took $vp`)
	other := *s
	asked := false
	s.Report = reporter(func(string) {
		if _, err := other.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "another sweep") {
			t.Errorf("gives %v", err)
		}
		asked = true
	})
	if s.mustRun(t); !asked {
		t.Error("nothing was reported")
	}
}

// TestFailingRuns: a point that fails is reported with its last lines and not tried again; the others go on. A further sweep tries it.
func TestFailingRuns(t *testing.T) {
	s, calls := fixture(t, `[ $vp != 4 ] || { for i in 1 2 3 4 5 6 7; do echo "reason $i" >&2; done; exit 3; }; echo took $vp`)
	var report strings.Builder
	s.Report = &report
	o := s.mustRun(t)
	if n := len(calls()); n != 10 {
		t.Errorf("it made %d runs", n)
	}
	if len(o.Failed) != 2 || o.Best().Ranks != 2 {
		t.Errorf("failed: %v, best: %v", o.Failed, o.Best())
	}
	if !strings.Contains(report.String(), "(+vp 4, none): failed: exit code 3\n    reason 3\n") || !strings.Contains(report.String(), "    reason 7\n") {
		t.Errorf("the report:\n%s", &report)
	}
	var table strings.Builder
	if err := o.Print(&table); err != nil || strings.Count(table.String(), "failed") != 2 {
		t.Errorf("%v\n%s", err, &table)
	}
	if err := os.WriteFile(filepath.Dir(s.Program)+"/script", []byte("echo took 1"), 0o755); err != nil {
		t.Fatal(err)
	}
	if o = s.mustRun(t); len(o.Failed) > 0 || o.Best().Ranks != 4 {
		t.Errorf("later it failed: %v, best: %v", o.Failed, o.Best())
	}
	if n := len(calls()); n != 4 {
		t.Errorf("the second sweep made %d runs", n)
	}
}

func TestMetricThatIsNotThere(t *testing.T) {
	for script, want := range map[string]string{"echo nothing": "nothing of the output matches", "echo took 0": "not a number of seconds", "echo took ..": "not a number"} {
		s, _ := fixture(t, script)
		o := s.mustRun(t)
		if why := o.Failed[s.Points[0]]; !strings.Contains(why, want) {
			t.Errorf("%s: %q", script, why)
		}
		if path, err := o.Draw(); path != "" || err != nil {
			t.Errorf("%s: drawn: %q, %v", script, path, err)
		}
	}
}

// FuzzResults: a results file of any bytes is read or refused, and what is read is what JSON says.
func FuzzResults(f *testing.F) {
	s := Setting{Sweep: version, Program: "p", PEs: 2}
	head, _ := json.Marshal(s)
	f.Add(append(head, "\n{\"Ranks\":2,\"Balance\":\"none\",\"Seconds\":1}\n"...))
	f.Add(append(head, "\n{"...))
	f.Add([]byte("text\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		path := filepath.Join(t.TempDir(), "runs")
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := openLog(path, s, false)
		if (l == nil) == (err == nil) {
			t.Fatalf("%v and %v", l, err)
		}
		if err != nil {
			return
		}
		if err := l.add(Result{Point: Point{4, None}, Seconds: 1}); err != nil {
			t.Fatal(err)
		}
		n := len(l.results)
		l.close()
		if l, err = openLog(path, s, false); err != nil || len(l.results) != n {
			t.Fatalf("read again: %v", err)
		}
		l.close()
	})
}

func TestParseStrategies(t *testing.T) {
	got, err := ParseStrategies("NONE, greedyrefineLB")
	if err != nil || fmt.Sprint(got) != "[none GreedyRefine]" {
		t.Errorf("%v, %v", got, err)
	}
	for _, text := range []string{"", "none,none", "best", "Greedy,GreedyLB"} {
		if got, err := ParseStrategies(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
