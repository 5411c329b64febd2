package main

import (
	"errors"
	"io"

	"ampirun/cmd/ampirun/ckpt"
	"ampirun/internal/refusal"
)

// isCkpt tells whether the arguments are for ampirun ckpt. A program of that name is run as ./ckpt.
func isCkpt(args []string) bool { return len(args) > 0 && args[0] == "ckpt" }

// codeDamaged is the exit code of ampirun ckpt verify when something is.
const codeDamaged = 1

// runCkpt does what ampirun ckpt is asked for.
func runCkpt(args []string, stdout io.Writer) (code int, err error) {
	err = ckpt.Run(args, stdout)
	switch {
	case errors.Is(err, ckpt.ErrDamaged):
		return codeDamaged, err
	case err != nil:
		return refusal.CodeUsage, err
	}
	return 0, nil
}
