package main

import (
	"io"

	"ampirun/internal/refusal"
	"ampirun/observe/report"
)

// isReport tells whether the arguments are for ampirun report. A program of that name is run as ./report.
func isReport(args []string) bool { return len(args) > 0 && args[0] == "report" }

// runReport does what ampirun report is asked for.
func runReport(args []string, stdout io.Writer) (code int, err error) {
	if err := report.Run(args, stdout); err != nil {
		return refusal.CodeUsage, err
	}
	return 0, nil
}
