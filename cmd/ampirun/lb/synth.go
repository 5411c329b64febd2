package lb

import (
	"errors"
	"fmt"
	"math"

	"github.com/urfave/cli/v2"

	"ampirun/internal/safefile"
	"ampirun/loadbalance/record"
	"ampirun/loadbalance/synth"
)

var synthCommand = cli.Command{
	Name: "synth", Usage: "write a trace of a run that never was", ArgsUsage: "TRACE",
	Flags: []cli.Flag{
		&cli.StringFlag{Name: "workload", Value: "hotspot", Usage: "linear, hotspot, random, stencil2d or stencil3d"},
		&cli.IntFlag{Name: "ranks", Value: 1024, Usage: "number of ranks; a stencil takes the largest square or cube that fits"},
		&cli.IntFlag{Name: "steps", Value: 100, Usage: "number of steps"},
		&cli.IntFlag{Name: "pes", Value: 64, Usage: "PEs of the run"},
		&cli.IntFlag{Name: "pes-per-node", Value: 64, Usage: "PEs of a node"},
		&cli.IntFlag{Name: "period", Value: 25, Usage: "steps that the hot spot stays where it is"},
		&cli.Uint64Flag{Name: "seed", Usage: "of random loads"},
	},
	Action: func(c *cli.Context) error {
		if c.Args().Len() != 1 {
			return errors.New("name the trace to write, after the options")
		}
		for _, name := range []string{"ranks", "steps", "pes", "pes-per-node", "period"} {
			if n := c.Int(name); n < 1 || n > maxPEs {
				return fmt.Errorf("--%s: %d is not a number from 1 to %d", name, n, maxPEs)
			}
		}
		w, err := workload(c)
		if err != nil {
			return err
		}
		return writeTrace(c.Args().First(), w.Trace(c.Int("steps"), synth.PEs(c.Int("pes"), c.Int("pes-per-node"))))
	},
}

func workload(c *cli.Context) (w synth.Workload, err error) {
	ranks := c.Int("ranks")
	switch name := c.String("workload"); name {
	case "linear":
		return synth.Linear(ranks), nil
	case "hotspot":
		return synth.HotSpot(ranks, c.Int("period")), nil
	case "random":
		return synth.Random(ranks, c.Uint64("seed")), nil
	case "stencil2d":
		side := int(math.Sqrt(float64(ranks)))
		return synth.Stencil2D(side, side), nil
	case "stencil3d":
		side := int(math.Cbrt(float64(ranks)) + 1e-9)
		return synth.Stencil3D(side, side, side), nil
	default:
		return w, fmt.Errorf("--workload: there is no %q", name)
	}
}

func writeTrace(name string, t *synth.Trace) error {
	f, err := safefile.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	w, err := record.NewWriter(f, t.Header)
	if err != nil {
		return err
	}
	if err := t.Write(w); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return f.Close()
}
