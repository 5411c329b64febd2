package shim_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// built is the shim compiled once for all tests of the package.
type built struct {
	dir     string
	objects []string
	err     string
}

var buildOnce = sync.OnceValue(func() *built {
	b := &built{}
	dir, err := os.MkdirTemp("", "shim-test-")
	if err != nil {
		b.err = err.Error()
		return b
	}
	b.dir = dir
	sources, _ := filepath.Glob("src/*.[cS]")
	for _, source := range sources {
		object := filepath.Join(dir, filepath.Base(source)+".o")
		b.objects = append(b.objects, object)
		args := []string{"-std=gnu11", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-Iinclude", "-I.", "-c", source, "-o", object}
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			b.err += string(out)
		}
	}
	return b
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir := buildOnce().dir; dir != "" {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// watch reads the files that compilers and the generator read in processes of their own, so that "go test"
// knows a cached result to be stale when one of them changes.
func watch(t *testing.T, dirs ...string) {
	t.Helper()
	for _, dir := range dirs {
		files := 0
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files++
			_, err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if files == 0 {
			t.Fatalf("no files in %s", dir)
		}
	}
}

// shimObjects returns the object files of the shim.
func shimObjects(t *testing.T) []string {
	t.Helper()
	watch(t, "src", "include", "testdata", "fortran")
	b := buildOnce()
	if b.err != "" {
		t.Fatalf("the shim does not compile:\n%s", b.err)
	}
	return b.objects
}

// command runs a command that has to succeed and returns what it printed.
func command(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GFORTRAN_UNBUFFERED_ALL=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// link makes a program from testdata sources and the shim, with the compiler given, and returns its path.
func link(t *testing.T, compiler string, sources ...string) string {
	t.Helper()
	dir := t.TempDir()
	program := filepath.Join(dir, "prog")
	objects := shimObjects(t)
	for _, s := range sources {
		if filepath.Ext(s) == ".c" && compiler != "gcc" {
			object := filepath.Join(dir, s+".o")
			command(t, "gcc", "-fPIE", "-Iinclude", "-I.", "-c", filepath.Join("testdata", s), "-o", object)
			objects = append(objects, object)
		}
	}
	args := []string{"-fPIE", "-pie", "-Iinclude", "-I.", "-o", program}
	if compiler == "gfortran" {
		compileModules(t, dir)
		args = append(args, "-fallow-argument-mismatch", "-w", "-J", dir)
	}
	for _, s := range sources {
		if filepath.Ext(s) != ".c" || compiler == "gcc" {
			args = append(args, filepath.Join("testdata", s))
		}
	}
	command(t, compiler, append(args, objects...)...)
	return program
}

// compileModules leaves the .mod files in dir.
func compileModules(t *testing.T, dir string) {
	t.Helper()
	for _, module := range []string{"mpi_f08_types", "mpi", "mpi_f08"} {
		command(t, "gfortran", "-c", "fortran/"+module+".f90", "-J", dir, "-o", filepath.Join(dir, module+".o"))
	}
}
