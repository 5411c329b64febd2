package plan

import (
	"math"
	"strings"
	"testing"
	"time"
)

// TestDalyIsTheOptimum compares Daly's interval with the best of the exact formula, which is found by looking.
func TestDalyIsTheOptimum(t *testing.T) {
	const restart = time.Second
	for _, mtbf := range []time.Duration{time.Minute, time.Hour, 24 * time.Hour, 365 * 24 * time.Hour} {
		for _, cost := range []time.Duration{10 * time.Millisecond, time.Second, 20 * time.Second} {
			best := 0.0
			for f := 0.2; f < 5; f *= 1.01 {
				best = max(best, Efficiency(time.Duration(f*float64(Young(cost, mtbf))), cost, restart, mtbf))
			}
			got := Efficiency(Interval(cost, mtbf), cost, restart, mtbf)
			if lost, least := 1-got, 1-best; lost > least*1.01 {
				t.Errorf("MTBF %v, cost %v: %v lost, and %v at the best interval", mtbf, cost, lost, least)
			}
		}
	}
}

func TestIntervalsOfTheLiterature(t *testing.T) {
	for _, c := range []struct{ cost, mtbf, young, daly float64 }{
		{300, 86400, 7200, 7001.389},           // sqrt(2*300*86400) = 7200; times 1+0.0138889+0.0001929, minus 300
		{0.5, 3600, 60, 59.66713},              // 60 (1+0.0027778+0.0000077) - 0.5
		{100, 40, math.Sqrt(2 * 100 * 40), 40}, // longer than twice the MTBF
	} {
		young, daly := Young(seconds(c.cost), seconds(c.mtbf)).Seconds(), Daly(seconds(c.cost), seconds(c.mtbf)).Seconds()
		if math.Abs(young-c.young) > 1e-3 || math.Abs(daly/c.daly-1) > 1e-3 {
			t.Errorf("%+v: %v and %v", c, young, daly)
		}
	}
}

// TestSimulationAgreesWithTheFormula for exponential failures, also where next to nothing gets done.
func TestSimulationAgreesWithTheFormula(t *testing.T) {
	for _, m := range []Machine{
		{MTBF: time.Hour, Cost: time.Second, Restart: time.Second},
		{MTBF: 24 * time.Hour, Cost: 5 * time.Minute, Restart: 10 * time.Minute},
		{MTBF: time.Minute, Cost: 5 * time.Second, Restart: 20 * time.Second},
		{MTBF: 10 * time.Second, Cost: 10 * time.Second, Restart: 10 * time.Second},
	} {
		m.Shape = 1
		for _, factor := range []time.Duration{1, 3} {
			interval := factor * Interval(m.Cost, m.MTBF)
			want, got := Efficiency(interval, m.Cost, m.Restart, m.MTBF), m.Simulate(interval, 400_000, 7)
			if math.Abs(got-want) > 0.004 {
				t.Errorf("%+v, interval %v: simulated %v, by the formula %v", m, interval, got, want)
			}
		}
	}
}

// TestShapes: failures that come in crowds cost less than those that come evenly, and a checkpoint that is safe late costs more.
func TestShapes(t *testing.T) {
	m := Machine{MTBF: time.Hour, Cost: 10 * time.Second, Restart: time.Second, Shape: 1}
	interval := Interval(m.Cost, m.MTBF)
	plain := m.Simulate(interval, 400_000, 1)
	m.Shape = 0.5
	crowds := m.Simulate(interval, 400_000, 1)
	m.Shape, m.Safe = 1, 5*time.Minute
	late := m.Simulate(interval, 400_000, 1)
	if !(crowds > plain+0.002) || !(late < plain-0.05) {
		t.Errorf("%v plain, %v in crowds, %v safe late", plain, crowds, late)
	}
}

func TestRows(t *testing.T) {
	c := &Case{Nodes: []int{1, 64, 4096}, NodeMTBF: 5 * 365 * 24 * time.Hour, Cost: 400 * time.Millisecond, Restart: 500 * time.Millisecond,
		Shape: 1, Work: 24 * time.Hour, Failures: 20_000, Every: time.Hour}
	rows := c.Rows()
	for i, r := range rows {
		if math.Abs(r.Simulated-r.AtDaly) > 0.003 || r.AtDaly < r.AtYoung-1e-9 || r.AtEvery > r.Simulated+0.001 {
			t.Errorf("%+v", r)
		}
		if i > 0 && (r.Daly >= rows[i-1].Daly || r.AtDaly >= rows[i-1].AtDaly || r.None <= rows[i-1].None) {
			t.Errorf("%+v after %+v", r, rows[i-1])
		}
	}
	var text, svg strings.Builder
	if err := c.Table(&text, rows); err != nil || strings.Count(text.String(), "\n") != 5 || !strings.Contains(text.String(), "4096") {
		t.Error(err, text.String())
	}
	if err := Chart(&svg, []*Case{c}, [][]Row{rows}); err != nil || !strings.Contains(svg.String(), ">5y<") {
		t.Error(err, svg.String())
	}
	c.CostPerNode = time.Millisecond
	if shared := c.Rows()[2]; shared.Cost != 4495*time.Millisecond || shared.AtDaly >= rows[2].AtDaly {
		t.Errorf("%+v", shared)
	}
}

func TestDurations(t *testing.T) {
	for text, want := range map[string]time.Duration{"5y": 5 * 8760 * time.Hour, "0.4s": 400 * time.Millisecond, "90m": 90 * time.Minute, "3ms": 3 * time.Millisecond,
		"1.5d": 36 * time.Hour, "2us": 2 * time.Microsecond, "1e3s": 1000 * time.Second, "0s": 0} {
		got, err := ParseDuration(text)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if back, err := ParseDuration(FormatDuration(got)); err != nil || math.Abs(back.Seconds()-want.Seconds()) > want.Seconds()/100 {
			t.Errorf("%s became %s", text, FormatDuration(got))
		}
	}
	for _, text := range []string{"", "5", "y", "-1s", "1000y", "NaNs", "1w", "Infs", "s5"} {
		if d, err := ParseDuration(text); err == nil {
			t.Errorf("%q is %v", text, d)
		}
	}
}
