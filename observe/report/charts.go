package report

import (
	"fmt"
	"html/template"
	"strings"

	"ampirun/internal/plot"
	"ampirun/observe/timeline"
)

func (d *data) seconds() float64 { return max(float64(d.last)/1e9, 1e-9) }

// group is some PEs, or ranks, that one row of a chart shows.
type group struct{ first, last int }

// groups divides n things into at most `most` rows.
func groups(n, most int) (all []group) {
	size := (n + most - 1) / most
	for first := 0; first < n; first += size {
		all = append(all, group{first, min(first+size, n) - 1})
	}
	return all
}

func (g group) name(what string) string {
	if g.first == g.last {
		return fmt.Sprintf("%s %d", what, g.first)
	}
	return fmt.Sprintf("%ss %d-%d", what, g.first, g.last)
}

// share is the part of a span in which the PEs of a row were in ranks, and idle.
func (d *data) share(g group, column int) (busy, idle float64) {
	for pe := g.first; pe <= g.last; pe++ {
		busy += d.spans[pe][column].busy
		idle += d.spans[pe][column].idle
	}
	whole := d.width(column) * float64(g.last-g.first+1)
	return min(1, busy/whole), min(1, idle/whole)
}

// utilisation shows how busy each PE was: as areas, or in colour where there are many.
func (d *data) utilisation() template.HTML {
	rows := groups(d.facts.PEs, 64)
	height := max(9, min(44, 420/float64(len(rows))))
	bottom := 8 + height*float64(len(rows))
	c := newDrawing("utilisation", "utilisation over time", bottom+axisHeight)
	c.timeAxis(d.seconds(), 4, bottom)
	for i, g := range rows {
		y := 8 + height*float64(i)
		if len(rows) <= 20 || i%4 == 0 {
			c.text("number", "end", leftEdge-8, y+height/2+4, strings.TrimPrefix(g.name("PE"), "PEs "))
		}
		if height >= 20 {
			d.area(c, g, y+2, height-4)
			continue
		}
		for col := range d.columns() {
			busy, idle := d.share(g, col)
			from, to := d.columnAt(col), d.columnAt(col+1)
			c.rect("heat", from, y, to-from+0.3, height-1, fmt.Sprintf("fill-opacity:%.2f", 0.04+0.96*busy), d.columnTip(g, col, busy, idle))
		}
	}
	d.stepLines(c, 4, bottom)
	return c.done()
}

// area draws one row of utilisation: what is busy from below; above it are idleness and the runtime.
func (d *data) area(c *drawing, g group, y, height float64) {
	c.rect("back", leftEdge, y, rightEdge-leftEdge, height, "", "")
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %s", leftEdge, coordinate(y+height))
	for col := range d.columns() {
		busy, _ := d.share(g, col)
		fmt.Fprintf(&path, "V%sH%s", coordinate(y+height*(1-busy)), coordinate(d.columnAt(col+1)))
	}
	c.path("busy", path.String()+fmt.Sprintf("V%sz", coordinate(y+height)), "", "")
	for col := range d.columns() {
		busy, idle := d.share(g, col)
		from, to := d.columnAt(col), d.columnAt(col+1)
		c.rect("probe", from, y, to-from, height, "", d.columnTip(g, col, busy, idle))
	}
}

// columnAt is where a span begins on the axis.
func (d *data) columnAt(col int) float64 {
	return timeAt(min(float64(int64(col)*d.column)/1e9, d.seconds()), d.seconds())
}

func (d *data) columnTip(g group, col int, busy, idle float64) string {
	return fmt.Sprintf("%s at %.4g s: %.0f %% in ranks, %.0f %% idle", g.name("PE"), float64(int64(col)*d.column)/1e9, 100*busy, 100*idle)
}

// stepLines marks the steps of load balancing.
func (d *data) stepLines(c *drawing, top, bottom float64) {
	for i, s := range d.steps {
		if i == maxMarks {
			return
		}
		x := timeAt(float64(s.At)/1e9, d.seconds())
		c.path("mark", fmt.Sprintf("M%s %sV%s", coordinate(x), coordinate(top), coordinate(bottom)), "", "")
	}
}

// maxMarks is the number of steps that are marked.
const maxMarks = 400

// imbalances shows the imbalance over time and, at each step of load balancing, as it was and as it was to be.
func (d *data) imbalances() template.HTML {
	const top, bottom = 12, 232
	window := (d.columns() + 79) / 80
	type point struct{ at, value float64 }
	var line []point
	most := 1.2
	for col := 0; col < d.columns(); col += window {
		loads := make([]float64, d.facts.PEs)
		for pe := range loads {
			for i := col; i < min(col+window, d.columns()); i++ {
				loads[pe] += d.spans[pe][i].busy
			}
		}
		if v := imbalance(loads); v > 0 {
			line = append(line, point{(d.columnAt(col) + d.columnAt(min(col+window, d.columns()))) / 2, v})
			most = max(most, v)
		}
	}
	for _, s := range d.steps {
		most = max(most, s.Before, s.After)
	}
	ticks := plot.RoundSteps(most - 1)
	most = 1 + ticks[len(ticks)-1]
	at := func(v float64) float64 { return bottom - (bottom-top)*(max(v, 1)-1)/(most-1) }
	c := newDrawing("imbalance", "imbalance over time and at each balancing step", bottom+axisHeight)
	for _, v := range ticks {
		c.path("grid", fmt.Sprintf("M%d %sH%d", leftEdge, coordinate(at(1+v)), rightEdge), "", "")
		c.text("number", "end", leftEdge-8, at(1+v)+4, plot.Number(1+v))
	}
	c.timeAxis(d.seconds(), top, bottom)
	var path strings.Builder
	for i, p := range line {
		fmt.Fprintf(&path, "%c%s %s", "LM"[b2i(i == 0)], coordinate(p.at), coordinate(at(p.value)))
	}
	if len(line) > 0 {
		c.path("measured", path.String(), "", "")
	}
	for i, s := range d.steps {
		if i == maxMarks {
			break
		}
		x, tip := timeAt(float64(s.At)/1e9, d.seconds()), stepTip(s)
		c.path("step", fmt.Sprintf("M%s %sV%s", coordinate(x), coordinate(at(s.Before)), coordinate(at(s.After))), "", tip)
		c.dot("before", x, at(s.Before), tip)
		c.dot("after", x, at(s.After), tip)
	}
	return c.done()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func stepTip(s timeline.Step) string {
	return fmt.Sprintf("%s at %.3f s: %.2f before, %.2f expected after %d moves", s.Strategy, float64(s.At)/1e9, s.Before, s.After, s.Moves)
}
