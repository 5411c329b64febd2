package main

import (
	"io"

	"ampirun/job"
	"ampirun/loadbalance/command"
	_ "ampirun/loadbalance/partition/native" // METIS and Scotch, where they are installed
)

// isLB tells whether the arguments are for ampirun lb. A program of that name is run as ./lb.
func isLB(args []string) bool { return len(args) > 0 && args[0] == "lb" }

// runLB does what ampirun lb is asked for.
func runLB(args []string, stdout io.Writer) (code int, err error) {
	if err := command.Run(args, stdout); err != nil {
		return job.CodeUsage, err
	}
	return 0, nil
}
