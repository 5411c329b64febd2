package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The wrappers are tested as programs: tools is a directory with all of them, used by every test.
var tools string

func TestMain(m *testing.M) {
	os.Exit(withTools(m))
}

func withTools(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ampicc-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	tools = filepath.Join(dir, "bin")
	os.Setenv("AMPI_CACHE", filepath.Join(dir, "cache"))
	for _, name := range []string{"AMPI_CC", "AMPI_CXX", "AMPI_FC"} {
		os.Unsetenv(name)
	}
	if out, err := exec.Command("go", "build", "-o", filepath.Join(tools, "ampicc"), ".").CombinedOutput(); err != nil {
		panic(string(out))
	}
	for name := range wrappers {
		if name != "ampicc" {
			if err := os.Symlink("ampicc", filepath.Join(tools, name)); err != nil {
				panic(err)
			}
		}
	}
	return m.Run()
}

// result is what a command did.
type result struct {
	stdout, stderr string
	code           int
}

// try runs a wrapper (or another command given by path) in dir with extra environment.
func try(t *testing.T, dir string, env []string, name string, args ...string) result {
	t.Helper()
	if !strings.Contains(name, "/") && wrappers[name] != nil {
		name = filepath.Join(tools, name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// must is try for a command that has to succeed; it returns its standard output.
func must(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	r := try(t, dir, nil, name, args...)
	if r.code != 0 {
		t.Fatalf("%s %s: exit code %d\n%s%s", name, strings.Join(args, " "), r.code, r.stdout, r.stderr)
	}
	return r.stdout
}

// files makes a directory with the given files.
func files(t *testing.T, contents map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range contents {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const cProgram = `#include <mpi.h>
int main(int argc, char **argv) { MPI_Init(&argc, &argv); return MPI_Finalize(); }
`

const fortranProgram = `program hello
   use mpi
   implicit none
   integer :: ierr, rank
   call MPI_Init(ierr)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
   call MPI_Bcast(rank, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
   call MPI_Finalize(ierr)
end program
`
