package mpi

import "fmt"

// Fault is an error that the program sees as an MPI error: its class, and what was wrong with which argument.
type Fault struct {
	Class int
	Comm  uint64 // communicator whose error handler takes it; 0 where the call is about none
	Text  string
}

func (f *Fault) Error() string { return f.Text }

// Errorf makes a Fault of an error class that belongs to no communicator.
func Errorf(class int, format string, args ...any) *Fault {
	return &Fault{Class: class, Text: fmt.Sprintf(format, args...)}
}
