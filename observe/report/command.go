package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"ampirun/internal/safefile"
	"ampirun/internal/subcommand"
)

// Run does what the arguments after "ampirun report" ask for. An error is one line for the user.
func Run(args []string, stdout io.Writer) error {
	app := &cli.App{
		Name: "ampirun report", Usage: "make an HTML page of a timeline that +trace has written", ArgsUsage: "FILE",
		HideHelp: true, HideVersion: true, HideHelpCommand: true,
		Writer: stdout, ErrWriter: io.Discard, ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return err },
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the page to this file; - is standard output (default: FILE.html)"},
			subcommand.HelpFlag,
		},
		Action: func(c *cli.Context) error {
			if c.Bool("help") {
				return cli.ShowAppHelp(c)
			}
			return run(c)
		},
	}
	if err := app.Run(append([]string{"ampirun report"}, optionsFirst(args)...)); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// optionsFirst lets -o follow the file's name.
func optionsFirst(args []string) (sorted []string) {
	if len(args) > 1 && args[0] != "" && args[0][0] != '-' {
		return append(append(sorted, args[1:]...), args[0])
	}
	return args
}

func run(c *cli.Context) error {
	if c.Args().Len() != 1 {
		return errors.New("name one file that +trace has written: ampirun report FILE [-o page.html]")
	}
	name := c.Args().First()
	in, err := os.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	d, err := gather(in)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	output := c.String("output")
	if output == "-" {
		return writeTo(c.App.Writer, d)
	}
	if output == "" {
		output = name + ".html"
	}
	if same(in, output) {
		return fmt.Errorf("-o %s: that is the timeline itself; name another file", output)
	}
	file, err := safefile.Create(output)
	if err != nil {
		return err
	}
	if err := errors.Join(writeTo(file, d), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", output, err)
	}
	fmt.Fprintln(c.App.Writer, output)
	return nil
}

// same tells whether a name is that of an open file.
func same(open *os.File, name string) bool {
	a, err := open.Stat()
	if err != nil {
		return false
	}
	b, err := os.Stat(name)
	return err == nil && os.SameFile(a, b)
}

func writeTo(out io.Writer, d *data) error {
	buffered := bufio.NewWriter(out)
	if err := d.write(buffered); err != nil {
		return err
	}
	return buffered.Flush()
}
