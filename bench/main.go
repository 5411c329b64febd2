// Bench measures the figures that docs/benchmarks.md describes and prints them as lines "name value unit".
//
//	go run ./bench [-only regexp] [-quick] [-compare=false] [-check] [-bin dir] [-base dir] [-plot file [-note text]]
//
// Programs are built with our wrapper and, where MPICH or Open MPI are installed, with theirs; repetitions of all take
// turns, so that noise of the machine meets all of them. Standard output carries nothing but the figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

// options is what the command line asks for.
type options struct {
	only    *regexp.Regexp // names of experiments to run
	quick   bool           // few repetitions
	compare bool           // measure other implementations beside
	check   bool           // print the table of aims
	bin     string         // directory with ampirun and ampicc; "" builds them
	base    string         // directory with an older ampirun and ampicc to measure beside, or ""
	plot    string         // file for the chart of the methods of privatization, or ""
	note    string         // what stands below it
}

func main() {
	o, err := parse(os.Args[1:], os.Stderr)
	if err != nil {
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := run(ctx, o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string, stderr io.Writer) (*options, error) {
	o := new(options)
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "run only experiments whose name matches this `regexp`")
	flags.BoolVar(&o.quick, "quick", false, "few repetitions")
	flags.BoolVar(&o.compare, "compare", true, "measure MPICH and Open MPI beside where they are installed")
	flags.BoolVar(&o.check, "check", false, "print a table of aims and results to standard error")
	flags.StringVar(&o.bin, "bin", "", "take ampirun and ampicc from this `directory` instead of building them")
	flags.StringVar(&o.base, "base", "", "measure ampirun and ampicc of this `directory` beside, as name.base")
	flags.StringVar(&o.plot, "plot", "", "draw the methods of privatization, as far as they are measured, into this `file` (SVG)")
	flags.StringVar(&o.note, "note", "", "`text` below the chart: machine and date")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	var err error
	if o.only, err = regexp.Compile(*only); err != nil {
		fmt.Fprintln(stderr, "bench: -only:", err)
	}
	return o, err
}

// run measures what the options select. A failing experiment is reported and does not keep the others from running; the
// end of ctx does, and ends what runs.
func run(ctx context.Context, o *options, stdout, stderr io.Writer) error {
	dir, err := os.MkdirTemp("", "ampibench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b, err := newBuilder(dir, o)
	if err != nil {
		return err
	}
	failed := 0
	table := new(report)
	chart := &methodsChart{note: o.note, results: make(map[string]samples)}
	for _, e := range selected(o) {
		if e.ampi != nil && o.compare && b.ampi == nil {
			fmt.Fprintf(stderr, "bench: %s: AMPI is not measured beside: there is no charmc on the PATH\n", e.name)
		}
		s, err := e.measure(ctx, b, o)
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted while measuring %s", e.name)
		}
		if err != nil {
			fmt.Fprintf(stderr, "bench: %s: %v\n", e.name, err)
			failed++
		}
		chart.add(e, s)
		for _, f := range e.figures {
			f.print(stdout, s)
			table.add(f, s)
		}
	}
	if o.check {
		table.print(stderr)
	}
	if o.plot != "" {
		if err := chart.write(o.plot); err != nil {
			return err
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d experiments failed", failed)
	}
	return nil
}

func selected(o *options) (list []*experiment) {
	for _, e := range experiments() {
		if o.only.MatchString(e.name) {
			list = append(list, e)
		}
	}
	return list
}
