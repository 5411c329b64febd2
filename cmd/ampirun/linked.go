package main

import (
	"debug/elf"
	"fmt"
	"strings"

	"ampirun/job"
	"ampirun/shim"
)

// adoptLinked takes the strategy that the program was linked for, unless the command line has one.
func (s *settings) adoptLinked() error {
	if s.job.Balance != "" {
		return nil
	}
	name := linkedBalancer(s.job.Program)
	if name == "" {
		return nil
	}
	if err := setBalance(s, name); err != nil {
		return fmt.Errorf("%s is linked with -balancer %s: %w", s.job.Program, name, err)
	}
	return nil
}

// linkedBalancer is what -balancer said when a program was linked; "" for nothing, and for what is no program, which others tell.
func linkedBalancer(program string) string {
	path, err := job.FindProgram(program)
	if err != nil {
		return ""
	}
	f, err := elf.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return ""
	}
	for _, symbol := range symbols {
		if name, ok := strings.CutPrefix(symbol.Name, shim.BalancerPrefix); ok {
			return name
		}
	}
	return ""
}
