package main

import (
	"fmt"
	"io"
)

// function is an MPI function and what serves it.
type function struct {
	Name   string
	Served bool
	By     string // the part of the runtime that serves it
}

// printCoverage lists the functions that are served, then those that are not.
func printCoverage(w io.Writer, functions []function) {
	for _, served := range []bool{true, false} {
		title, count := "not served", 0
		if served {
			title = "served"
		}
		for _, f := range functions {
			if f.Served == served {
				count++
			}
		}
		fmt.Fprintf(w, "%s: %d of %d\n", title, count, len(functions))
		for _, f := range functions {
			if f.Served == served {
				fmt.Fprintf(w, "  %-40s %s\n", f.Name, f.By)
			}
		}
	}
}
