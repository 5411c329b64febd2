package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ampirun/privatize"
)

// TestStandardABI runs programs that were built without our wrappers against a library of the MPI 5 standard ABI, which
// is not there any more when they run.
func TestStandardABI(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lib := buildABILibrary(t, dir, "libmpi_abi.so.0")
	for _, file := range []string{"globals.c", "exit_abort.c"} {
		buildForABI(t, filepath.Join(langDir, file), filepath.Join(dir, strings.TrimSuffix(file, ".c")), lib)
	}
	if err := os.Remove(lib); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		good := job{program: filepath.Join(dir, "globals"), workers: workers, ranks: 16}.run(t)
		good.expectCode(t, 0)
		good.expectSays(t, "PASS globals\n")
		job{program: filepath.Join(dir, "exit_abort"), workers: workers, ranks: 4}.run(t).expectCode(t, 5)
	}
}

// abiProgram builds a program without our wrappers. Its library is not there any more.
func abiProgram(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	lib := buildABILibrary(t, dir, "libmpi_abi.so.0")
	path := filepath.Join(dir, strings.TrimSuffix(filepath.Base(source), ".c"))
	buildForABI(t, source, path, lib)
	if err := os.Remove(lib); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStandardABIEverywhere runs a program for each name that the library may have with each method. Where dlopen is ours it opens the
// library at run time, too, and asks for those of other implementations.
func TestStandardABIEverywhere(t *testing.T) {
	t.Parallel()
	for _, soname := range []string{"libmpi_abi.so", "libmpi_abi.so.0", "libmpi_abi.so.0.0.1", "libmpi_abi.so.1", ""} {
		dir := t.TempDir()
		lib := buildABILibrary(t, dir, soname)
		path := filepath.Join(dir, "abi"+soname)
		buildForABI(t, ownDir+"/abi.c", path, lib)
		if err := os.Remove(lib); err != nil {
			t.Fatal(err)
		}
		each(t, privatize.Methods(), func(m privatize.Method) string { return soname + "/" + m.Facts().Name }, func(t *testing.T, m privatize.Method) {
			var args []string
			if !m.Facts().LoadedByLd {
				args = []string{"open"}
			}
			r := job{program: path, args: args, workers: 2, ranks: 6, flags: []string{"+privatize", m.Facts().Name}}.run(t)
			r.expectCode(t, 0)
			if n := strings.Count(r.stdout, "PASS"); n != 6 {
				t.Errorf("%s: %d ranks pass\n%s", r.what, n, r.output())
			}
		})
	}
}

// TestStandardABIFortran runs a Fortran program whose bindings are a library of their own upon the standard ABI, which has none; without that library
// it is refused.
func TestStandardABIFortran(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	buildABILibrary(t, dir, "libmpi_abi.so.0")
	for name, text := range map[string]string{
		"bindings.c": `#include <mpi.h>
void mpi_init_(int *e) { *e = MPI_Init(0, 0); }
void mpi_finalize_(int *e) { *e = MPI_Finalize(); }
void mpi_comm_rank_(int *comm, int *rank, int *e) { *e = MPI_Comm_rank(MPI_Comm_fromint(*comm), rank); }
`,
		"prog.f90": `program prog
  integer :: rank, e
  integer, parameter :: world = 257 ! as MPI 5.0 appendix A has it
  call mpi_init(e)
  call mpi_comm_rank(world, rank, e)
  print '(a,i0)', 'PASS ', rank
  call mpi_finalize(e)
end program
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	headers, err := filepath.Abs(root + "/shim/include")
	if err != nil {
		t.Fatal(err)
	}
	makeHere(t, dir, `bindings="gcc -w -shared -fPIC -I`+headers+` bindings.c -L. -lmpi_abi"
		$bindings -Wl,-soname,libmpifort_abi.so.0 -o libmpifort_abi.so.0 && gfortran prog.f90 libmpifort_abi.so.0 -Wl,-rpath,'$ORIGIN' -L. -lmpi_abi -o prog &&
		$bindings -Wl,-soname,libmpi_abi.so.0 -o libboth.so && gfortran prog.f90 -L. -lboth -Wl,--allow-shlib-undefined -o bare`)
	r := job{program: filepath.Join(dir, "prog"), workers: 2, ranks: 4}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS 0", "PASS 3")
	r = job{program: filepath.Join(dir, "bare"), workers: 2, ranks: 4}.run(t)
	r.expectCode(t, 2)
	r.expectSays(t, "mpi_", "has none for Fortran", "ampif90")
}

// buildForABI compiles as somebody would who has the header and the library of another implementation of the standard ABI.
func buildForABI(t *testing.T, source, program, lib string) {
	t.Helper()
	must(t, exec.Command("gcc", "-w", "-I", root+"/shim/include", source, "-o", program, lib, "-Wl,-rpath,/nowhere", "-ldl"))
}

// buildABILibrary makes a library that has the names of all functions and none of their bodies. Without a soname programs need it by its path.
func buildABILibrary(t *testing.T, dir, soname string) string {
	t.Helper()
	var text strings.Builder
	for _, p := range prototypes(t) {
		fmt.Fprintf(&text, "void %s(void) { __builtin_trap(); }\nvoid P%s(void) { __builtin_trap(); }\n", p.name, p.name)
	}
	source, lib := filepath.Join(dir, "abi.c"), filepath.Join(dir, "libmpi_abi.so")
	if err := os.WriteFile(source, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-shared", "-fPIC", "-w", "-o", lib, source}
	if soname != "" {
		args = append(args, "-Wl,-soname,"+soname)
	}
	must(t, exec.Command("gcc", args...))
	return lib
}

func must(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := quiet(cmd); err != nil {
		t.Fatal(err)
	}
}
