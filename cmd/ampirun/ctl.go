package main

import (
	"errors"
	"io"

	"ampirun/cmd/ampirun/ctl"
	"ampirun/internal/refusal"
)

// isCtl tells whether the arguments are for ampirun ctl. A program of that name is run as ./ctl.
func isCtl(args []string) bool { return len(args) > 0 && args[0] == "ctl" }

// runCtl does what ampirun ctl is asked for.
func runCtl(args []string, stdout io.Writer) (code int, err error) {
	err = ctl.Run(args, stdout)
	var refused *refusal.Refusal
	switch {
	case errors.As(err, &refused):
		return refused.Code, err
	case err != nil:
		return refusal.CodeUsage, err
	}
	return 0, nil
}
