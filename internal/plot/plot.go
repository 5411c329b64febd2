// Package plot draws charts of lines on logarithmic or linear axes as SVG that reads well on light and on dark pages.
//
// Lines are labelled where they end, so that there is no legend to look things up in.
package plot

import (
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"strings"
)

// Chart is one or more panels side by side.
type Chart struct {
	Title  string
	Note   string // in small letters below: machine, shape, date
	Panels []Panel
}

// Panel is a pair of axes with lines. They are logarithmic, or linear and begin at 0.
type Panel struct {
	Linear  bool
	LinearY bool // y alone is
	Bars    []Bar
	Mark    *Mark // or nil
	Title   string
	XLabel  string
	YLabel  string
	Ticks   []float64 // along x
	Lines   []Line
}

// Line is a named series of points in the order of x, all of them positive; on linear axes they may be 0.
type Line struct {
	Name   string
	Points []Point
}

// Bar shows how far the values spread that a point of a line stands for.
type Bar struct {
	Line         int
	X, Low, High float64
}

// Mark is a point of a line that the reader is to see first.
type Mark struct {
	At   Point
	Text string
}

// Point is a place in a panel.
type Point struct{ X, Y float64 }

// Sizes in pixels.
const (
	panelWidth, panelHeight = 460, 360
	left, right             = 62, 62 // of the axes in a panel: y's numbers, names of lines (more for long ones)
	letterWidth             = 8
	top, bottom             = 70, 52
	noteHeight              = 26
	lineHeight              = 15 // between names
)

// Eight colours that differ in lightness too, and stand out from white and from black.
var colours = []string{"#2f7ed8", "#d1662a", "#3a9e5c", "#9a6bd0", "#c7447d", "#8a8433", "#2a9d9d", "#8c6d5a"}

// style follows what the reader's page looks like.
const style = `text { font: 12px system-ui, sans-serif; fill: #333 } .title { font-size: 15px; font-weight: 600 } .panel { font-weight: 600 }
.note { font-size: 11px; fill: #666 } .axis { stroke: #888; fill: none } .grid { stroke: #8883 } .line { fill: none; stroke-width: 2 } .bar { fill: none; stroke-width: 6; opacity: 0.3 } .name { font-weight: 600 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .note { fill: #aaa } }`

// WriteTo writes the chart. A point that its axes cannot show, or a panel without any, is an error.
func (c *Chart) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	width, height := panelWidth*len(c.Panels), panelHeight+noteHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n<style>%s</style>\n", html.EscapeString(c.Title), style)
	text(&b, "title", "start", left, 22, c.Title)
	for i := range c.Panels {
		d, err := newDrawing(&c.Panels[i], float64(i*panelWidth))
		if err != nil {
			return 0, fmt.Errorf("panel %q: %w", c.Panels[i].Title, err)
		}
		d.draw(&b)
	}
	text(&b, "note", "start", left, panelHeight+noteHeight-8, c.Note)
	b.WriteString("</svg>\n")
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func text(b *strings.Builder, class, anchor string, x, y float64, s string) {
	fmt.Fprintf(b, `<text class="%s" text-anchor="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, anchor, x, y, html.EscapeString(s))
}

// axis maps values to pixels, by their logarithms unless it is linear.
type axis struct {
	least, most, from, to float64
	linear                bool
}

func (a axis) at(v float64) float64 {
	if a.linear {
		return a.from + (v-a.least)/(a.most-a.least)*(a.to-a.from)
	}
	return a.from + (math.Log(v)-math.Log(a.least))/(math.Log(a.most)-math.Log(a.least))*(a.to-a.from)
}

// drawing is a panel with its place and its axes.
type drawing struct {
	panel          *Panel
	x, y           axis
	xTicks, yTicks []float64
}

func newDrawing(p *Panel, offset float64) (*drawing, error) {
	var xs, ys []float64
	end := offset + panelWidth - right
	for i, l := range p.Lines {
		end = min(end, offset+panelWidth-letterWidth*float64(len(l.Name)+2))
		for _, q := range slices.Concat(l.Points, p.ends(i)) {
			if !p.canShow(q) {
				return nil, fmt.Errorf("%s has the point (%g, %g), which the axes cannot show", l.Name, q.X, q.Y)
			}
			xs, ys = append(xs, q.X), append(ys, q.Y)
		}
	}
	if len(xs) == 0 {
		return nil, fmt.Errorf("there are no points")
	}
	xs = append(xs, p.Ticks...)
	scale := logarithmic
	switch {
	case p.Linear:
		scale = linear
	case p.LinearY:
		scale = linearY
	}
	d := scale(p, xs, ys)
	d.x.from, d.x.to = offset+left, end
	d.y.from, d.y.to = panelHeight-bottom, top
	return d, nil
}

// canShow tells whether a point has a place.
func (p *Panel) canShow(q Point) bool {
	return (q.X > 0 || q.X == 0 && p.Linear) && (q.Y > 0 || q.Y == 0 && (p.Linear || p.LinearY)) && !math.IsInf(q.X+q.Y, 0)
}

// logarithmic lets y run over whole powers of ten.
func logarithmic(p *Panel, xs, ys []float64) *drawing {
	d := &drawing{panel: p, xTicks: p.Ticks}
	d.x = axis{least: slices.Min(xs), most: slices.Max(xs)}
	if d.x.least == d.x.most {
		d.x.least, d.x.most = d.x.least/2, d.x.most*2
	}
	d.y = axis{least: math.Pow(10, math.Floor(math.Log10(slices.Min(ys)))), most: math.Pow(10, math.Ceil(math.Log10(slices.Max(ys))))}
	if d.y.least == d.y.most {
		d.y.most *= 10
	}
	for v := d.y.least; v <= d.y.most*1.001; v *= 10 {
		d.yTicks = append(d.yTicks, v)
	}
	return d
}

// linearY lets x be logarithmic, and y begin at 0.
func linearY(p *Panel, xs, ys []float64) *drawing {
	x, y := logarithmic(p, xs, xs), linear(p, xs, ys)
	return &drawing{panel: p, x: x.x, xTicks: x.xTicks, y: y.y, yTicks: y.yTicks}
}

// ends are the ends of a line's bars.
func (p *Panel) ends(line int) (ends []Point) {
	for _, b := range p.Bars {
		if b.Line == line {
			ends = append(ends, Point{b.X, b.Low}, Point{b.X, b.High})
		}
	}
	return ends
}

// linear lets both axes begin at 0 and end at a round number; x has ticks where the panel names none.
func linear(p *Panel, xs, ys []float64) *drawing {
	d := &drawing{panel: p, xTicks: p.Ticks, yTicks: RoundSteps(slices.Max(ys))}
	if len(d.xTicks) == 0 {
		d.xTicks = RoundSteps(slices.Max(xs))
	}
	d.x = axis{most: max(slices.Max(xs), d.xTicks[len(d.xTicks)-1]), linear: true}
	d.y = axis{most: d.yTicks[len(d.yTicks)-1], linear: true}
	return d
}

// RoundSteps is multiples of 1, 2 or 5 times a power of ten from 0 until most is reached: four to nine of them.
func RoundSteps(most float64) (steps []float64) {
	if most == 0 {
		most = 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(most)))
	for _, part := range []float64{0.2, 0.5, 1, 2} {
		if step := unit * part; most/step <= 7 {
			for i := 0; ; i++ {
				steps = append(steps, float64(i)*step)
				if steps[i] >= most {
					return steps
				}
			}
		}
	}
	panic("BUG: a number is more than ten times its power of ten")
}

func (d *drawing) draw(b *strings.Builder) {
	text(b, "panel", "start", d.x.from, top-22, d.panel.Title)
	text(b, "note", "start", d.x.from, top-7, d.panel.YLabel)
	text(b, "note", "middle", (d.x.from+d.x.to)/2, panelHeight-bottom+36, d.panel.XLabel)
	for _, v := range d.yTicks {
		y := d.y.at(v)
		fmt.Fprintf(b, `<path class="grid" d="M%.1f %.1fH%.1f"/>`+"\n", d.x.from, y, d.x.to)
		text(b, "number", "end", d.x.from-7, y+4, Number(v))
	}
	for _, v := range d.xTicks {
		x := d.x.at(v)
		fmt.Fprintf(b, `<path class="axis" d="M%.1f %.1fv5"/>`+"\n", x, d.y.from)
		text(b, "number", "middle", x, d.y.from+19, Number(v))
	}
	fmt.Fprintf(b, `<path class="axis" d="M%.1f %.1fV%.1fH%.1f"/>`+"\n", d.x.from, d.y.to, d.y.from, d.x.to)
	for i := range d.panel.Lines {
		d.line(b, i)
	}
	d.names(b)
	d.mark(b)
}

// mark puts a ring round the marked point, with its text below, or above where there is no room.
func (d *drawing) mark(b *strings.Builder) {
	m := d.panel.Mark
	if m == nil {
		return
	}
	x, y := d.x.at(m.At.X), d.y.at(m.At.Y)
	at := y + 20
	if at > d.y.from-4 {
		at = y - 12
	}
	fmt.Fprintf(b, `<circle class="axis" cx="%.1f" cy="%.1f" r="7"/>`+"\n", x, y)
	text(b, "name", "middle", x, at, m.Text)
}

// maxDots is how many points a line may have for each to get a dot.
const maxDots = 30

func (d *drawing) line(b *strings.Builder, i int) {
	path, colour := "M", colours[i%len(colours)]
	d.bars(b, i)
	for _, q := range d.panel.Lines[i].Points {
		x, y := d.x.at(q.X), d.y.at(q.Y)
		path += fmt.Sprintf("%.1f %.1f ", x, y)
		if len(d.panel.Lines[i].Points) > maxDots {
			continue
		}
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, colour)
	}
	if len(d.panel.Lines[i].Points) > 0 {
		fmt.Fprintf(b, `<path class="line" stroke="%s" d="%s"/>`+"\n", colour, strings.TrimSpace(path))
	}
}

func (d *drawing) bars(b *strings.Builder, line int) {
	ends := d.panel.ends(line)
	for i := 0; i < len(ends); i += 2 {
		fmt.Fprintf(b, `<path class="bar" stroke="%s" d="M%.1f %.1fV%.1f"/>`+"\n", colours[line%len(colours)], d.x.at(ends[i].X), d.y.at(ends[i].Y), d.y.at(ends[i+1].Y))
	}
}

// Number writes 1000 as 1,000 and small ones as they are.
func Number(v float64) string {
	if v < 1000 {
		return fmt.Sprintf("%.6g", v)
	}
	s := fmt.Sprintf("%.0f", v)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// name is the label of a line, right of its last point.
type name struct {
	x, y, width float64
	text        string
	colour      string
}

func (d *drawing) names(b *strings.Builder) {
	var list []name
	for i, l := range d.panel.Lines {
		if n := len(l.Points); n > 0 {
			last := l.Points[n-1]
			list = append(list, name{d.x.at(last.X) + 8, d.y.at(last.Y) + 4, letterWidth * float64(len(l.Name)), l.Name, colours[i%len(colours)]})
		}
	}
	spread(list)
	for _, n := range list {
		fmt.Fprintf(b, `<text class="name" x="%.1f" y="%.1f" style="fill: %s">%s</text>`+"\n", n.x, n.y, n.colour, html.EscapeString(n.text))
	}
}

// spread moves names down that would lie on others, from the top, then up those that came below the axes.
func spread(list []name) {
	slices.SortStableFunc(list, func(a, b name) int { return int(math.Copysign(1, a.y-b.y)) })
	for i := range list {
		for j := range i {
			if a, n := &list[j], &list[i]; n.overlaps(a) && n.y < a.y+lineHeight {
				n.y = a.y + lineHeight
			}
		}
	}
	floor := float64(panelHeight - bottom)
	for i := len(list) - 1; i >= 0; i-- {
		n := &list[i]
		n.y = min(n.y, floor)
		for j := i + 1; j < len(list); j++ {
			if n.overlaps(&list[j]) {
				n.y = min(n.y, list[j].y-lineHeight)
			}
		}
	}
}

// overlaps tells whether names share a column.
func (n *name) overlaps(a *name) bool { return n.x < a.x+a.width && a.x < n.x+n.width }
