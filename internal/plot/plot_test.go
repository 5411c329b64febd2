package plot

import (
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func chart(points ...Point) *Chart {
	return &Chart{Title: "a < b & c", Note: "here", Panels: []Panel{
		{Title: "one", Ticks: []float64{1, 10, 100}, Lines: []Line{{"first", points}, {"second", []Point{{1, 20}, {100, 2000}}}}},
		{Title: "two", Lines: []Line{{"alone", []Point{{5, 5}}}}},
	}}
}

// TestChartIsXML reads a chart back and finds all of its text.
func TestChartIsXML(t *testing.T) {
	var b strings.Builder
	if _, err := chart(Point{1, 10}, Point{100, 1999}).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	var words strings.Builder
	d := xml.NewDecoder(strings.NewReader(b.String()))
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		if data, ok := token.(xml.CharData); ok {
			words.Write(data)
		}
	}
	for _, want := range []string{"a < b & c", "here", "one", "two", "first", "second", "alone", "10,000", "100"} {
		if !strings.Contains(words.String(), want) {
			t.Errorf("there is no %q in it", want)
		}
	}
}

func TestChartRefusesWhatLogarithmsCannotShow(t *testing.T) {
	for _, p := range []Point{{0, 1}, {1, 0}, {-1, 1}, {1, math.Inf(1)}, {math.NaN(), 1}} {
		if _, err := chart(p).WriteTo(io.Discard); err == nil {
			t.Errorf("%v was drawn", p)
		}
	}
	if _, err := (&Chart{Panels: []Panel{{}}}).WriteTo(io.Discard); err == nil {
		t.Error("a panel without points was drawn")
	}
}

func TestAxisIsLogarithmic(t *testing.T) {
	a := axis{least: 1, most: 100, to: 50}
	for v, want := range map[float64]float64{1: 0, 10: 25, 100: 50} {
		if got := a.at(v); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g is at %g, want %g", v, got, want)
		}
	}
}

func TestNamesDoNotMeet(t *testing.T) {
	list := []name{{x: 0, y: 12, width: 30, text: "a"}, {x: 0, y: 10, width: 30, text: "b"}, {x: 0, y: 11, width: 30, text: "c"}, {x: 99, y: 11, width: 30, text: "d"}}
	spread(list)
	for i, a := range list {
		for _, b := range list[:i] {
			if a.x == b.x && math.Abs(a.y-b.y) < lineHeight {
				t.Errorf("%s and %s are %g apart", a.text, b.text, math.Abs(a.y-b.y))
			}
		}
		if a.text == "d" && a.y != 11 {
			t.Errorf("d was moved to %g", a.y)
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0.1: "0.1", 1: "1", 999: "999", 1000: "1,000", 1e6: "1,000,000", 4096: "4,096"} {
		if got := Number(v); got != want {
			t.Errorf("%g is %s", v, got)
		}
	}
}

func TestLinearAxesBeginAtZero(t *testing.T) {
	for most, want := range map[float64]string{0: "[0 0.2 0.4 0.6 0.8 1]", 7: "[0 1 2 3 4 5 6 7]", 1.3: "[0 0.2 0.4 0.6 0.8 1 1.2 1.4]", 99: "[0 20 40 60 80 100]", 300: "[0 50 100 150 200 250 300]"} {
		got := RoundSteps(most)
		for i := range got {
			got[i] = math.Round(got[i]*1e6) / 1e6
		}
		if fmt.Sprint(got) != want {
			t.Errorf("up to %g: %v, want %s", most, got, want)
		}
	}
	var b strings.Builder
	c := Chart{Panels: []Panel{{Linear: true, Lines: []Line{{"line", []Point{{0, 0}, {10, 3}}}}}}}
	if _, err := c.WriteTo(&b); err != nil || !strings.Contains(b.String(), fmt.Sprintf("M%d.0 %d.0 ", left, panelHeight-bottom)) {
		t.Errorf("%v; the origin is not in the corner of\n%s", err, b.String())
	}
	c.Panels[0].Lines[0].Points[1].Y = math.NaN()
	if _, err := c.WriteTo(&b); err == nil {
		t.Error("what is not a number was drawn")
	}
}
