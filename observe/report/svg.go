package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"

	"ampirun/internal/plot"
)

// Sizes of charts, in units of their view boxes.
const (
	chartWidth          = 1000
	leftEdge, rightEdge = 64, 990
	axisHeight          = 34
)

// drawing is an SVG being made. All texts are escaped.
type drawing struct{ b strings.Builder }

func newDrawing(class, title string, height float64) *drawing {
	d := &drawing{}
	fmt.Fprintf(&d.b, `<svg class="%s" viewBox="0 0 %d %.0f" role="img" aria-label="%s">`, class, chartWidth, height, html.EscapeString(title))
	return d
}

func (d *drawing) done() template.HTML {
	d.b.WriteString("</svg>")
	return template.HTML(d.b.String())
}

// rect draws a rectangle; tip is what is shown when the mouse is there.
func (d *drawing) rect(class string, x, y, w, h float64, style, tip string) {
	fmt.Fprintf(&d.b, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"`, class, coordinate(x), coordinate(y), coordinate(w), coordinate(h))
	if style != "" {
		fmt.Fprintf(&d.b, ` style="%s"`, html.EscapeString(style))
	}
	d.tip(tip)
}

func (d *drawing) path(class, path, style, tip string) {
	fmt.Fprintf(&d.b, `<path class="%s" d="%s"`, class, path)
	if style != "" {
		fmt.Fprintf(&d.b, ` style="%s"`, html.EscapeString(style))
	}
	d.tip(tip)
}

func (d *drawing) dot(class string, x, y float64, tip string) {
	fmt.Fprintf(&d.b, `<circle class="%s" cx="%s" cy="%s" r="4.5"`, class, coordinate(x), coordinate(y))
	d.tip(tip)
}

// tip ends an element.
func (d *drawing) tip(tip string) {
	if tip != "" {
		fmt.Fprintf(&d.b, ` data-tip="%s"`, html.EscapeString(tip))
	}
	d.b.WriteString("/>")
}

func (d *drawing) text(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(&d.b, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, coordinate(x), coordinate(y), html.EscapeString(s))
}

// coordinate writes a number as short as a tenth of a unit allows.
func coordinate(v float64) string {
	s := fmt.Sprintf("%.1f", v)
	return strings.TrimSuffix(s, ".0")
}

// timeAxis draws seconds below a chart that reaches from top to bottom.
func (d *drawing) timeAxis(seconds, top, bottom float64) {
	for _, v := range plot.RoundSteps(seconds) {
		x := timeAt(v, seconds)
		if x > rightEdge+0.5 {
			break
		}
		d.path("grid", fmt.Sprintf("M%s %sV%s", coordinate(x), coordinate(top), coordinate(bottom+4)), "", "")
		d.text("number", "middle", x, bottom+18, plot.Number(v))
	}
	d.text("number", "end", rightEdge, bottom+32, "seconds")
}

// timeAt is where a time is on the axis.
func timeAt(v, seconds float64) float64 {
	if seconds <= 0 {
		return leftEdge
	}
	return leftEdge + (rightEdge-leftEdge)*v/seconds
}

// hue is the colour of PE i of n: far from those of its neighbours where they are few, in the order of the rainbow where many.
func hue(i, n int) string {
	named := []string{"#3b82c4", "#e08a3c", "#4aa36b", "#b0659c", "#c9a227", "#5c6bc0", "#c75450", "#2f9ea0"}
	if n <= len(named) {
		return named[i]
	}
	return fmt.Sprintf("hsl(%.0f %d%% %d%%)", math.Mod(float64(i)*360/float64(n), 360), 55, 46+8*(i%2))
}
