package lb

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"ampirun/loadbalance"
)

func TestMain(m *testing.M) {
	cli.HelpFlag = nil // as cmd/ampirun has it
	os.Exit(m.Run())
}

func lb(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out strings.Builder
	err := Run(args, &out, nil)
	return out.String(), err
}

func mustLB(t *testing.T, args ...string) string {
	t.Helper()
	out, err := lb(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSynthThenSimulate makes each kind of trace and replays it on its own PEs and on others.
func TestSynthThenSimulate(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range []string{"linear", "hotspot", "random", "stencil2d", "stencil3d"} {
		trace := filepath.Join(dir, kind)
		mustLB(t, "synth", "--workload", kind, "--ranks", "128", "--steps", "12", "--pes", "8", trace)
		svg := filepath.Join(dir, kind+".svg")
		out := mustLB(t, "simulate", "--strategy", "GreedyRefineLB,none,refine", "--period", "4", "--svg", svg, trace)
		for _, want := range []string{kind, "on 8 PEs, 12 steps", "Dummy", "GreedyRefine", "Refine", "between nodes: latency 2 us"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", kind, want, out)
			}
		}
		out = mustLB(t, "simulate", "--pes", "4,16", "--pes-per-node", "2", "--latency", "7", "--svg", svg, trace)
		for _, want := range []string{"on 4 PEs", "on 16 PEs", "Distributed", "latency 7 us"} {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", kind, want, out)
			}
		}
		if chart, err := os.ReadFile(svg); err != nil || !strings.Contains(string(chart), ">ideal<") {
			t.Errorf("%s: %v, %s", kind, err, chart)
		}
	}
}

func TestStrategiesAreListed(t *testing.T) {
	out := mustLB(t, "strategies")
	for _, name := range loadbalance.Names() {
		if !strings.Contains(out, "\n"+name+" ") && !strings.HasPrefix(out, name+" ") {
			t.Errorf("%s is not listed", name)
		}
	}
}

func TestHelp(t *testing.T) {
	for want, args := range map[string][]string{
		"replay a trace": nil,
		"write a trace":  {"--help"},
		"--pes-per-node": {"simulate", "--help"},
		"--workload":     {"synth", "-h"},
		"their names":    {"strategies", "--help"},
		"program's name": {"record", "--help"},
	} {
		if out := mustLB(t, args...); !strings.Contains(out, want) {
			t.Errorf("%v: %s", args, out)
		}
	}
}

func TestErrorsAreOneLineThatNamesTheCause(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(dir, "trace")
	mustLB(t, "synth", "--ranks", "16", "--steps", "3", "--pes", "4", trace)
	for want, args := range map[string][]string{
		"lb balance: there are lb strategies, lb record, lb simulate and lb synth":                           {"balance"},
		"lb simulate: name one trace, after the options (ampirun lb record writes one, lb synth makes some)": {"simulate"},
		"lb simulate: " + other + ": it is not a trace of ampirun lb record":                                 {"simulate", other},
		"lb simulate: --pes: \"x\" is not a number from 1 to 16777216":                                       {"simulate", "--pes", "4,x", trace},
		"lb simulate: there is no mapping \"best\"; there are block, rr, prop or file:F":                     {"simulate", "--mapping", "best", trace},
		"lb simulate: --svg " + trace + ": that is the trace; name another file":                             {"simulate", "--svg", trace, trace},
		"lb simulate: tolerance is 0.5; it is 1 or larger":                                                   {"simulate", "--tolerance", "0.5", trace},
		"lb simulate: " + trace + ": period is 0 steps":                                                      {"simulate", "--period", "0", trace},
		"lb simulate: " + trace + ": bandwidth between nodes is 0":                                           {"simulate", "--bandwidth", "0", trace},
		"lb simulate: flag provided but not defined: -nodes":                                                 {"simulate", "--nodes", "3", trace},
		"lb synth: --workload: there is no \"sun\"":                                                          {"synth", "--workload", "sun", trace},
		"lb synth: --ranks: 0 is not a number from 1 to 16777216":                                            {"synth", "--ranks", "0", trace},
		"lb simulate: no strategy is called \"best\"; there are: " + strings.Join(loadbalance.Names(), ", "): {"simulate", "--strategy", "best", trace},
	} {
		if _, err := lb(t, args...); err == nil || err.Error() != want {
			t.Errorf("%v:\n%v\n%s", args, err, want)
		}
	}
}
