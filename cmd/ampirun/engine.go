package main

import (
	"fmt"
	"os"

	"ampirun/ampi"
	"ampirun/internal/abi"
	"ampirun/job"
	"ampirun/loadbalance/live"
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
				finish, err := live.Attach(&cfg, report)
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
		trial:       vrank.TryLibc,
		coverage:    coverage,
		loading:     func() privatize.Options { return vrank.LoadOptions(ampi.New()) },
	}
}

// libraries finds what a program needs.
func libraries(program string, preload []string) ([]privatize.Library, error) {
	return privatize.Resolve(program, preload, abi.Known)
}

// tryLibc has the C library tried, unless ld.so is to load it.
func (e engine) tryLibc(how string) error {
	if method, err := privatize.FindMethod(how); err == nil && method.Facts().LoadedByLd {
		return nil
	}
	return e.trial()
}

// triedLibraries also has the C library tried meanwhile.
func (e engine) triedLibraries(how, program string, preload []string) ([]privatize.Library, error) {
	tried := make(chan error, 1)
	go func() { tried <- e.tryLibc(how) }()
	libraries, err := e.libraries(program, preload)
	if failed := <-tried; err == nil {
		err = failed
	}
	return libraries, err
}

func coverage() (list []function) {
	for _, f := range ampi.New().Functions() {
		list = append(list, function{Name: f.Name, Served: f.Served, By: f.By})
	}
	return list
}
