// Package refusal is for what is not done for a reason that the user can mend.
package refusal

import (
	"errors"
	"fmt"
)

// Exit codes of refusals, as shells use them.
const (
	CodeFailed        = 1   // a job did not do what it was asked for, or is not there
	CodeUsage         = 2   // a bad flag or a program the loader refuses
	CodeNotExecutable = 126 // the program exists and may not be run
	CodeNotFound      = 127 // there is no such program
)

// Refusal is the reason: one line that names the file or flag, and the exit code that belongs to it.
type Refusal struct {
	Code int
	Text string
}

func (r *Refusal) Error() string { return r.Text }

// New makes a refusal.
func New(code int, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Text: fmt.Sprintf(format, args...)}
}

// CodeOf is the exit code of an error.
func CodeOf(err error) int {
	if r := new(Refusal); errors.As(err, &r) {
		return r.Code
	}
	return CodeFailed
}
