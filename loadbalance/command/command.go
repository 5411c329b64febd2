// Package command is "ampirun lb": strategies tried on recorded or made-up runs.
package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ampirun/loadbalance"
)

var helpFlag = &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "print this"}

// Run does what the arguments after "ampirun lb" ask for; lb record runs jobs by run. An error is one line for the user.
func Run(args []string, stdout io.Writer, run Recorder) error {
	app := &cli.App{
		Name: "ampirun lb", Usage: "load balancing, tried out", HideHelp: true, HideVersion: true, HideHelpCommand: true,
		Writer: stdout, ErrWriter: os.Stderr, ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return err },
		Commands:     []*cli.Command{withHelp(strategiesCommand), recordCommand(run), withHelp(simulateCommand), withHelp(synthCommand)},
		Flags:        []cli.Flag{helpFlag},
		Action: func(c *cli.Context) error {
			if c.Args().Len() > 0 {
				return fmt.Errorf("lb %s: there are lb strategies, lb record, lb simulate and lb synth", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	return app.Run(append([]string{"ampirun lb"}, args...))
}

// withHelp gives a copy of a command --help, and its name to its errors.
func withHelp(plain cli.Command) *cli.Command {
	c := plain
	c.HideHelp, c.HideHelpCommand = true, true
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return fmt.Errorf("lb %s: %w", c.Name, err) }
	c.Flags = append(c.Flags[:len(c.Flags):len(c.Flags)], helpFlag)
	c.Action = func(ctx *cli.Context) error {
		if ctx.Bool("help") {
			return cli.ShowSubcommandHelp(ctx)
		}
		if err := plain.Action(ctx); err != nil {
			return fmt.Errorf("lb %s: %w", c.Name, err)
		}
		return nil
	}
	return &c
}

var strategiesCommand = cli.Command{
	Name: "strategies", Usage: "list the strategies with their names, costs and references",
	Action: func(c *cli.Context) error {
		w := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
		for _, s := range loadbalance.All() {
			i := s.Info()
			fmt.Fprintf(w, "%s\t%s\n\talso called %s\n\t%s\n\t%s\n", i.Name, i.Summary, strings.Join(i.Aliases, ", "), i.Complexity, i.Reference)
		}
		return w.Flush()
	},
}
