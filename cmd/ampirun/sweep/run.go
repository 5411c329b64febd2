// Package sweep runs a program with many numbers of ranks and ways to balance them, and tells which combination is fastest.
package sweep

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ampirun/internal/trial"
)

// Job is what is run at every point.
type Job struct {
	Ampirun string   // the file to run
	Options []string // of ampirun, for all points
	Name    string   // of the program, as typed
	Program string   // its file
	Args    []string // of the program
}

// Sweep is a matrix of runs.
type Sweep struct {
	Job
	PEs     int
	Points  []Point
	Repeats int
	Limit   time.Duration  // of a run; 0: none
	Metric  *regexp.Regexp // finds the seconds in the output; nil: those of the whole run
	Out     string         // directory, or file of the chart
	Forget  bool           // begin anew
	Report  io.Writer      // gets a line for each run
}

// setting is what a results file has to be of.
func (s *Sweep) setting() (out Setting, err error) {
	out = Setting{Sweep: version, Program: s.Program, Args: s.Args, Options: s.Options, PEs: s.PEs}
	if s.Metric != nil {
		out.Metric = s.Metric.String()
	}
	if out.Binary, err = hashFile(s.Program); err == nil {
		out.Ampirun, err = hashFile(s.Ampirun)
	}
	return out, err
}

// Run runs what of the matrix is not there yet. When ctx ends, so does what runs, and the error is that of ctx; what was measured is
// kept, and a further call goes on from there. A point whose run fails is not tried again in this call.
func (s *Sweep) Run(ctx context.Context) (*Outcome, error) {
	runtime.LockOSThread() // see trial.Command.Mortal
	defer runtime.UnlockOSThread()
	results, chart, err := places(s.Out)
	if err != nil {
		return nil, err
	}
	setting, err := s.setting()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(results), 0o777); err != nil {
		return nil, err
	}
	l, err := openLog(results, setting, s.Forget)
	if err != nil {
		return nil, err
	}
	defer l.close()
	failed, err := s.runAll(ctx, l)
	if err != nil {
		return nil, err
	}
	return s.outcome(l.results, failed, chart), nil
}

// runAll runs round by round what is not done.
func (s *Sweep) runAll(ctx context.Context, l *log) (failed map[Point]string, err error) {
	failed = map[Point]string{}
	done, all := 0, len(s.Points)*s.Repeats
	for repeat := range s.Repeats {
		for _, p := range round(s.Points, repeat) {
			done++
			if l.isDone(p, repeat) || failed[p] != "" {
				continue
			}
			r := s.once(ctx, p, repeat)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err := l.add(r); err != nil {
				return nil, err
			}
			says := fmt.Sprintf("%.4g s", r.Seconds)
			if r.Failure != "" {
				says, failed[p] = r.Failure, r.Failure
			}
			fmt.Fprintf(s.Report, "ampirun: sweep: %d of %d (%v): %s\n", done, all, p, says)
		}
	}
	return failed, nil
}

// lastLines is how much of a failed run's output is shown.
const lastLines = 5

// once runs one point.
func (s *Sweep) once(ctx context.Context, p Point, repeat int) Result {
	var stdout, stderr tail
	options := append(append([]string{"+p", strconv.Itoa(s.PEs)}, p.options()...), s.Options...)
	c := trial.Command{Words: append(append(append([]string{s.Ampirun}, options...), "--", s.Name), s.Args...),
		Stdout: &stdout, Stderr: &stderr, Limit: s.Limit, Mortal: true}
	cost, err := c.Run(ctx)
	r := Result{Point: p, Repeat: repeat, Seconds: cost.Wall.Seconds(), At: time.Now().UTC().Truncate(time.Second)}
	if err == nil && s.Metric != nil {
		r.Seconds, err = s.measured(stdout.text())
	}
	if err != nil {
		r.Seconds, r.Failure = 0, failure(err, &stdout, &stderr)
	}
	return r
}

// measured takes the seconds from the last line of the output that the metric matches.
func (s *Sweep) measured(output string) (float64, error) {
	found := s.Metric.FindAllStringSubmatch(output, -1)
	if len(found) == 0 {
		return 0, fmt.Errorf("--metric: nothing of the output matches %s", s.Metric)
	}
	text := found[len(found)-1][1]
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds > 0) || seconds > 1e12 {
		return 0, fmt.Errorf("--metric: %q is not a number of seconds", text)
	}
	return seconds, nil
}

// failure says how a run ended, with the last lines of what it wrote.
func failure(err error, stdout, stderr *tail) string {
	var exit *exec.ExitError
	why := err.Error()
	if errors.As(err, &exit) && exit.ExitCode() >= 0 && !strings.Contains(why, "\n") {
		why = fmt.Sprintf("exit code %d", exit.ExitCode())
	}
	text := stderr.text()
	if strings.TrimSpace(text) == "" {
		text = stdout.text()
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	for _, line := range lines[max(0, len(lines)-lastLines):] {
		if line != "" {
			why += "\n    " + line
		}
	}
	return "failed: " + strings.ReplaceAll(strings.ToValidUTF8(why, "?"), "\r", "")
}

// tail keeps the end of what is written to it.
type tail struct{ kept []byte }

// tailSize is how much that is, at least.
const tailSize = 64 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if n := len(t.kept); n > 2*tailSize {
		t.kept = append(t.kept[:0], t.kept[n-tailSize:]...)
	}
	return len(p), nil
}

func (t *tail) text() string { return string(t.kept) }
