package main

import (
	"fmt"
	"strings"

	"ampirun/ampi"
	"ampirun/job"
	"ampirun/privatize"
	"ampirun/vrank"
)

// newEngine puts the packages together that run ranks.
func newEngine() engine {
	return engine{
		core: job.Core{
			Run: func(cfg vrank.Config, report func(vrank.Event)) error {
				mpi := ampi.New()
				mpi.Describe(ampi.Environment{Program: cfg.Program, Args: cfg.Args[1:], Ranks: cfg.Ranks})
				return vrank.Run(cfg, mpi, report)
			},
			Stop: vrank.Stop,
		},
		controlSize: vrank.ControlSize,
		libraries:   libraries,
		coverage:    coverage,
	}
}

// isProvided tells whether the runtime stands in for a library: the MPI 5 standard ABI.
func isProvided(soname string) bool { return strings.HasPrefix(soname, "libmpi_abi.so") }

// libraries finds what a program needs, and refuses programs that are bound to another MPI implementation.
func libraries(program string, preload []string) ([]privatize.Library, error) {
	needs, err := privatize.Inspect(program)
	if err != nil {
		return nil, err
	}
	for _, name := range needs.MPI {
		if !isProvided(name) {
			return nil, &privatize.Refusal{File: program, Reason: "other MPI",
				What: fmt.Sprintf("is built against another MPI implementation (%s)", name),
				Way:  "rebuild it with ampicc, ampicxx or ampif90, or against the MPI 5 standard ABI (libmpi_abi)"}
		}
	}
	return privatize.Resolve(program, preload, isProvided)
}

func coverage() (list []function) {
	for _, f := range ampi.New().Functions() {
		list = append(list, function{Name: f.Name, Served: f.Served, By: f.By})
	}
	return list
}
