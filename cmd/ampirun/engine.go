package main

import (
	"errors"

	"ampirun/job"
	"ampirun/privatize"
	"ampirun/vrank"
)

// newEngine puts the packages together that run ranks.
func newEngine() engine {
	return engine{
		core: job.Core{
			Run: func(vrank.Config, func(vrank.Event)) error {
				return errors.New("this build of ampirun has no rank core")
			},
			Stop: func() {},
		},
		controlSize: func(pes, ranks int) uint64 { return pageSize },
		libraries: func(program string) ([]privatize.Library, error) {
			return privatize.Resolve(program, nil)
		},
		coverage: func() []function { return nil },
	}
}
