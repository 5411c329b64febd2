package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"ampirun/cmd/ampirun/sweep"
	"ampirun/job"
)

// isSweep tells whether the arguments are for ampirun sweep. A program of that name is run as ./sweep.
func isSweep(args []string) bool { return len(args) > 0 && args[0] == "sweep" }

func runSweep(args []string, stdout io.Writer) (code int, err error) {
	return sweep.Command(args, stdout, os.Stderr, splitSweep)
}

// splitSweep takes apart what the runs of a sweep have in common. What the sweep itself sets is refused.
func splitSweep(args []string) (out sweep.Job, err error) {
	l, err := translate(args)
	if err != nil {
		return out, err
	}
	if len(l.program) == 0 {
		return out, errors.New("no program given; write: ampirun sweep --vp 2,4,8 -- program [arguments]")
	}
	for name, typed := range l.typed {
		switch name {
		case "vp", "p", "lb":
			return out, fmt.Errorf("%s: is the sweep's to set; write --%s before the --", typed, name)
		case "wdir", "gdb", "diagnose", "json", "lb-record", "trace", "backtrace", "help", "version", "coverage", "methods", "gdb-script":
			return out, fmt.Errorf("%s: makes no sense in a sweep", typed)
		}
	}
	if _, err := parse(args); err != nil {
		return out, err
	}
	out = sweep.Job{Options: l.flags, Name: l.program[0], Args: l.program[1:]}
	if out.Program, err = job.FindProgram(out.Name); err != nil {
		return out, err
	}
	out.Ampirun, err = os.Executable()
	return out, err
}
