package ckpt

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"ampirun/checkpoint/plan"
	"ampirun/internal/safefile"
)

var planCommand = cli.Command{
	Name: "plan", Usage: "how often to make checkpoints, and what is left of a machine that fails",
	Flags: []cli.Flag{
		&cli.StringFlag{Name: "nodes", Value: "1,16,64,256,1024,4096", Usage: "numbers of nodes"},
		&cli.StringFlag{Name: "mtbf", Value: "5y", Usage: "mean time between failures of one node; several, as in 1y,5y,25y, give several tables"},
		&cli.StringFlag{Name: "cost", Value: "0.4s", Usage: "what a checkpoint takes away from the program"},
		&cli.StringFlag{Name: "cost-per-node", Value: "0s", Usage: "what each further node adds to it, where nodes share what they write to"},
		&cli.StringFlag{Name: "safe", Value: "0s", Usage: "time until a checkpoint can be used, if it is written behind the program"},
		&cli.StringFlag{Name: "restart", Value: "0.5s", Usage: "from a failure to running again"},
		&cli.StringFlag{Name: "work", Value: "1d", Usage: "what a job computes, for its efficiency without checkpoints"},
		&cli.StringFlag{Name: "every", Value: "0s", Usage: "an interval to simulate besides"},
		&cli.Float64Flag{Name: "shape", Value: 1, Usage: "of the Weibull distribution of times between failures: 1 is exponential, less comes in crowds"},
		&cli.IntFlag{Name: "failures", Value: 20000, Usage: "how many are played for each line"},
		&cli.Uint64Flag{Name: "seed", Usage: "of their times"},
		&cli.StringFlag{Name: "svg", Usage: "write a chart to this file"},
		jsonFlag,
	},
	Action: func(c *cli.Context) error {
		cases, err := parseCases(c)
		if err != nil {
			return err
		}
		var rows [][]plan.Row
		for _, one := range cases {
			rows = append(rows, one.Rows())
		}
		if err := drawPlan(c.String("svg"), cases, rows); err != nil {
			return err
		}
		if c.Bool("json") {
			return planJSON(c.App.Writer, cases, rows)
		}
		for i, one := range cases {
			if i > 0 {
				fmt.Fprintln(c.App.Writer)
			}
			if err := one.Table(c.App.Writer, rows[i]); err != nil {
				return err
			}
		}
		return nil
	},
}

const (
	maxNodes    = 1 << 24
	maxFailures = 10_000_000
)

// parseCases makes a case for each MTBF.
func parseCases(c *cli.Context) (cases []*plan.Case, err error) {
	if c.Args().Present() {
		return nil, fmt.Errorf("%q: plan takes options only (--help lists them)", c.Args().First())
	}
	base := plan.Case{Shape: c.Float64("shape"), Failures: c.Int("failures"), Seed: c.Uint64("seed")}
	for name, to := range map[string]*time.Duration{"cost": &base.Cost, "cost-per-node": &base.CostPerNode, "safe": &base.Safe,
		"restart": &base.Restart, "work": &base.Work, "every": &base.Every} {
		if *to, err = plan.ParseDuration(c.String(name)); err != nil {
			return nil, fmt.Errorf("--%s: %w", name, err)
		}
	}
	switch {
	case base.Cost == 0:
		return nil, errors.New("--cost: it is more than 0s")
	case base.Work == 0:
		return nil, errors.New("--work: it is more than 0s")
	case !(base.Shape >= 0.1 && base.Shape <= 10):
		return nil, fmt.Errorf("--shape: %g is not from 0.1 to 10", base.Shape)
	case base.Failures < 1 || base.Failures > maxFailures:
		return nil, fmt.Errorf("--failures: %d is not from 1 to %d", base.Failures, maxFailures)
	}
	if base.Nodes, err = parseNodes(c.String("nodes")); err != nil {
		return nil, fmt.Errorf("--nodes: %w", err)
	}
	for word := range strings.SplitSeq(c.String("mtbf"), ",") {
		one := base
		one.NodeMTBF, err = plan.ParseDuration(strings.TrimSpace(word))
		if err == nil && one.NodeMTBF == 0 {
			err = errors.New("it is more than 0s")
		}
		if err != nil {
			return nil, fmt.Errorf("--mtbf: %w", err)
		}
		cases = append(cases, &one)
	}
	return cases, nil
}

func parseNodes(list string) (nodes []int, err error) {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 1 || n > maxNodes {
			return nil, fmt.Errorf("%q is not a number from 1 to %d", word, maxNodes)
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

func drawPlan(path string, cases []*plan.Case, rows [][]plan.Row) (err error) {
	if path == "" {
		return nil
	}
	f, err := safefile.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return plan.Chart(f, cases, rows)
}

func planJSON(to io.Writer, cases []*plan.Case, rows [][]plan.Row) error {
	type table struct {
		Case *plan.Case `json:"case"`
		Rows []plan.Row `json:"rows"`
	}
	var tables []table
	for i := range cases {
		tables = append(tables, table{cases[i], rows[i]})
	}
	return printJSON(to, tables)
}
