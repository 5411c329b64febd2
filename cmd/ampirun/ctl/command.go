// Package ctl is "ampirun ctl": running jobs looked at and steered from outside.
package ctl

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"ampirun/internal/subcommand"
	"ampirun/job/control"
)

const noun = "ctl"

// Run does what the arguments after "ampirun ctl" ask for: JOB VERB, or a list of jobs. An error is one line for the user.
func Run(args []string, stdout io.Writer) error {
	if len(args) > 0 {
		if pid, err := strconv.ParseInt(args[0], 10, 32); err == nil {
			return steer(int(pid), args[1:], stdout)
		}
	}
	if len(args) == 0 || args[0] == "--json" {
		args = append([]string{"ls"}, args...)
	}
	if isVerb(args[0]) {
		return fmt.Errorf("ctl %s: name the job first: ampirun ctl JOB %s", args[0], args[0])
	}
	return subcommand.Run(noun, "running jobs, looked at and steered (JOB is the pid of ampirun or of a worker)",
		append([]*cli.Command{subcommand.WithHelp(noun, lsCommand)}, shown()...), args, stdout)
}

// steer does something with one job.
func steer(pid int, args []string, stdout io.Writer) error {
	if len(args) == 0 || args[0] == "--json" {
		args = append([]string{"status"}, args...)
	}
	title := fmt.Sprintf("%s %d", noun, pid)
	var all []*cli.Command
	for _, v := range verbs {
		all = append(all, subcommand.WithHelp(title, v.command(pid)))
	}
	return subcommand.Run(title, "a running job, looked at and steered", all, args, stdout)
}

// verb is what can be done with a job.
type verb struct {
	name, usage string
	args        []string // their names: numbers
	json        bool     // it can print JSON
	do          func(c *control.Conversation, args []int, out printer) error
}

var verbs = []verb{
	{"status", "print what the job has done so far", nil, true, status},
	{"ranks", "print what each rank does, and where", nil, true, ranks},
	{"checkpoint", "have the job saved (+ckpt), and wait until that is safe", nil, false, ask("checkpoint")},
	{"migrate", "have a rank go to a PE at its next call, and wait until it is there", []string{"RANK", "PE"}, false, ask("migrate")},
	{"stop", "end the job as SIGTERM would, and wait until it has ended", nil, false, stop},
	{"scale", "have the job go on in another number of workers", []string{"N"}, false, ask("scale")},
	{"backtrace", "print where in the program all ranks are", nil, false, ask("backtrace")},
}

func isVerb(name string) bool {
	return slices.ContainsFunc(verbs, func(v verb) bool { return v.name == name })
}

// shown are the verbs as the list of all commands has them.
func shown() (all []*cli.Command) {
	for _, v := range verbs {
		c := v.command(0)
		c.Name = strings.Join(append([]string{"JOB", v.name}, v.args...), " ")
		all = append(all, &c)
	}
	return all
}

var jsonFlag = &cli.BoolFlag{Name: "json", Usage: "print JSON"}

func (v *verb) command(pid int) cli.Command {
	c := cli.Command{Name: v.name, Usage: v.usage, ArgsUsage: " " + strings.Join(v.args, " ")}
	if v.json {
		c.Flags = []cli.Flag{jsonFlag}
	}
	c.Action = func(ctx *cli.Context) error {
		args, err := v.numbers(ctx.Args().Slice())
		if err != nil {
			return err
		}
		conversation, err := control.Contact(pid)
		if err != nil {
			return err
		}
		defer conversation.Close()
		return v.do(conversation, args, printer{ctx.App.Writer, v.json && ctx.Bool("json")})
	}
	return c
}

func (v *verb) numbers(words []string) (numbers []int, err error) {
	if len(words) != len(v.args) {
		if len(v.args) == 0 {
			return nil, fmt.Errorf("%s: takes no arguments", words[0])
		}
		return nil, fmt.Errorf("takes %d numbers (%s), not %d", len(v.args), strings.Join(v.args, ", "), len(words))
	}
	for i, word := range words {
		n, err := strconv.ParseUint(word, 10, 31)
		if err != nil {
			return nil, fmt.Errorf("%s is %q, not a number", v.args[i], word)
		}
		numbers = append(numbers, int(n))
	}
	return numbers, nil
}

// ask is for verbs whose answer is text.
func ask(verb string) func(c *control.Conversation, args []int, out printer) error {
	return func(c *control.Conversation, args []int, out printer) error {
		return c.Ask(control.Request{Verb: verb, Args: args}, out.text)
	}
}

func stop(c *control.Conversation, _ []int, out printer) error {
	err := c.Stop(out.text)
	if err == nil {
		fmt.Fprintf(out.to, "job %d has ended\n", c.PID())
	}
	return err
}

// printer writes answers for the user, or for programs.
type printer struct {
	to   io.Writer
	json bool
}

func (p printer) text(r control.Reply) {
	if r.Text != "" {
		fmt.Fprintln(p.to, r.Text)
	}
}

func (p printer) value(v any) error {
	e := json.NewEncoder(p.to)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
