package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// report is the table of aims.
type report struct {
	rows []row
}

type row struct {
	f *figure
	s samples
}

// add takes a figure that has an aim.
func (r *report) add(f *figure, s samples) {
	if f.title != "" {
		r.rows = append(r.rows, row{f, s})
	}
}

func (r *report) print(w io.Writer) {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "figure\tAMPI\taim\tmeasured\tof minima\tmet?\tMPICH\tOpen MPI\t")
	for _, x := range r.rows {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", x.f.title, x.ampi(), x.f.aimText(),
			x.median(""), x.least(), x.f.verdict(x.s), x.median("mpich"), x.median("openmpi"))
	}
	table.Flush()
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// ampi is what AMPI took in the same run, or else what is known of it.
func (x row) ampi() string {
	if v := x.median("ampi"); v != "-" {
		return v
	}
	return orDash(x.f.ampi)
}

func (f *figure) aimText() string {
	sign := "<="
	if f.atLeast {
		sign = ">="
	}
	return fmt.Sprintf("%s %g %s", sign, f.aim, f.unit)
}

func (x row) median(implementation string) string {
	v, _, ok := x.f.value(x.s, implementation)
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.3g %s", v, x.f.unit)
}

func (x row) least() string {
	_, v, ok := x.f.value(x.s, "")
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.3g %s", v, x.f.unit)
}

// verdict says whether the aim is met by the median, only by the minimum (noise, perhaps), or not at all.
func (f *figure) verdict(s samples) string {
	median, least, ok := f.value(s, "")
	switch {
	case !ok:
		return "not measured"
	case f.reaches(median) && f.beatsAll(median, s):
		return "yes"
	case f.reaches(median):
		return "aim yes, others no"
	case f.reaches(least):
		return "at best"
	}
	return "no"
}

func (f *figure) reaches(v float64) bool {
	if f.atLeast {
		return v >= f.aim
	}
	return v <= f.aim
}

func (f *figure) beatsAll(v float64, s samples) bool {
	for _, im := range []string{"mpich", "openmpi", "ampi"} {
		if other, _, ok := f.value(s, im); f.beat && ok && other <= v {
			return false
		}
	}
	return true
}
