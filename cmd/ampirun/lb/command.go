// Package lb is "ampirun lb": strategies tried on recorded or made-up runs.
package lb

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"ampirun/internal/subcommand"
	"ampirun/loadbalance"
)

const noun = "lb"

// Run does what the arguments after "ampirun lb" ask for; lb record runs jobs by run. An error is one line for the user.
func Run(args []string, stdout io.Writer, run Recorder) error {
	verbs := []*cli.Command{subcommand.WithHelp(noun, strategiesCommand), recordCommand(run), subcommand.WithHelp(noun, simulateCommand),
		subcommand.WithHelp(noun, synthCommand)}
	return subcommand.Run(noun, "load balancing, tried out", verbs, args, stdout)
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
