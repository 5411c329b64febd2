package lb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ampirun/internal/safefile"
	"ampirun/loadbalance"
	"ampirun/loadbalance/mapping"
	"ampirun/loadbalance/record"
	"ampirun/loadbalance/simulate"
)

var simulateCommand = cli.Command{
	Name: "simulate", Usage: "replay a trace on any number of PEs", ArgsUsage: "TRACE",
	Flags: []cli.Flag{
		&cli.StringFlag{Name: "pes", Usage: "numbers of PEs, as in 64,256,1024 (default: as many as the trace was measured on)"},
		&cli.IntFlag{Name: "pes-per-node", Value: 64, Usage: "PEs of a node"},
		&cli.StringFlag{Name: "strategy", Value: "Greedy,GreedyRefine,Refine,Distributed", Usage: "strategies to compare, besides none"},
		&cli.StringFlag{Name: "mapping", Value: "block", Usage: "where ranks begin: " + mapping.Names},
		&cli.IntFlag{Name: "period", Value: 10, Usage: "steps between two balancings"},
		&cli.BoolFlag{Name: "auto", Usage: "make moves only if they win more in a further such period than they cost"},
		&cli.Uint64Flag{Name: "seed", Usage: "of strategies that leave things to chance"},
		&cli.Float64Flag{Name: "tolerance", Value: loadbalance.DefaultTolerance, Usage: "longest PE against the mean that is left alone"},
		&cli.StringFlag{Name: "svg", Usage: "write a chart to this file"},
		costFlag("latency", "us", "of messages between nodes", func(c *simulate.Costs) *float64 { return &c.Network.Latency }, 1e-6),
		costFlag("overhead", "us", "of CPU for a message between nodes, at each end", func(c *simulate.Costs) *float64 { return &c.Network.Overhead }, 1e-6),
		costFlag("bandwidth", "GB/s", "of a PE between nodes", func(c *simulate.Costs) *float64 { return &c.Network.Bandwidth }, 1e9),
		costFlag("node-latency", "us", "of messages in a node", func(c *simulate.Costs) *float64 { return &c.Node.Latency }, 1e-6),
		costFlag("node-overhead", "us", "of CPU for a message in a node, at each end", func(c *simulate.Costs) *float64 { return &c.Node.Overhead }, 1e-6),
		costFlag("node-bandwidth", "GB/s", "of a PE in a node", func(c *simulate.Costs) *float64 { return &c.Node.Bandwidth }, 1e9),
		costFlag("move", "us", "fixed time of a move, at each end", func(c *simulate.Costs) *float64 { return &c.Move.Fixed }, 1e-6),
		costFlag("move-bandwidth", "GB/s", "of memory moved between nodes", func(c *simulate.Costs) *float64 { return &c.Move.Bandwidth }, 1e9),
		costFlag("decide", "us", "that every PE waits for a decision", func(c *simulate.Costs) *float64 { return &c.Move.Decide }, 1e-6),
	},
	Action: func(c *cli.Context) error {
		if c.Args().Len() != 1 {
			return errors.New("name one trace, after the options (ampirun lb record writes one, lb synth makes some)")
		}
		s, err := newSimulation(c)
		if err != nil {
			return err
		}
		return s.run(c.Context, c.App.Writer)
	},
}

// cost is a flag that sets one number of the cost model.
type cost struct {
	name string
	of   func(*simulate.Costs) *float64
	unit float64
}

var costs []cost

func costFlag(name, unit, usage string, of func(*simulate.Costs) *float64, scale float64) cli.Flag {
	costs = append(costs, cost{name, of, scale})
	model := simulate.DefaultCosts
	return &cli.Float64Flag{Name: name, Value: math.Round(*of(&model)/scale*1e6) / 1e6, Usage: usage + ", in " + unit}
}

// simulation is a call of lb simulate.
type simulation struct {
	trace, svg string
	pes        []int // empty: as measured
	perNode    int
	config     simulate.Config
	results    [][]*simulate.Result // for each of pes
	cut        bool                 // the trace is cut off
}

func newSimulation(c *cli.Context) (s *simulation, err error) {
	s = &simulation{trace: c.Args().First(), svg: c.String("svg"), perNode: c.Int("pes-per-node")}
	s.config = simulate.Config{Period: c.Int("period"), Auto: c.Bool("auto"), Costs: simulate.DefaultCosts,
		Options: loadbalance.Options{Seed: c.Uint64("seed"), Tolerance: c.Float64("tolerance")}}
	if s.svg != "" && sameFile(s.svg, s.trace) {
		return nil, fmt.Errorf("--svg %s: that is the trace; name another file", s.svg)
	}
	if s.pes, err = parsePEs(c.String("pes")); err != nil {
		return nil, err
	}
	if s.perNode < 1 {
		return nil, fmt.Errorf("--pes-per-node is %d", s.perNode)
	}
	if s.config.Mapping, err = mapping.Parse(c.String("mapping")); err != nil {
		return nil, err
	}
	if s.config.Strategies, err = parseStrategies(c.String("strategy")); err != nil {
		return nil, err
	}
	for _, cost := range costs {
		*cost.of(&s.config.Costs) = c.Float64(cost.name) * cost.unit
	}
	return s, s.config.Options.Validate()
}

// sameFile tells whether both names are of one file.
func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

// maxPEs catches typing errors before they take all memory.
const maxPEs = 1 << 24

func parsePEs(list string) (pes []int, err error) {
	for _, word := range split(list) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > maxPEs {
			return nil, fmt.Errorf("--pes: %q is not a number from 1 to %d", word, maxPEs)
		}
		pes = append(pes, n)
	}
	return pes, nil
}

// parseStrategies finds strategies; what the others are compared with, doing nothing, is always the first.
func parseStrategies(list string) ([]loadbalance.Strategy, error) {
	none, err := loadbalance.Find("none")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	found := []loadbalance.Strategy{none}
	for _, word := range split(list) {
		s, err := loadbalance.Find(word)
		if err != nil {
			return nil, err
		}
		if s != none {
			found = append(found, s)
		}
	}
	return found, nil
}

func split(list string) (words []string) {
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}

// run replays the trace once for each number of PEs.
func (s *simulation) run(ctx context.Context, w io.Writer) error {
	notes := map[string]bool{}
	s.config.Options.Note = func(note string) {
		if !notes[note] {
			notes[note] = true
			fmt.Fprintln(w, "note:", note)
		}
	}
	fmt.Fprintf(w, "%s\nbalancing every %d steps; longest PE up to %.3g times the mean is left alone\n", &s.config.Costs, s.config.Period, s.config.Options.Tolerance)
	if len(s.pes) == 0 {
		s.pes = []int{0}
	}
	for i := range s.pes {
		if err := s.replay(ctx, i, w); err != nil {
			return err
		}
	}
	if s.cut {
		fmt.Fprintf(w, "\nnote: %s: %v; the figures are of what is there\n", s.trace, record.ErrCut)
	}
	return s.draw()
}

// replay runs one number of PEs; 0 is that of the trace, and becomes it.
func (s *simulation) replay(ctx context.Context, i int, w io.Writer) error {
	f, err := os.Open(s.trace)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := record.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", s.trace, err)
	}
	defer r.Close()
	s.config.PEs = r.Header.PEs
	if s.pes[i] == 0 {
		s.pes[i] = len(r.Header.PEs)
	} else {
		s.config.PEs = s.machine(s.pes[i])
	}
	results, err := simulate.Run(ctx, s.config, r)
	if errors.Is(err, record.ErrCut) {
		s.cut, err = true, nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.trace, err)
	}
	if len(results[0].Steps) == 0 {
		return fmt.Errorf("%s: there is no step in it", s.trace)
	}
	s.results = append(s.results, results)
	fmt.Fprintf(w, "\n%s: %d ranks on %d PEs, %d steps\n", r.Header.Program, r.Header.Ranks, s.pes[i], len(results[0].Steps))
	return simulate.Table(w, results)
}

// machine is so many PEs of nominal speed, in nodes.
func (s *simulation) machine(count int) []loadbalance.PE {
	pes := make([]loadbalance.PE, count)
	for p := range pes {
		pes[p] = loadbalance.PE{Speed: 1, Node: int32(p / s.perNode)}
	}
	return pes
}

// draw writes the chart: step by step for one number of PEs, else over their numbers.
func (s *simulation) draw() error {
	if s.svg == "" {
		return nil
	}
	f, err := safefile.Create(s.svg)
	if err != nil {
		return err
	}
	defer f.Close()
	title := filepath.Base(s.trace)
	note := fmt.Sprintf("simulated: balancing every %d steps", s.config.Period)
	if len(s.pes) == 1 {
		err = simulate.StepChart(f, fmt.Sprintf("%s on %d PEs", title, s.pes[0]), note, s.results[0])
	} else {
		err = simulate.ScalingChart(f, title, note, s.pes, s.results)
	}
	if err != nil {
		return err
	}
	return f.Close()
}
