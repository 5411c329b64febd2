package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"ampirun/cmd/ampirun/lb"
	"ampirun/internal/refusal"
	"ampirun/internal/safefile"
	_ "ampirun/loadbalance/partition/native" // METIS and Scotch, where they are installed
)

// isLB tells whether the arguments are for ampirun lb. A program of that name is run as ./lb.
func isLB(args []string) bool { return len(args) > 0 && args[0] == "lb" }

// runLB does what ampirun lb is asked for.
func (e engine) runLB(args []string, stdout io.Writer) (code int, err error) {
	err = lb.Run(args, stdout, func(args []string) (trace string, err error) {
		trace, code, err = e.record(args, stdout)
		return trace, err
	})
	if err != nil && code == 0 {
		code = refusal.CodeUsage
	}
	return code, err
}

// record runs a job with arguments of ampirun, before which "-o FILE" and "--step SECONDS" may stand, and gives the name of the
// trace that was written; "" when the job did not run.
func (e engine) record(args []string, stdout io.Writer) (trace string, code int, err error) {
	step := ""
	rest, err := takeOwn(args, map[string]*string{"o": &trace, "step": &step})
	if err != nil {
		return "", refusal.CodeUsage, err
	}
	s, err := parse(rest)
	switch {
	case err != nil:
		return "", refusal.CodeUsage, err
	case s.job.Program == "":
		return "", refusal.CodeUsage, errors.New("no program given; write: ampirun lb record [-o TRACE] [options] program [arguments]")
	case s.job.Record != "":
		return "", refusal.CodeUsage, errors.New("+lb-record: is what lb record does; name the file with -o")
	case trace == "":
		trace = filepath.Base(s.job.Program) + ".trace"
	}
	if trace, err = seenFrom(s.job.Dir, trace); err != nil {
		return "", refusal.CodeUsage, err
	}
	own := []string{"+lb-record=" + trace}
	if step != "" {
		own = append(own, "+lb-record-step="+step)
	}
	before, _ := os.Stat(trace)
	code, err = e.command(append(own, rest...), stdout)
	if after, failed := os.Stat(trace); failed != nil || before != nil && after.ModTime().Equal(before.ModTime()) {
		trace = ""
	}
	return trace, code, err
}

// seenFrom is a name of a file that still holds when a job has changed to a directory.
func seenFrom(dir, path string) (string, error) {
	if dir == "" {
		return path, nil
	}
	return filepath.Abs(path)
}

// takeOwn takes options of a subcommand out of those of ampirun that stand before a program: what is in own, each with a value.
func takeOwn(args []string, own map[string]*string) (rest []string, err error) {
	l := line{typed: map[string]string{}}
	for i := 0; i < len(args); i++ {
		name, isOption := stripSign(args[i])
		if args[i] == "--" || !isOption {
			return append(rest, args[i:]...), nil
		}
		if value := own[name]; value != nil {
			if i++; i == len(args) {
				return nil, errors.New(args[i-1] + " needs a value")
			}
			*value = args[i]
			continue
		}
		taken, err := l.take(args[i], name, args[i+1:])
		if err != nil {
			return nil, err
		}
		rest = append(rest, args[i:i+1+taken]...)
		i += taken
	}
	return rest, nil
}

// claim makes sure that a file can be written, before a job runs. What it makes for that is removed again if it stays empty.
func claim(path string) (release func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	_, missing := os.Stat(path)
	f, err := safefile.OpenOutput(path, os.O_WRONLY)
	if err != nil {
		return nil, err
	}
	return func() {
		if info, err := os.Stat(path); missing != nil && err == nil && info.Size() == 0 {
			os.Remove(path)
		}
	}, f.Close()
}
