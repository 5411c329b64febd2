package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// compiler is a family of wrappers, one for each language.
type compiler struct {
	name           string
	c, cxx, f77, f string
	fortran        []string // flags that legacy Fortran needs
}

func ours() compiler {
	return compiler{name: "ampi", c: tool("ampicc"), cxx: tool("ampicxx"), f77: tool("ampif77"), f: tool("ampif90")}
}

var mpich = compiler{name: "mpich", c: "mpicc.mpich", cxx: "mpicxx.mpich", f77: "mpif77.mpich", f: "mpif90.mpich",
	fortran: []string{"-fallow-argument-mismatch"}}

// command is the wrapper for a source file, with the flags of its language before it and after it.
func (c compiler) command(source string) (before, after []string) {
	switch filepath.Ext(source) {
	case ".c":
		return []string{c.c, "-std=gnu11", "-pthread"}, []string{"-lm"}
	case ".cpp":
		return []string{c.cxx, "-std=c++17"}, nil
	case ".f":
		return append([]string{c.f77}, c.fortran...), nil
	}
	return append([]string{c.f}, c.fortran...), nil
}

var (
	programs  sync.Map // by compiler and source: func() (string, error)
	compiling = make(chan struct{}, 2)
	programID atomic.Int64
)

// compiled returns the program made of a source file, which is compiled once for all tests.
func compiled(t *testing.T, c compiler, source string, flags ...string) string {
	t.Helper()
	key := strings.Join(append([]string{c.name, source}, flags...), " ")
	make, _ := programs.LoadOrStore(key, sync.OnceValues(func() (string, error) { return compile(c, source, flags) }))
	program, err := make.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// program is compiled with our wrappers.
func program(t *testing.T, source string, flags ...string) string {
	t.Helper()
	return compiled(t, ours(), source, flags...)
}

// compile makes a program in a directory of its own, which holds its shared libraries too.
func compile(c compiler, source string, flags []string) (string, error) {
	compiling <- struct{}{}
	defer func() { <-compiling }()
	dir := filepath.Join(tools, "programs", fmt.Sprint(programID.Add(1)))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	name := filepath.Base(source)
	program := filepath.Join(dir, strings.TrimSuffix(name, filepath.Ext(name)))
	before, after := c.command(source)
	if text := buildLine(source); text != "" {
		return program, compileByLine(dir, program, filepath.Dir(source), strings.ReplaceAll(text, "$CC", strings.Join(before, " ")+" -g"))
	}
	args := append(append(append(before[1:], flags...), "-g", "-w", "-o", program, source), after...)
	if path, err := filepath.Abs(source); err == nil {
		args[len(args)-len(after)-1] = path
	}
	cmd := exec.Command(before[0], args...)
	cmd.Dir = dir // module files of Fortran land there
	return program, quiet(cmd)
}

// buildLine returns the commands that a source file asks to be built with.
func buildLine(source string) string {
	text, _ := os.ReadFile(source)
	for line := range strings.Lines(string(text)) {
		if commands, found := strings.CutPrefix(strings.TrimLeft(line, "/!"), " build: "); found {
			commands, _, _ = strings.Cut(commands, "    ")
			return strings.TrimSpace(commands)
		}
	}
	return ""
}

// compileByLine runs the commands beside copies of the sources, and calls what they make by the program's name.
func compileByLine(dir, program, sources, commands string) error {
	if err := os.CopyFS(dir, os.DirFS(sources)); err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", commands)
	cmd.Dir = dir
	if err := quiet(cmd); err != nil {
		return err
	}
	return os.Rename(filepath.Join(dir, "a.out"), program)
}

func quiet(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	charge(nil, cmd.ProcessState)
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}
