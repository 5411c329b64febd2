// Ampirun runs an MPI program as many virtual ranks in few worker processes: ampirun +p 2 +vp 256 ./program.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"ampirun/internal/refusal"
	"ampirun/job"
	"ampirun/job/control"
	"ampirun/observe/debugger"
	"ampirun/privatize"
	"ampirun/vrank"
)

const version = "0.1.0"

// engine is what the command line drives; tests put another one in.
type engine struct {
	core        job.Core
	controlSize func(pes int) uint64
	callName    func(fn int) string
	libraries   func(program string, preload []string) ([]privatize.Library, error)
	trial       func() error // of the C library
	coverage    func() []function
	loading     func() privatize.Options // what programs are loaded with
}

func main() {
	if vrank.IsTrial() {
		os.Exit(vrank.Trial())
	}
	e := newEngine()
	if job.IsWorker() {
		os.Exit(job.Worker(e.core))
	}
	code, err := e.command(os.Args[1:], os.Stdout)
	complain(os.Stderr, err)
	os.Exit(code)
}

// complain prints an error as lines with our name.
func complain(w io.Writer, err error) {
	if err == nil {
		return
	}
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintf(w, "ampirun: %s\n", strings.TrimSuffix(line, "\n"))
	}
}

// command does what the arguments ask for.
func (e engine) command(args []string, stdout io.Writer) (code int, err error) {
	switch {
	case isLB(args):
		return e.runLB(args[1:], stdout)
	case isCtl(args):
		return runCtl(args[1:], stdout)
	case isCkpt(args):
		return runCkpt(args[1:], stdout)
	case isSweep(args):
		return runSweep(args[1:], stdout)
	case isReport(args):
		return runReport(args[1:], stdout)
	}
	s, err := parse(args)
	if err != nil {
		return refusal.CodeUsage, err
	}
	for _, note := range s.notes {
		complain(os.Stderr, errors.New(note))
	}
	switch {
	case s.help:
		printHelp(stdout)
	case s.version:
		fmt.Fprintf(stdout, "ampirun %s\n", version)
	case s.docs:
		printDocs(stdout)
	case s.docsVariables:
		printVariables(stdout)
	case s.methods:
		s.complete()
		e.methods(s, stdout)
	case s.coverage:
		printCoverage(stdout, e.coverage())
	case s.gdbScript:
		_, err = io.WriteString(stdout, debugger.Script())
		return 0, err
	case s.backtrace != 0:
		if err := control.Backtrace(s.backtrace, stdout); err != nil {
			return refusal.CodeUsage, err
		}
	case s.restart != "":
		return e.goOn(s)
	case s.foreign:
		return refusal.CodeUsage, errors.New("+restart-foreign: goes with +restart DIR")
	case s.job.Program == "":
		return refusal.CodeUsage, errors.New("no program given; write: " + usage + " (ampirun --help lists the options)")
	case s.gdb:
		return debugger.Run(s.held)
	case s.diagnose:
		return e.diagnose(s, stdout)
	case s.json:
		return refusal.CodeUsage, errors.New("--json: goes with --diagnose")
	default:
		return e.run(s)
	}
	return 0, nil
}

// goOn runs a job from where the newest checkpoint has it that is not damaged.
func (e engine) goOn(s *settings) (code int, err error) {
	if err := s.checkRestart(); err != nil {
		return refusal.CodeUsage, err
	}
	said := *s
	before := uint64(0) // checkpoints older than this one are left; 0: all
	damaged := func(d *job.DamagedCheckpoint) {
		complain(os.Stderr, fmt.Errorf("+restart %s: %w; taking an older one", s.restart, d))
		before = d.Number
	}
	for {
		*s = said
		r, err := job.OpenRestart(s.restart, s.foreign, before, damaged)
		if err != nil {
			return refusal.CodeUsage, err
		}
		code, err := e.goOnFrom(s, r)
		var harm *job.DamagedCheckpoint
		if !errors.As(err, &harm) {
			return code, err
		}
		damaged(harm)
	}
}

func (e engine) goOnFrom(s *settings, r *job.Restart) (code int, err error) {
	r.Adopt(&s.job)
	if err := s.completeKeeping(); err != nil {
		return refusal.CodeUsage, err
	}
	if err := e.tryLibc(s.job.Method); err != nil {
		return refusal.CodeUsage, fmt.Errorf("+restart %s: %w", s.restart, withoutMethod(err))
	}
	unclaim, err := claim(s.job.Record)
	if err != nil {
		return refusal.CodeUsage, fmt.Errorf("+lb-record: %w", err)
	}
	defer unclaim()
	s.job.CallName, s.job.Version = e.callName, version
	return job.Run(context.Background(), s.job)
}

// withoutMethod takes another method, which a job that goes on cannot be given, out of a refusal's way out.
func withoutMethod(err error) error {
	var r *privatize.Refusal
	if !errors.As(err, &r) {
		return err
	}
	here := *r
	here.Way = "go on where this C library and this kernel do what ranks rely on"
	return &here
}

func (e engine) run(s *settings) (code int, err error) {
	s.complete()
	if err := s.adoptLinked(); err != nil {
		return refusal.CodeUsage, err
	}
	if err := s.completeKeeping(); err != nil {
		return refusal.CodeUsage, err
	}
	if s.job.Heap, err = s.heapOf(); err != nil {
		return refusal.CodeUsage, err
	}
	preload := append(s.preload, preloadNames(s.job.Env)...)
	if method, err := privatize.FindMethod(s.job.Method); err == nil && method.Facts().LoadedByLd && len(preload) > 0 {
		return refusal.CodeUsage, fmt.Errorf("+preload (LD_PRELOAD) %s: +privatize %s loads nothing before the program: take +privatize pie",
			strings.Join(preload, " "), s.job.Method)
	}
	unclaim, err := claim(s.job.Record)
	if err != nil {
		return refusal.CodeUsage, fmt.Errorf("+lb-record: %w", err)
	}
	defer unclaim()
	s.job.ControlSize, s.job.CallName, s.job.Version = e.controlSize, e.callName, version
	s.job.Libraries = func(program string) ([]privatize.Library, error) {
		return e.triedLibraries(s.job.Method, program, preload)
	}
	return job.Run(context.Background(), s.job)
}

// Help is a row of the table; urfave/cli would answer it before the table is asked.
func init() { cli.HelpFlag = nil }

// parse reads the command line.
func parse(args []string) (*settings, error) {
	l, err := translate(args)
	if err != nil {
		return nil, err
	}
	s := newSettings()
	app := &cli.App{
		Name: "ampirun", Flags: flags(), HideHelp: true, HideVersion: true, HideHelpCommand: true,
		DisableSliceFlagSeparator: true,
		OnUsageError:              func(_ *cli.Context, err error, _ bool) error { return err },
		ExitErrHandler:            func(*cli.Context, error) {},
		Writer:                    io.Discard, ErrWriter: io.Discard,
		Action: func(c *cli.Context) error { return s.take(c, l.typed) },
	}
	if err := app.Run(append([]string{"ampirun"}, l.flags...)); err != nil {
		return nil, err
	}
	if len(l.program) > 0 {
		s.job.Program, s.job.Args = l.program[0], l.program[1:]
	}
	s.job.Typed = l.own
	if note := l.lateNote(); note != "" {
		s.notes = append(s.notes, note)
	}
	if s.gdb {
		s.held = l.held()
	}
	return s, nil
}

// flags makes urfave/cli's flags of the table.
func flags() (all []cli.Flag) {
	eachOption(func(o *option) {
		switch {
		case o.value == "":
			all = append(all, &cli.BoolFlag{Name: o.name()})
		case o.many:
			all = append(all, &cli.StringSliceFlag{Name: o.name()})
		default:
			all = append(all, &cli.StringFlag{Name: o.name()})
		}
	})
	return all
}

// take sets what the parsed flags say; errors name a flag as it was typed.
func (s *settings) take(c *cli.Context, typed map[string]string) (err error) {
	eachOption(func(o *option) {
		if err != nil || !c.IsSet(o.name()) {
			return
		}
		for _, value := range values(c, o) {
			if err = o.set(s, value); err != nil {
				err = fmt.Errorf("%s %s: %w", typed[o.name()], value, err)
				return
			}
		}
	})
	return err
}

func values(c *cli.Context, o *option) []string {
	switch {
	case o.value == "":
		return []string{fmt.Sprint(c.Bool(o.name()))}
	case o.many:
		return c.StringSlice(o.name())
	}
	return []string{c.String(o.name())}
}
