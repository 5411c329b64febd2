package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"ampirun/internal/abi"
	"ampirun/internal/refusal"
	"ampirun/job"
	"ampirun/observe/diagnose"
	"ampirun/privatize"
)

// diagnose examines the program instead of running it.
func (e engine) diagnose(s *settings, stdout io.Writer) (code int, err error) {
	s.complete()
	rt := diagnose.Runtime{ABIs: abi.Known, Options: e.loading(), Libraries: e.libraries}
	path, err := job.FindProgram(s.job.Program)
	if err != nil {
		if path, err = withoutMode(s.job.Program, err); err != nil {
			return err.(*refusal.Refusal).Code, err
		}
		_, refused := job.FindProgram(s.job.Program)
		rt.Libraries = func(string, []string) ([]privatize.Library, error) { return nil, refused }
	}
	for _, f := range e.coverage() {
		rt.Functions = append(rt.Functions, diagnose.Function{Name: f.Name, Served: f.Served})
	}
	preload := append(s.preload, preloadNames(s.job.Env)...)
	report := diagnose.Examine(path, preload, rt)
	if report.Runs() {
		e.probeHeap(s, preload, &report.Heap)
	}
	if s.json {
		err = report.JSON(stdout)
	} else {
		report.Print(stdout)
	}
	if err == nil && !report.Runs() {
		code = refusal.CodeUsage
	}
	return code, err
}

// probeHeap has a process of its own load the program, run its constructors and test the heap; main is not called.
func (e engine) probeHeap(s *settings, preload []string, heap *diagnose.Heap) {
	opt := s.job
	opt.ControlSize = e.controlSize
	opt.Libraries = func(program string) ([]privatize.Library, error) { return e.libraries(program, preload) }
	found, err := job.ProbeHeap(context.Background(), opt)
	if err != nil {
		heap.Untested = err.Error()
		return
	}
	heap.Interception, heap.Missed = found.Level.String(), found.Missed
}

// withoutMode gives the path of a file that only lacks the permission to be run: it can be read all the same.
func withoutMode(program string, refused error) (string, error) {
	var r *refusal.Refusal
	info, err := os.Stat(program)
	if !errors.As(refused, &r) || r.Code != refusal.CodeNotExecutable || err != nil || !info.Mode().IsRegular() {
		return "", refused
	}
	return filepath.Abs(program)
}
