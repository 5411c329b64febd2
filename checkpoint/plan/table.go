package plan

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"ampirun/internal/plot"
)

// Case is what a table is made for.
type Case struct {
	Nodes       []int
	NodeMTBF    time.Duration // mean time between failures of one node
	Cost        time.Duration // of a checkpoint on one node
	CostPerNode time.Duration // that each further node adds, where nodes share what they write to
	Safe        time.Duration // see Machine; 0: the cost
	Restart     time.Duration
	Shape       float64
	Work        time.Duration // what the job computes, for the run without checkpoints
	Every       time.Duration // an interval to look at besides; 0: none
	Failures    int           // that are played for each line
	Seed        uint64
}

// Row is a line of a table. Shares are from 0 to 1.
type Row struct {
	Nodes       int           `json:"nodes"`
	MTBF        time.Duration `json:"mtbf_ns"`
	Cost        time.Duration `json:"cost_ns"`
	Young       time.Duration `json:"young_ns"`
	Daly        time.Duration `json:"daly_ns"`
	AtYoung     float64       `json:"at_young"`         // efficiency, by the formula
	AtDaly      float64       `json:"at_daly"`          // the same
	Simulated   float64       `json:"simulated"`        // at Daly's interval
	AtEvery     float64       `json:"at_every"`         // simulated at Case.Every
	Checkpoints float64       `json:"with_checkpoints"` // how long Case.Work takes, in Case.Work
	None        float64       `json:"without"`          // the same without checkpoints, by the formula
}

// Rows computes a line for each number of nodes.
func (c *Case) Rows() (rows []Row) {
	for _, n := range c.Nodes {
		m := c.machine(n)
		r := Row{Nodes: n, MTBF: m.MTBF, Cost: m.Cost, Young: Young(m.Cost, m.MTBF), Daly: Interval(m.Cost, m.MTBF)}
		r.AtYoung = Efficiency(r.Young, m.Cost, m.Restart, m.MTBF)
		r.AtDaly = Efficiency(r.Daly, m.Cost, m.Restart, m.MTBF)
		r.Simulated = m.Simulate(r.Daly, c.Failures, c.Seed)
		r.Checkpoints = 1 / r.AtDaly
		r.None = 1 / Efficiency(c.Work, 0, m.Restart, m.MTBF)
		if c.Every > 0 {
			r.AtEvery = m.Simulate(c.Every, c.Failures, c.Seed)
		}
		rows = append(rows, r)
	}
	return rows
}

func (c *Case) machine(nodes int) *Machine {
	cost := c.Cost + time.Duration(nodes-1)*c.CostPerNode
	return &Machine{MTBF: max(1, c.NodeMTBF/time.Duration(nodes)), Cost: cost, Safe: max(c.Safe, cost), Restart: c.Restart, Shape: c.Shape}
}

// Table prints the rows of a case.
func (c *Case) Table(to io.Writer, rows []Row) error {
	fmt.Fprintf(to, "MTBF of a node %s, checkpoint %s, restart %s", FormatDuration(c.NodeMTBF), FormatDuration(c.Cost), FormatDuration(c.Restart))
	if c.CostPerNode > 0 {
		fmt.Fprintf(to, ", %s more for each further node", FormatDuration(c.CostPerNode))
	}
	if c.Safe > 0 {
		fmt.Fprintf(to, ", safe after %s", FormatDuration(c.Safe))
	}
	fmt.Fprintf(to, "; simulated: %d failures, Weibull shape %g\n", c.Failures, c.Shape)
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "nodes\tMTBF\tYoung\tDaly\tat Young\tat Daly\tsimulated\t")
	if c.Every > 0 {
		fmt.Fprintf(w, "every %s\t", FormatDuration(c.Every))
	}
	fmt.Fprintf(w, "without, %s\t\n", FormatDuration(c.Work))
	for _, r := range rows {
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\t", r.Nodes, FormatDuration(r.MTBF), FormatDuration(r.Young), FormatDuration(r.Daly),
			percent(r.AtYoung), percent(r.AtDaly), percent(r.Simulated))
		if c.Every > 0 {
			fmt.Fprintf(w, "%s\t", percent(r.AtEvery))
		}
		fmt.Fprintf(w, "%s\t\n", percent(1/r.None))
	}
	return w.Flush()
}

func percent(share float64) string { return fmt.Sprintf("%.2f %%", 100*share) }

// Chart draws the time lost and the interval against the number of nodes, a line for each case.
func Chart(to io.Writer, cases []*Case, rows [][]Row) error {
	lost := plot.Panel{Title: "time lost at Daly's interval, simulated", XLabel: "nodes", YLabel: "percent"}
	every := plot.Panel{Title: "Daly's interval", XLabel: "nodes", YLabel: "seconds"}
	for i, c := range cases {
		name := FormatDuration(c.NodeMTBF)
		waste, interval := plot.Line{Name: name}, plot.Line{Name: name}
		for _, r := range rows[i] {
			x := float64(r.Nodes)
			waste.Points = append(waste.Points, plot.Point{X: x, Y: max(100*(1-r.Simulated), 1e-4)})
			interval.Points = append(interval.Points, plot.Point{X: x, Y: max(r.Daly.Seconds(), 1e-6)})
			if i == 0 {
				lost.Ticks = append(lost.Ticks, x)
				every.Ticks = append(every.Ticks, x)
			}
		}
		lost.Lines, every.Lines = append(lost.Lines, waste), append(every.Lines, interval)
	}
	c := plot.Chart{Title: "Checkpoints by nodes and the MTBF of one",
		Note:   fmt.Sprintf("checkpoint %s, restart %s", FormatDuration(cases[0].Cost), FormatDuration(cases[0].Restart)),
		Panels: []plot.Panel{lost, every}}
	_, err := c.WriteTo(to)
	return err
}
