package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestShowForms(t *testing.T) {
	dir := t.TempDir()
	contains := func(t *testing.T, text string, words ...string) {
		t.Helper()
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%q lacks %q", text, w)
			}
		}
	}
	link := []string{"-L/", "-lampi_shim", "-Wl,--undefined=", "-Wl,--export-dynamic-symbol-list=/"}
	for _, c := range []struct {
		args []string
		has  []string
		not  string
	}{
		{[]string{"-show"}, append([]string{"/gcc ", "-I/"}, link...), "-c "},
		{[]string{"-showme", "-c", "a.c"}, []string{"/gcc ", "-fPIE", "-c a.c", "-I/"}, "-l"},
		{[]string{"-show", "a b.c"}, []string{"'a b.c'", "-pie"}, ""},
		{[]string{"-showme:compile"}, []string{"-I/"}, "-L"},
		{[]string{"-showme:link"}, link, "-I"},
		{[]string{"-compile-info"}, []string{"/gcc ", "-I/"}, "-L"},
		{[]string{"-compile_info"}, []string{"/gcc ", "-I/"}, "-L"},
		{[]string{"-link-info"}, append([]string{"/gcc "}, link...), "-I"},
		{[]string{"-link_info"}, append([]string{"/gcc "}, link...), "-I"},
		{[]string{"-showme:libs"}, []string{"ampi_shim\n"}, "-l"},
		{[]string{"-showme:incdirs"}, []string{"/include"}, "-I"},
		{[]string{"-showme:libdirs"}, []string{"/lib"}, "-L"},
		{[]string{"-showme:version"}, []string{"ampicc: ampirun, MPI 5.0"}, ""},
		{[]string{"-showme:command"}, []string{"/gcc\n"}, "-"},
		{[]string{"-help"}, []string{"AMPI_CC", "-showme:link", "ampirun +vp N"}, ""},
		{[]string{"--version"}, []string{"Free Software Foundation"}, "ampi"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			out := must(t, dir, "ampicc", c.args...)
			contains(t, out, c.has...)
			if c.not != "" && strings.Contains(strings.ReplaceAll(out, filepath.Dir(tools), ""), c.not) {
				t.Errorf("%q has %q", out, c.not)
			}
		})
	}
	contains(t, must(t, dir, "ampicc", "--as=ampif90", "-showme:compile"), "-I/", "/mod-", "-fallow-argument-mismatch")
	contains(t, must(t, dir, "ampicc", "--as=ampicxx", "-show"), "/g++ ")
}

func TestUnknownNameIsRefused(t *testing.T) {
	r := try(t, t.TempDir(), nil, "ampicc", "--as=mpicc", "a.c")
	if r.code != 2 || !strings.Contains(r.stderr, "ampif90") {
		t.Errorf("exit code %d, %q", r.code, r.stderr)
	}
}

func TestOtherCompilers(t *testing.T) {
	dir := t.TempDir()
	if r := try(t, dir, []string{"AMPI_CC=gcc -m64"}, "ampicc", "-show"); !strings.Contains(r.stdout, "/gcc -m64 ") {
		t.Errorf("AMPI_CC is ignored: %q %q", r.stdout, r.stderr)
	}
	if out := must(t, dir, "ampicc", "-cc=cc", "-showme:command"); !strings.HasSuffix(out, "/cc\n") {
		t.Errorf("-cc= is ignored: %q", out)
	}
}

// Configure scripts compile and link with the wrapper, or take its flags to the compiler, before or after the files.
func TestAutoconfProbes(t *testing.T) {
	dir := files(t, map[string]string{"conftest.c": "char MPI_Init();\nint main(void) { return MPI_Init(); }\n"})
	must(t, dir, "ampicc", "-o", "conftest", "conftest.c")
	flags := strings.Fields(must(t, dir, "ampicc", "-showme:link"))
	for name, args := range map[string][]string{
		"after":  append([]string{"conftest.c", "-o", "after"}, flags...),
		"before": append(append([]string{}, flags...), "conftest.c", "-o", "before"),
		"twice":  append(append([]string{"conftest.c", "-o", "twice"}, flags...), flags...),
	} {
		must(t, dir, "gcc", args...)
		checkProgram(t, filepath.Join(dir, name))
	}
}

const cmakeProject = `cmake_minimum_required(VERSION 3.13)
project(probe C CXX Fortran)
find_package(MPI 5.0 REQUIRED COMPONENTS C CXX MPICXX Fortran)
message(STATUS "bindings of C++ ${MPI_MPICXX_FOUND}")
message(STATUS "found ${MPI_C_VERSION} ${MPI_CXX_VERSION} ${MPI_Fortran_VERSION} ${MPI_Fortran_HAVE_F77_HEADER} ${MPI_Fortran_HAVE_F90_MODULE} ${MPI_Fortran_HAVE_F08_MODULE}")
add_library(part SHARED part.c)
target_link_libraries(part PUBLIC MPI::MPI_C)
add_executable(c c.c)
target_link_libraries(c part MPI::MPI_C)
add_executable(x x.cc c2.c)
target_link_libraries(x MPI::MPI_CXX MPI::MPI_C)
add_executable(f f.f90 c2.c)
target_link_libraries(f MPI::MPI_Fortran MPI::MPI_C)
`

func TestCMakeFindMPI(t *testing.T) {
	const function = "#include <mpi.h>\nint size(void) { int n; MPI_Comm_size(MPI_COMM_WORLD, &n); return n; }\n"
	dir := files(t, map[string]string{"CMakeLists.txt": cmakeProject, "c.c": cProgram, "x.cc": cProgram, "f.f90": fortranProgram,
		"part.c": function, "c2.c": function})
	out := must(t, dir, "cmake", "-S", ".", "-B", "build",
		"-DMPI_C_COMPILER="+filepath.Join(tools, "ampicc"),
		"-DMPI_CXX_COMPILER="+filepath.Join(tools, "ampicxx"),
		"-DMPI_Fortran_COMPILER="+filepath.Join(tools, "ampif90"))
	if want := "found 5.0 5.0 5.0 TRUE TRUE TRUE"; !strings.Contains(out, want) {
		t.Fatalf("no %q in\n%s", want, out)
	}
	must(t, dir, "cmake", "--build", "build", "--parallel", "2")
	for _, program := range []string{"c", "x", "f"} {
		checkProgram(t, filepath.Join(dir, "build", program))
	}
}
