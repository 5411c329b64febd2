package main

import (
	"fmt"
	"os"

	"ampirun/internal/plot"
	"ampirun/privatize"
)

// methodRanks are the numbers of ranks that all methods of privatization are measured with, as far as each goes.
var methodRanks = []int{1, 8, 64, 256, 1024, 4096}

// starting is a method with some ranks in one worker: what their start takes and what they need of memory.
type starting struct {
	method string
	ranks  int
}

// startings lists them by method.
func startings() (list []starting) {
	for _, m := range privatize.Methods() {
		f := m.Facts()
		for _, n := range methodRanks {
			if f.PerWorker == 0 || n <= f.PerWorker {
				list = append(list, starting{f.Name, n})
			}
		}
	}
	return list
}

func (s starting) name() string { return fmt.Sprintf("method_%s_%d_ranks", s.method, s.ranks) }

func (s starting) experiment() *experiment {
	rounds := 9
	if s.ranks >= 1024 {
		rounds = 3
	}
	return &experiment{name: s.name(), program: "footprint", pes: 1, ranks: s.ranks, rounds: rounds, extra: []string{"+privatize", s.method}, collect: started,
		figures: []*figure{
			{name: s.name() + ".start", unit: "us", value: of("start")},
			{name: s.name() + ".cpu", unit: "us", value: of("cpu")},
			{name: s.name() + ".memory", unit: "KiB", value: of("memory")},
		}}
}

// started takes the samples that the program prints and the time from launch to exit, for each rank.
func started(e *experiment, f *finished) (map[string]series, error) {
	run, err := parseSamples(f.stdout)
	if err != nil {
		return nil, err
	}
	n := float64(e.ranks)
	run["start"], run["cpu"] = series{f.wall.Seconds() * 1e6 / n}, series{f.cpu.Seconds() * 1e6 / n}
	return run, nil
}

// methodsChart collects what -plot draws.
type methodsChart struct {
	note    string
	results map[string]samples // by experiment
}

func (c *methodsChart) add(e *experiment, s samples) { c.results[e.name] = s }

// write draws CPU time, which other work on the machine disturbs least, and memory.
func (c *methodsChart) write(path string) error {
	chart := &plot.Chart{Title: "Methods of privatization: start and memory of a small C program", Note: c.note, Panels: []plot.Panel{
		c.panel("start", "cpu", "microseconds of CPU time from launch to exit, per rank"),
		c.panel("memory", "memory", "KiB of the worker's memory (PSS), per rank"),
	}}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := chart.WriteTo(f); err != nil {
		f.Close()
		return fmt.Errorf("draw %s: %w", path, err)
	}
	return f.Close()
}

func (c *methodsChart) panel(title, key, label string) plot.Panel {
	p := plot.Panel{Title: title, XLabel: "ranks in one worker", YLabel: label}
	for _, n := range methodRanks {
		p.Ticks = append(p.Ticks, float64(n))
	}
	for _, m := range privatize.Methods() {
		line := plot.Line{Name: m.Facts().Name}
		for _, n := range methodRanks {
			if v := c.results[starting{line.Name, n}.name()][""][key]; len(v) > 0 {
				line.Points = append(line.Points, plot.Point{X: float64(n), Y: v.Median()})
			}
		}
		p.Lines = append(p.Lines, line)
	}
	return p
}
