package job

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ampirun/internal/refusal"
)

// place goes to the job's directory and finds the program from there. That of a job that goes on may be in the checkpoint alone.
func (o *Options) place() (program string, err error) {
	if o.Dir != "" {
		err = os.Chdir(o.Dir)
	}
	switch {
	case err != nil && o.Restart != nil:
		return "", refusal.New(refusal.CodeUsage, "+restart %s: the job worked in %s: %v", o.Restart.Dir, o.Dir, reason(err))
	case err != nil:
		return "", refusal.New(refusal.CodeUsage, "-wdir %s: %v", o.Dir, reason(err))
	case o.Restart != nil:
		return o.Program, nil
	}
	return FindProgram(o.Program)
}

// FindProgram returns the absolute path of the program called name: with a slash it is a path, without one it is looked
// up in PATH and then in the current directory, as mpirun does. The error is a *refusal.Refusal.
func FindProgram(name string) (string, error) {
	if name == "" {
		return "", refusal.New(refusal.CodeUsage, "no program given; write: ampirun [options] program [arguments]")
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
		return "", refusal.New(refusal.CodeNotFound, "%s: %v", name, err)
	}
	return absolute, nil
}

// checkExecutable says why the file at path, typed as name, cannot be run.
func checkExecutable(name, path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !strings.Contains(name, "/"):
		return refusal.New(refusal.CodeNotFound, "%s: no such program in PATH or in the current directory", name)
	case errors.Is(err, fs.ErrNotExist):
		return refusal.New(refusal.CodeNotFound, "%s: no such file", name)
	case errors.Is(err, fs.ErrPermission):
		return refusal.New(refusal.CodeNotExecutable, "%s: a directory of its path may not be searched (permission denied)", name)
	case err != nil:
		return refusal.New(refusal.CodeNotFound, "%s: %v", name, errors.Unwrap(err))
	case info.IsDir():
		return refusal.New(refusal.CodeNotExecutable, "%s: is a directory, not a program", name)
	case info.Mode()&0o111 == 0:
		return refusal.New(refusal.CodeNotExecutable, "%s: is not executable (chmod +x makes it so)", name)
	}
	return nil
}
