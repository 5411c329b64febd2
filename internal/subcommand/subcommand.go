// Package subcommand is what "ampirun noun verb" has in common for all nouns.
package subcommand

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// HelpFlag is --help: ours, since urfave/cli would answer its own before anything else is looked at.
var HelpFlag = &cli.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "print this"}

// Run does what the arguments after "ampirun noun" ask for. An error is one line for the user, and begins with noun and verb.
func Run(noun, usage string, verbs []*cli.Command, args []string, stdout io.Writer) error {
	app := &cli.App{
		Name: "ampirun " + noun, Usage: usage, HideHelp: true, HideVersion: true, HideHelpCommand: true,
		Writer: stdout, ErrWriter: os.Stderr, ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error { return fmt.Errorf("%s: %w", noun, err) },
		Commands:     verbs,
		Flags:        []cli.Flag{HelpFlag},
		Action: func(c *cli.Context) error {
			if c.Args().Len() > 0 {
				return fmt.Errorf("%s %s: there are %s", noun, c.Args().First(), list(noun, verbs))
			}
			return cli.ShowAppHelp(c)
		},
	}
	return app.Run(append([]string{app.Name}, args...))
}

func list(noun string, verbs []*cli.Command) string {
	var names []string
	for _, v := range verbs {
		names = append(names, noun+" "+v.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// WithHelp gives a copy of a verb --help, and noun and verb to its errors.
func WithHelp(noun string, plain cli.Command) *cli.Command {
	c := plain
	c.HideHelp, c.HideHelpCommand = true, true
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return fmt.Errorf("%s %s: %w", noun, c.Name, err) }
	c.Flags = append(slices.Clip(c.Flags), HelpFlag)
	c.Action = func(ctx *cli.Context) error {
		if ctx.Bool("help") {
			return cli.ShowSubcommandHelp(ctx)
		}
		if err := plain.Action(ctx); err != nil {
			return fmt.Errorf("%s %s: %w", noun, c.Name, err)
		}
		return nil
	}
	return &c
}

// OptionsFirst gives the arguments of Run with a verb's options before what else follows it, where urfave/cli wants them: people write them at the
// end as well. It is for verbs whose arguments are not the command line of something else.
func OptionsFirst(verbs []*cli.Command, args []string) []string {
	if len(args) == 0 {
		return args
	}
	takesValue := map[string]bool{}
	for _, v := range verbs {
		for _, f := range v.Flags {
			_, isSwitch := f.(*cli.BoolFlag)
			for _, name := range f.Names() {
				takesValue[name] = v.Name == args[0] && !isSwitch || takesValue[name]
			}
		}
	}
	var options, others []string
	for rest := args[1:]; len(rest) > 0; rest = rest[1:] {
		word := rest[0]
		if word == "--" {
			others = append(others, rest...)
			break
		}
		if len(word) < 2 || word[0] != '-' {
			others = append(others, word)
			continue
		}
		options = append(options, word)
		if takesValue[strings.TrimLeft(word, "-")] && len(rest) > 1 {
			rest = rest[1:]
			options = append(options, rest[0])
		}
	}
	return slices.Concat(args[:1], options, others)
}
