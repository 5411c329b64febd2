package main

import (
	"fmt"
	"os"

	"ampirun/abi"
	"ampirun/ampi"
	"ampirun/balance"
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
				finish, err := balance.Attach(&cfg, report)
				if err != nil {
					return err
				}
				err = vrank.Run(cfg, mpi, report)
				if failed := finish(); failed != nil { // the job itself has ended well
					fmt.Fprintln(os.Stderr, "ampirun:", failed)
				}
				return err
			},
			Stop:    vrank.Stop,
			Freeze:  vrank.Freeze,
			Prepare: vrank.Prepare,
			Trace:   vrank.TakeTrace,
			Survey:  vrank.TakeSurvey,
			Move:    vrank.MoveRank,
		},
		controlSize: vrank.ControlSize,
		callName:    new(ampi.Server).Name,
		libraries:   libraries,
		coverage:    coverage,
		loading:     func() privatize.Options { return vrank.LoadOptions(ampi.New()) },
	}
}

// libraries finds what a program needs.
func libraries(program string, preload []string) ([]privatize.Library, error) {
	return privatize.Resolve(program, preload, abi.Known)
}

func coverage() (list []function) {
	for _, f := range ampi.New().Functions() {
		list = append(list, function{Name: f.Name, Served: f.Served, By: f.By})
	}
	return list
}
