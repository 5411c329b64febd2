package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"ampirun/job"
)

// settings is what a command line asks for.
type settings struct {
	job       job.Options
	workerSet bool // +p was given
	rankSet   bool // +vp was given
	assigned  []string
	preload   []string // files, absolute

	help, version, coverage, docs bool
}

// option is one row of the table that drives parsing, --help and docs/options.md.
type option struct {
	form    string   // how help writes it, sign included: "+vp"
	aliases []string // further names, signs included
	value   string   // what its value is called in help; "" for a switch
	joined  bool     // a number may follow the name without a blank: +p2
	many    bool     // may be given several times
	initial string   // what holds without it, in words
	text    string   // one line for help
	more    string   // a further sentence for the manual
	hidden  bool
	set     func(s *settings, value string) error // value is "true" for a switch
}

// name is the form without its sign.
func (o *option) name() string { return strings.TrimLeft(o.form, "+-") }

// group is a heading of the help with its options.
type group struct {
	title   string
	options []*option
}

// maxWorkers and maxRanks catch typing errors before they become thousands of processes.
const (
	maxWorkers = 4096
	maxRanks   = 1 << 20
	minStack   = 64 << 10
)

// table holds all options.
var table = []group{
	{"Ranks and workers", []*option{
		{form: "+vp", aliases: []string{"-n", "-np"}, value: "N", joined: true, initial: "as many as workers",
			text: "number of virtual ranks",
			set: func(s *settings, v string) (err error) {
				s.rankSet = true
				s.job.Ranks, err = parseCount(v, maxRanks)
				return err
			}},
		{form: "+p", value: "N", joined: true, initial: "one for each core",
			text: "number of worker processes",
			more: "There are never more workers than ranks.",
			set: func(s *settings, v string) (err error) {
				s.workerSet = true
				s.job.Workers, err = parseCount(v, maxWorkers)
				return err
			}},
		{form: "+pin", text: "bind each worker to a core of its own", set: setSwitch(func(s *settings) *bool { return &s.job.Pin })},
		{form: "+privatize", value: "METHOD", initial: "pie", text: "how ranks get globals of their own: pie or none",
			more: "`pie` loads program, libraries and C library once for each rank. `none` shares one image among all ranks, which shows what goes wrong without.",
			set:  setMethod},
	}},
	{"Memory", []*option{
		{form: "+stack", value: "SIZE", initial: "64M", text: "stack of one rank",
			more: "Memory is used only where a rank touches it.",
			set: func(s *settings, v string) (err error) {
				if s.job.Stack, err = parseSize(v); err == nil && s.job.Stack < minStack {
					err = fmt.Errorf("a stack needs at least 64K")
				}
				return err
			}},
		{form: "+slice", value: "SIZE", initial: "what fits, up to 16G",
			text: "address space of one rank",
			more: "It holds program, stack and heap; memory is used only where a rank touches it.",
			set:  func(s *settings, v string) (err error) { s.job.Slice, err = parseSize(v); return err }},
	}},
	{"Program", []*option{
		{form: "-x", value: "VAR[=VALUE]", many: true, text: "set an environment variable for the ranks",
			more: "The whole environment is passed on anyway; `-x VAR` makes sure that VAR is set.",
			set:  setVariable},
		{form: "+preload", value: "FILE", many: true, text: "load a shared library into every rank before the program's own",
			more: "For tools that wrap MPI functions. `LD_PRELOAD` does the same, but is also heeded by the loader of `ampirun` itself.",
			set:  setPreload},
		{form: "-wdir", aliases: []string{"-wd"}, value: "DIR", initial: "the current directory", text: "directory to run in",
			set: func(s *settings, v string) error { s.job.Dir = v; return nil }},
	}},
	{"Output and diagnosis", []*option{
		{form: "--label", aliases: []string{"-l"}, text: "begin each line of output with [rank]",
			set: setSwitch(func(s *settings) *bool { return &s.job.Label })},
		{form: "+stats", text: "print times, messages and memory of PEs and ranks at the end",
			more: "Up to 64 ranks have a row each; of more, minimum, median and maximum are shown.",
			set:  setSwitch(func(s *settings) *bool { return &s.job.Stats })},
		{form: "--heap-check", text: "check every rank's heap at each operation and at the end (slow)",
			set: setSwitch(func(s *settings) *bool { return &s.job.HeapCheck })},
		{form: "--coverage", text: "list the MPI functions that are served and those that are not",
			set: setSwitch(func(s *settings) *bool { return &s.coverage })},
		{form: "--version", aliases: []string{"-V"}, text: "print the version", set: setSwitch(func(s *settings) *bool { return &s.version })},
		{form: "--help", aliases: []string{"-h", "-?"}, text: "print this help", set: setSwitch(func(s *settings) *bool { return &s.help })},
		{form: "--docs-options", hidden: true, text: "print docs/options.md", set: setSwitch(func(s *settings) *bool { return &s.docs })},
	}},
}

func newSettings() *settings {
	return &settings{job: job.Options{Stack: 64 << 20, Method: "pie"}}
}

// eachOption calls visit for every row of the table.
func eachOption(visit func(*option)) {
	for _, g := range table {
		for _, o := range g.options {
			visit(o)
		}
	}
}

// findOption returns the option that has name among its names, which are given without signs.
func findOption(name string) (found *option) {
	eachOption(func(o *option) {
		if o.name() == name {
			found = o
		}
		for _, alias := range o.aliases {
			if strings.TrimLeft(alias, "+-") == name {
				found = o
			}
		}
	})
	return found
}

func setSwitch(field func(*settings) *bool) func(*settings, string) error {
	return func(s *settings, value string) error {
		*field(s) = value == "true"
		return nil
	}
}

func setMethod(s *settings, value string) error {
	if value != "pie" && value != "none" {
		return fmt.Errorf("no such method; there are pie and none")
	}
	s.job.Method = value
	return nil
}

func setVariable(s *settings, value string) error {
	name, _, assigned := strings.Cut(value, "=")
	if name == "" {
		return fmt.Errorf("no variable is named; write -x VAR=value")
	}
	if !assigned {
		if _, set := os.LookupEnv(name); !set {
			return fmt.Errorf("%s is not set here; write -x %s=value", name, name)
		}
		return nil
	}
	s.assigned = append(s.assigned, value)
	return nil
}

func setPreload(s *settings, value string) error {
	path, err := filepath.Abs(value)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return fmt.Errorf("no such file")
	}
	s.preload = append(s.preload, path)
	return nil
}

// preloadNames are the names in LD_PRELOAD, as the dynamic loader takes it apart.
func preloadNames(env []string) (names []string) {
	for _, e := range env {
		if list, ok := strings.CutPrefix(e, "LD_PRELOAD="); ok {
			names = strings.FieldsFunc(list, func(r rune) bool { return r == ':' || r == ' ' })
		}
	}
	return names
}

// complete fills in what depends on several options and on the machine.
func (s *settings) complete() {
	cores := runtime.GOMAXPROCS(0)
	switch {
	case !s.workerSet && !s.rankSet:
		s.job.Workers, s.job.Ranks = cores, cores
	case !s.rankSet:
		s.job.Ranks = s.job.Workers
	case !s.workerSet:
		s.job.Workers = cores
	}
	s.job.Workers = min(s.job.Workers, s.job.Ranks)
	s.job.Env = assign(os.Environ(), s.assigned)
}

// assign sets variables in an environment; the last assignment of a name holds.
func assign(env, assignments []string) []string {
	for _, a := range assignments {
		prefix := a[:strings.IndexByte(a, '=')+1]
		kept := env[:0:0]
		for _, e := range env {
			if !strings.HasPrefix(e, prefix) {
				kept = append(kept, e)
			}
		}
		env = append(kept, a)
	}
	return env
}
