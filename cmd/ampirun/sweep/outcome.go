package sweep

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"ampirun/internal/plot"
	"ampirun/internal/trial"
)

// Outcome is what a sweep found.
type Outcome struct {
	PEs     int
	Points  []Measured
	Failed  map[Point]string // of points without figures, or with too few of them: why
	Program string           // with its arguments
	Repeats int
	chart   string
}

// Measured is a point with the seconds of its runs.
type Measured struct {
	Point
	Seconds trial.Series // none: it failed
}

// outcome puts together what results tell of the matrix, older ones of the same points included.
func (s *Sweep) outcome(results []Result, failed map[Point]string, chart string) *Outcome {
	o := &Outcome{PEs: s.PEs, Failed: failed, Program: strings.Join(append([]string{s.Name}, s.Args...), " "), Repeats: s.Repeats, chart: chart}
	for _, p := range s.Points {
		m := Measured{Point: p}
		for _, r := range results {
			if r.Point == p && r.Failure == "" && r.Repeat < s.Repeats {
				m.Seconds = append(m.Seconds, r.Seconds)
			}
		}
		o.Points = append(o.Points, m)
	}
	return o
}

// Best is the point with the least median; nil when all failed.
func (o *Outcome) Best() (best *Measured) {
	for i := range o.Points {
		m := &o.Points[i]
		if len(m.Seconds) > 0 && o.Failed[m.Point] == "" && (best == nil || m.Seconds.Median() < best.Seconds.Median()) {
			best = m
		}
	}
	return best
}

// perPE is how many ranks a PE has.
func (o *Outcome) perPE(p Point) float64 { return float64(p.Ranks) / float64(o.PEs) }

// name names a point for the reader.
func (o *Outcome) name(p Point) string {
	balance := "without balancing"
	if p.Balance != None {
		balance = "with " + p.Balance
	}
	return fmt.Sprintf("%.4g ranks per PE, %s", o.perPE(p), balance)
}

// Print writes the table, and the best point in words.
func (o *Outcome) Print(w io.Writer) error {
	best := o.Best()
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%s on %d PEs\n", o.Program, o.PEs)
	fmt.Fprintln(table, "ranks\tper PE\tbalancing\truns\tmedian s\tmin s\tmax s\tspread %\tof best\t")
	for _, m := range o.Points {
		fmt.Fprintf(table, "%d\t%.4g\t%s\t%d\t", m.Ranks, o.perPE(m.Point), m.Balance, len(m.Seconds))
		if len(m.Seconds) == 0 || best == nil {
			fmt.Fprint(table, "-\t-\t-\t-\tfailed\t\n")
			continue
		}
		s, against := m.Seconds, "failed"
		if o.Failed[m.Point] == "" {
			against = fmt.Sprintf("%.3f", s.Median()/best.Seconds.Median())
		}
		fmt.Fprintf(table, "%.4g\t%.4g\t%.4g\t%.1f\t%s\t\n", s.Median(), s.Min(), s.Max(), 100*(s.Max()-s.Min())/s.Median(), against)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if best == nil {
		_, err := fmt.Fprintln(w, "all runs failed")
		return err
	}
	_, err := fmt.Fprintf(w, "best: %s: %.4g s%s\n", o.name(best.Point), best.Seconds.Median(), o.rivals(best))
	return err
}

// rivals names the points that this many runs do not tell apart from the best one.
func (o *Outcome) rivals(best *Measured) string {
	var names []string
	for _, m := range o.Points {
		if m.Point != best.Point && len(m.Seconds) > 0 && o.Failed[m.Point] == "" && m.Seconds.Median() <= best.Seconds.Max() {
			names = append(names, fmt.Sprintf("%d %s", m.Ranks, m.Balance))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; within the spread of its runs: " + strings.Join(names, ", ")
}

// Draw writes the chart: time against ranks per PE, a line for each way to balance. Nothing is written when all points failed.
func (o *Outcome) Draw() (path string, err error) {
	best := o.Best()
	if best == nil {
		return "", nil
	}
	panel := plot.Panel{XLabel: "ranks per PE", YLabel: "seconds", LinearY: true}
	for _, m := range o.Points {
		i := slices.IndexFunc(panel.Lines, func(l plot.Line) bool { return l.Name == m.Balance })
		if len(m.Seconds) == 0 || o.Failed[m.Point] != "" {
			continue
		}
		if i < 0 {
			i = len(panel.Lines)
			panel.Lines = append(panel.Lines, plot.Line{Name: m.Balance})
		}
		l := &panel.Lines[i]
		l.Points = append(l.Points, plot.Point{X: o.perPE(m.Point), Y: m.Seconds.Median()})
		x := o.perPE(m.Point)
		panel.Bars = append(panel.Bars, plot.Bar{Line: i, X: x, Low: m.Seconds.Min(), High: m.Seconds.Max()})
		if !slices.Contains(panel.Ticks, x) {
			panel.Ticks = append(panel.Ticks, x)
		}
	}
	slices.Sort(panel.Ticks)
	panel.Ticks = thinned(panel.Ticks)
	panel.Mark = &plot.Mark{At: plot.Point{X: o.perPE(best.Point), Y: best.Seconds.Median()}, Text: "best"}
	c := plot.Chart{Title: title(o.Program), Panels: []plot.Panel{panel},
		Note: fmt.Sprintf("%d PEs, median of %d; best: %s, %.4g s", o.PEs, o.Repeats, o.name(best.Point), best.Seconds.Median())}
	return o.chart, writeFile(o.chart, func(w io.Writer) error {
		_, err := c.WriteTo(w)
		return err
	})
}

// maxTicks is how many numbers have room below an axis.
const maxTicks = 10

func thinned(ticks []float64) (some []float64) {
	every := (len(ticks) + maxTicks - 1) / maxTicks
	for i := 0; i < len(ticks); i += every {
		some = append(some, ticks[i])
	}
	return some
}

// title is as much of a command line as has room above a chart.
func title(command string) string {
	const most = 50
	if letters := []rune(command); len(letters) > most {
		return string(letters[:most-3]) + "..."
	}
	return command
}

// writeFile replaces a file by what write writes, as a whole.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
