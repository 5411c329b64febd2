package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// function is an MPI function and what serves it.
type function struct {
	Name   string
	Served bool
	By     string // the part of the runtime that serves it
}

// printCoverage lists the functions of MPI that are served, then those that are not, and those of AMPI.
func printCoverage(w io.Writer, functions []function) {
	for _, kind := range []struct{ title, prefix string }{{"", "MPI_"}, {"AMPI's own, ", "AMPI_"}} {
		own := slices.DeleteFunc(slices.Clone(functions), func(f function) bool { return !strings.HasPrefix(f.Name, kind.prefix) })
		printServed(w, kind.title+"served", own, true)
		printServed(w, kind.title+"not served", own, false)
	}
}

func printServed(w io.Writer, title string, functions []function, served bool) {
	chosen := slices.DeleteFunc(slices.Clone(functions), func(f function) bool { return f.Served != served })
	fmt.Fprintf(w, "%s: %d of %d\n", title, len(chosen), len(functions))
	for _, f := range chosen {
		fmt.Fprintf(w, "  %-40s %s\n", f.Name, f.By)
	}
}
