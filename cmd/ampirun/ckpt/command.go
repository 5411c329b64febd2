// Package ckpt is "ampirun ckpt": directories of checkpoints looked at, tidied up and copied to, and checkpoints planned.
package ckpt

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/urfave/cli/v2"

	"ampirun/checkpoint"
	"ampirun/internal/subcommand"
)

const noun = "ckpt"

// ErrDamaged is what errors.Is finds when a checkpoint is not what was written.
var ErrDamaged = errors.New("damaged")

// Run does what the arguments after "ampirun ckpt" ask for. An error is one line for the user.
func Run(args []string, stdout io.Writer) error {
	var verbs []*cli.Command
	for _, v := range []cli.Command{lsCommand, showCommand, verifyCommand, rmCommand, receiveCommand, planCommand} {
		verbs = append(verbs, subcommand.WithHelp(noun, v))
	}
	return subcommand.Run(noun, "checkpoints in a directory, and how often to make them", verbs, subcommand.OptionsFirst(verbs, args), stdout)
}

var jsonFlag = &cli.BoolFlag{Name: "json", Usage: "print JSON"}

// target is a directory and the generations of it that the arguments name.
type target struct {
	store   *checkpoint.Store
	numbers []uint64 // all if none was named
	named   bool
}

// look opens the directory that the arguments name, without taking it from a job.
func look(c *cli.Context) (t target, err error) {
	dir, numbers, err := parse(c)
	if err != nil {
		return t, err
	}
	if t.store, err = checkpoint.View(dir); err != nil {
		return t, err
	}
	if t.numbers, t.named = numbers, len(numbers) > 0; t.named {
		return t, nil
	}
	if t.numbers, err = t.store.Numbers(); err == nil && len(t.numbers) == 0 {
		err = fmt.Errorf("%s: %w", dir, checkpoint.ErrNone)
	}
	return t, err
}

// parse reads DIR [GENERATION...].
func parse(c *cli.Context) (dir string, numbers []uint64, err error) {
	if c.Args().Len() == 0 {
		return "", nil, errors.New("name a directory of checkpoints")
	}
	for _, word := range c.Args().Tail() {
		n, err := strconv.ParseUint(word, 10, 63)
		if err != nil || n == 0 {
			return "", nil, fmt.Errorf("%q is not the number of a checkpoint (ampirun ckpt ls lists them)", word)
		}
		numbers = append(numbers, n)
	}
	return c.Args().First(), numbers, nil
}

// newest opens the named generation, or the newest.
func (t *target) newest() (*checkpoint.Generation, error) {
	if len(t.numbers) > 1 && t.named {
		return nil, errors.New("name one checkpoint")
	}
	return t.store.Generation(t.numbers[len(t.numbers)-1])
}

func printJSON(to io.Writer, value any) error {
	e := json.NewEncoder(to)
	e.SetIndent("", "  ")
	return e.Encode(value)
}
