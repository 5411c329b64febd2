package lb

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"ampirun/internal/subcommand"
	"ampirun/loadbalance/record"
)

// Recorder runs a job with arguments of ampirun, before which -o and --step may stand, and gives the name of the trace that it
// left; "" if there is none. The error is why the job did not run or did not end well.
type Recorder func(args []string) (trace string, err error)

// recordCommand leaves its arguments to run: they are ampirun's.
func recordCommand(run Recorder) *cli.Command {
	return &cli.Command{
		Name: "record", Usage: "run a program and write what is measured, step by step", SkipFlagParsing: true,
		ArgsUsage: "[ampirun's options] program [arguments]",
		HideHelp:  true, HideHelpCommand: true,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "o", Usage: "write to this `FILE` (default: the program's name with .trace)"},
			&cli.StringFlag{Name: "step", Usage: "how long a step is in `SECONDS` (default: 0.1)"},
			subcommand.HelpFlag,
		},
		Action: func(c *cli.Context) error {
			args := c.Args().Slice()
			if len(args) == 0 || args[0] == "--help" || args[0] == "-h" {
				return cli.ShowSubcommandHelp(c)
			}
			trace, err := run(args)
			if trace == "" && err != nil {
				return fmt.Errorf("lb record: %w", err)
			}
			if trace != "" {
				return errors.Join(err, describe(c.App.ErrWriter, trace))
			}
			return err
		},
	}
}

// describe says in one line what a trace holds.
func describe(w io.Writer, trace string) error {
	f, err := os.Open(trace)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := record.NewReader(f)
	if err != nil {
		return fmt.Errorf("lb record: %s: %w", trace, err)
	}
	defer r.Close()
	steps, seconds, load, note := 0, 0.0, 0.0, ""
	for {
		s, err := r.Next()
		if err == io.EOF {
			break
		}
		if errors.Is(err, record.ErrCut) {
			note = "; " + record.ErrCut.Error()
			break
		}
		if err != nil {
			return fmt.Errorf("lb record: %s: %w", trace, err)
		}
		steps++
		seconds += s.Seconds
		for i := range s.Ranks {
			load += s.Ranks[i].Load
		}
	}
	fmt.Fprintf(w, "ampirun: lb record: %s: %d steps in %.3f s, %d ranks on %d PEs, %.3f s of work%s\n",
		trace, steps, seconds, r.Header.Ranks, len(r.Header.PEs), load, note)
	return nil
}
