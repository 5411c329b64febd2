package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"ampirun/job"
	"ampirun/privatize"
)

// methods prints what the methods of privatization say of themselves, and with a program what it takes to start a rank of it.
func (e engine) methods(s *settings, w io.Writer) {
	starts, refused := e.starts(s)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "method\tglobals, statics\ttagged thread-local\tlibraries\tC library\tranks in a worker\tranks can move\trebuild\tstarting a rank")
	for i, m := range privatize.Methods() {
		f := m.Facts()
		fmt.Fprintln(t, strings.Join([]string{f.Name, private(f.Globals), private(f.Tagged), private(f.Libraries), private(f.LibC),
			limit(f), yes(f.Movable), f.Rebuild, starts[i] + f.Cost}, "\t"))
	}
	t.Flush()
	for _, why := range refused {
		fmt.Fprintf(w, "\n%s", why)
	}
	if len(refused) > 0 {
		fmt.Fprintln(w)
	}
	fmt.Fprintln(w)
	for _, m := range privatize.Methods() {
		f := m.Facts()
		fmt.Fprintf(w, "%-5s %s\n", f.Name, f.How)
		switch {
		case f.Movable && f.Stays != "":
			fmt.Fprintf(w, "      a rank that moves leaves behind %s\n", f.Stays)
		case !f.Movable:
			fmt.Fprintf(w, "      ranks cannot move: %s\n", f.Stays)
		}
	}
}

// starts measures what one more rank of the program takes under each method, as the beginning of a cell; nothing without a program.
// Methods that refuse the program say why.
func (e engine) starts(s *settings) (cells, refused []string) {
	for _, m := range privatize.Methods() {
		if s.job.Program == "" {
			cells = append(cells, "")
			continue
		}
		opt := s.job
		opt.Method, opt.ControlSize = m.Facts().Name, e.controlSize
		opt.Libraries = func(program string) ([]privatize.Library, error) { return e.libraries(program, nil) }
		seconds, err := job.ProbeStart(context.Background(), opt)
		if err != nil {
			cells, refused = append(cells, "refused; "), append(refused, opt.Method+": "+err.Error())
			continue
		}
		cells = append(cells, fmt.Sprintf("%.0f us: ", seconds*1e6))
	}
	return cells, refused
}

func private(is bool) string {
	if is {
		return "private"
	}
	return "shared"
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// limit says how many ranks a worker can have.
func limit(f privatize.Facts) string {
	if f.PerWorker == 0 {
		return "any"
	}
	return fmt.Sprintf("%d (%s)", f.PerWorker, f.Limit)
}
