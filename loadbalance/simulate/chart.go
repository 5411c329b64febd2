package simulate

import (
	"fmt"
	"io"

	"ampirun/internal/plot"
)

// StepChart draws what each strategy made of a trace, step by step: the time of steps, balancing included, and the
// imbalance.
func StepChart(to io.Writer, title, note string, results []*Result) error {
	times := plot.Panel{Title: "time of a step, with the balancing before it", XLabel: "step", YLabel: "seconds", Linear: true}
	imbalance := plot.Panel{Title: "imbalance: longest PE against the mean", XLabel: "step", YLabel: "1 is perfect", Linear: true}
	for _, r := range results {
		times.Lines = append(times.Lines, plot.Line{Name: r.Strategy, Points: overSteps(r, func(s *StepResult) float64 { return s.Seconds + s.Moving })})
		imbalance.Lines = append(imbalance.Lines, plot.Line{Name: r.Strategy, Points: overSteps(r, func(s *StepResult) float64 { return s.Imbalance })})
	}
	c := plot.Chart{Title: title, Note: note, Panels: []plot.Panel{times, imbalance}}
	_, err := c.WriteTo(to)
	return err
}

// maxPoints is how many points a line has at most; of more steps, means are drawn.
const maxPoints = 200

func overSteps(r *Result, value func(*StepResult) float64) []plot.Point {
	together := (len(r.Steps) + maxPoints - 1) / maxPoints
	var points []plot.Point
	for first := 0; first < len(r.Steps); first += together {
		some := r.Steps[first:min(first+together, len(r.Steps))]
		p := plot.Point{X: float64(first) + float64(len(some)+1)/2}
		for i := range some {
			p.Y += value(&some[i]) / float64(len(some))
		}
		points = append(points, p)
	}
	return points
}

// ScalingChart draws makespan and imbalance against the number of PEs; results[i] belong to pes[i].
func ScalingChart(to io.Writer, title, note string, pes []int, results [][]*Result) error {
	times := plot.Panel{Title: "makespan", XLabel: "PEs", YLabel: "seconds"}
	imbalance := plot.Panel{Title: "imbalance: longest PE against the mean", XLabel: "PEs", YLabel: "1 is perfect", Linear: true}
	for i, n := range pes {
		times.Ticks = append(times.Ticks, float64(n))
		for j, r := range results[i] {
			if i == 0 {
				times.Lines = append(times.Lines, plot.Line{Name: r.Strategy})
				imbalance.Lines = append(imbalance.Lines, plot.Line{Name: r.Strategy})
			}
			times.Lines[j].Points = append(times.Lines[j].Points, plot.Point{X: float64(n), Y: r.Makespan})
			imbalance.Lines[j].Points = append(imbalance.Lines[j].Points, plot.Point{X: float64(n), Y: r.Imbalance})
		}
	}
	ideal := plot.Line{Name: "ideal"}
	for i, n := range pes {
		ideal.Points = append(ideal.Points, plot.Point{X: float64(n), Y: results[i][0].Ideal})
	}
	times.Lines = append(times.Lines, ideal)
	c := plot.Chart{Title: title, Note: note, Panels: []plot.Panel{times, imbalance}}
	if _, err := c.WriteTo(to); err != nil {
		return fmt.Errorf("a chart of PEs: %w", err)
	}
	return nil
}
