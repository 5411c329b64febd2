package sweep

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"ampirun/internal/safefile"
)

// Setting is what all runs of a results file have in common: its first line.
type Setting struct {
	Sweep   int      // version of the format: 1
	Program string   // its file
	Binary  string   // SHA-256 of that
	Args    []string // of the program
	Options []string // of ampirun, for all points
	PEs     int
	Metric  string // what the seconds are taken from; "": the whole run
	Ampirun string // SHA-256 of ampirun
}

// Result is one run: a line of a results file.
type Result struct {
	Point
	Repeat  int
	Seconds float64   `json:",omitempty"` // of a run that ended well
	Failure string    `json:",omitempty"` // why, of another one
	At      time.Time // when it ended
}

// version is the format's; other ones are refused.
const version = 1

// hashFile is the SHA-256 of a file in hexadecimal digits.
func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// log is a results file that is open for one sweep.
type log struct {
	file    *os.File
	results []Result
}

// openLog opens a results file, or makes it. What was written under another setting is refused, unless it is to be forgotten. A line
// that was cut off by the end of its sweep is taken away.
func openLog(path string, s Setting, forget bool) (*log, error) {
	f, err := safefile.OpenOutput(path, os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, err
	}
	l := &log{file: f}
	if err := l.begin(s, forget); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

func (l *log) begin(s Setting, forget bool) error {
	if err := syscall.Flock(int(l.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return errors.New("another sweep is writing it: wait for that, or name another -o")
	}
	if forget {
		if err := l.file.Truncate(0); err != nil {
			return err
		}
	}
	content, err := io.ReadAll(l.file)
	if err != nil {
		return err
	}
	if n := min(len(content), len(firstWords)); string(content[:n]) != firstWords[:n] {
		return errNoResults
	}
	whole := content[:bytes.LastIndexByte(content, '\n')+1]
	if len(whole) > 0 {
		if err := l.read(whole, s); err != nil {
			return err
		}
	}
	if err := l.file.Truncate(int64(len(whole))); err != nil {
		return err
	}
	if len(whole) == 0 {
		return l.line(s)
	}
	return nil
}

// firstWords are how all results files begin.
const firstWords = `{"Sweep":`

var errNoResults = errors.New("it holds no results of ampirun sweep: name another -o, or give --fresh to overwrite it")

func (l *log) read(content []byte, s Setting) error {
	lines := bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
	var was Setting
	if json.Unmarshal(lines[0], &was) != nil || was.Sweep == 0 {
		return errNoResults
	}
	if differs := s.differs(was); len(differs) > 0 {
		return fmt.Errorf("its results are of another %s: name another -o, or give --fresh to begin anew", strings.Join(differs, " and another "))
	}
	for i, line := range lines[1:] {
		var r Result
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("line %d: %w: mend it, or give --fresh to begin anew", i+2, err)
		}
		l.results = append(l.results, r)
	}
	return nil
}

// differs says in words what of two settings is not the same.
func (s Setting) differs(was Setting) (what []string) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"version of the format", s.Sweep == was.Sweep}, {"program (" + was.Program + ")", s.Program == was.Program},
		{"build of the program", s.Binary == was.Binary || s.Program != was.Program}, {"list of arguments", slices.Equal(s.Args, was.Args)},
		{"list of options", slices.Equal(s.Options, was.Options)}, {fmt.Sprintf("number of PEs (%d)", was.PEs), s.PEs == was.PEs},
		{"metric", s.Metric == was.Metric}, {"build of ampirun", s.Ampirun == was.Ampirun},
	} {
		if !f.same {
			what = append(what, f.name)
		}
	}
	if len(what) == 0 && !reflect.DeepEqual(s.normal(), was.normal()) {
		panic("BUG: settings differ in what nobody names")
	}
	return what
}

// normal has empty lists in one form.
func (s Setting) normal() Setting {
	s.Args, s.Options = append([]string{}, s.Args...), append([]string{}, s.Options...)
	return s
}

// add writes a result, in one piece.
func (l *log) add(r Result) error {
	l.results = append(l.results, r)
	return l.line(r)
}

func (l *log) line(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = l.file.Write(append(text, '\n'))
	return err
}

func (l *log) close() error { return l.file.Close() }

// isDone tells whether a run has ended well before.
func (l *log) isDone(p Point, repeat int) bool {
	return slices.ContainsFunc(l.results, func(r Result) bool { return r.Point == p && r.Repeat == repeat && r.Failure == "" })
}

// places says where results and chart of a sweep go: into a directory, or both beside the file of the chart.
func places(out string) (results, chart string, err error) {
	if base, isChart := strings.CutSuffix(out, ".svg"); isChart {
		return base + ".jsonl", out, nil
	}
	info, err := os.Stat(out)
	switch {
	case err == nil && !info.IsDir():
		return "", "", fmt.Errorf("%s: is no directory; name one, or a file that ends in .svg", out)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", "", err
	}
	return out + "/runs.jsonl", out + "/chart.svg", nil
}
