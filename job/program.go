package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Exit codes of refusals, as shells use them.
const (
	CodeUsage         = 2   // a bad flag or a program the loader refuses
	CodeNotExecutable = 126 // the program exists and may not be run
	CodeNotFound      = 127 // there is no such program
)

// Refusal is a job that was not run for a reason the user can mend: one line that names the file or flag, and the exit
// code that belongs to it.
type Refusal struct {
	Code int
	Text string
}

func (r *Refusal) Error() string { return r.Text }

func refuse(code int, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Text: fmt.Sprintf(format, args...)}
}

// place goes to the job's directory and finds the program from there. That of a job that goes on may be in the checkpoint alone.
func (o *Options) place() (program string, err error) {
	if o.Dir != "" {
		err = os.Chdir(o.Dir)
	}
	switch {
	case err != nil && o.Restart != nil:
		return "", refuse(CodeUsage, "+restart %s: the job worked in %s: %v", o.Restart.Dir, o.Dir, reason(err))
	case err != nil:
		return "", refuse(CodeUsage, "-wdir %s: %v", o.Dir, reason(err))
	case o.Restart != nil:
		return o.Program, nil
	}
	return FindProgram(o.Program)
}

// FindProgram returns the absolute path of the program called name: with a slash it is a path, without one it is looked
// up in PATH and then in the current directory, as mpirun does. The error is a *Refusal.
func FindProgram(name string) (string, error) {
	if name == "" {
		return "", refuse(CodeUsage, "no program given; write: ampirun [options] program [arguments]")
	}
	path := name
	if !strings.Contains(name, "/") {
		if found, err := exec.LookPath(name); err == nil || errors.Is(err, exec.ErrDot) {
			path = found
		}
	}
	if err := checkExecutable(name, path); err != nil {
		return "", err
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", refuse(CodeNotFound, "%s: %v", name, err)
	}
	return absolute, nil
}

// checkExecutable says why the file at path, typed as name, cannot be run.
func checkExecutable(name, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.Contains(name, "/"):
		return refuse(CodeNotFound, "%s: no such program in PATH or in the current directory", name)
	case errors.Is(err, fs.ErrNotExist):
		return refuse(CodeNotFound, "%s: no such file", name)
	case errors.Is(err, fs.ErrPermission):
		return refuse(CodeNotExecutable, "%s: a directory of its path may not be searched (permission denied)", name)
	case err != nil:
		return refuse(CodeNotFound, "%s: %v", name, errors.Unwrap(err))
	case info.IsDir():
		return refuse(CodeNotExecutable, "%s: is a directory, not a program", name)
	case info.Mode()&0o111 == 0:
		return refuse(CodeNotExecutable, "%s: is not executable (chmod +x makes it so)", name)
	}
	return nil
}
