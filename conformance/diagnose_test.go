package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ampirun/observe/diagnose"
)

// diagnosis is a program and what must be said of it.
type diagnosis struct {
	name string
	make string // shell commands that make the file "prog", or exit with 77 when they cannot
	code int
	says []string // each in one line, blanks counting as any number of them
	not  []string
}

var diagnoses = []diagnosis{
	{name: "C", make: `ampicc -g main.c -o prog`, says: []string{
		"type position-independent program (PIE), x86-64", "symbols yes, with debug information", "libc.so.6 /", "largest of prog: grid 4.0M, counter 4",
		"built for the MPI 5 standard ABI, by ampicc", "functions (4) MPI_Comm_rank, MPI_File_delete, MPI_Finalize, MPI_Init", "not served MPI_File_delete",
		"malloc the runtime's", "pie usable", "pip usable, 15 ranks", "none usable, ranks cannot move; ranks of a worker share globals of the program (4.0M)",
		"nothing that was found keeps ranks from moving", "verdict: it can be run: ampirun +vp N"}, not: []string{"besides computing", "MPI_Send"}},
	{name: "stripped", make: `ampicc -s main.c -o prog`, says: []string{"symbols none", "functions (4) MPI_Comm_rank, MPI_File_delete"}, not: []string{"largest"}},
	{name: "C++", make: `ampicxx -fPIC -x c++ text.cpp -o prog`, says: []string{
		"run-time systems C++", "libstdc++.so.6 /", "prog 1.0M 1.0M 8 ", "threads std::thread", "constructors", "(prog 2,",
		"threads (prog): a rank with live threads stays on its worker"}},
	{name: "Fortran", make: `ampif90 field.f90 -o prog`, says: []string{
		"run-time systems Fortran", "libgfortran.so.5 /", "functions (3) MPI_Comm_rank, MPI_Finalize, MPI_Init", "grid", "38.1M"}},
	{name: "OpenMP", make: `ampicc -fopenmp threads.c -o prog`, says: []string{"run-time systems OpenMP (GNU)", "OpenMP GOMP_parallel", "OMP_NUM_THREADS=1", "fs refused: uses OpenMP", "pie usable"}},
	{name: "uses", make: `gcc -w uses.c -o prog -ldl -lrt`, says: []string{
		"processes fork, popen, system", "signals sigaction", "timers alarm", "shared memory shm_open", "plug-ins dlopen", "not examined",
		"shared memory (prog): ", "it does not use MPI"}},
	{name: "nested", make: `gcc nested.c -o prog`, says: []string{"executable stack prog", "nested functions"}},
	{name: "ifunc", make: `gcc -w ifunc.c -o prog`, says: []string{"IFUNC) ", "prog 1"}},
	{name: "allocator", make: `gcc -w allocator.c -o prog`, says: []string{"malloc prog's own (jemalloc)", "brings an allocator of its own"}},
	{name: "thread-local", make: `ampicc tls.c -o prog`, says: []string{" 4.0K "}, not: []string{"verdict: it is refused"}},
	{name: "too much thread-local", make: `gcc -DSIZE=3000000 tls.c -o prog`, code: 2, says: []string{"verdict: it is refused: ", "limit"}},
	{name: "static", make: `gcc -static plain.c -o prog || exit 77`, code: 2, says: []string{"type static program", "verdict: it is refused: ", "statically linked"}, not: []string{"heap:"}},
	{name: "static-pie", make: `gcc -static-pie plain.c -o prog || exit 77`, code: 2, says: []string{"type static position-independent", "without -static"}},
	{name: "no-pie", make: `gcc -no-pie plain.c -o prog`, code: 2, says: []string{
		"type program for a fixed address (not PIE)", "libc.so.6 /", "none of them can run it", "verdict: it is refused: ", "-fPIE -pie"}},
	{name: "missing library", make: `gcc -shared -fPIC plain.c -o libgone.so; gcc -shared -fPIC plain.c -Wl,--no-as-needed -L. -lgone -o libmid.so
		gcc plain.c -Wl,--no-as-needed -L. -lmid -Wl,-rpath,'$ORIGIN',--unresolved-symbols=ignore-all -o prog; rm libgone.so`, code: 2, says: []string{
		"libmid.so /", "libgone.so not found (needed by libmid.so)", "verdict: it is refused: ", "LD_LIBRARY_PATH"}},
	{name: "damaged library", make: `gcc -shared -fPIC plain.c -o libbad.so; gcc plain.c -Wl,--no-as-needed -L. -lbad -Wl,-rpath,'$ORIGIN' -o prog; head -c 2000 libbad.so > b; mv b libbad.so`,
		code: 2, says: []string{"libbad.so", "verdict: it is refused: "}},
	{name: "MPICH", make: `gcc -shared -fPIC plain.c -Wl,-soname,libmpi.so.12 -o libmpi.so; gcc plain.c -Wl,--no-as-needed -L. -lmpi -o prog`, code: 2, says: []string{
		"libmpi.so.12 MPI library of MPICH", "built for MPICH 3 to 5", "verdict: it is refused: ", "ampicc"}},
	{name: "Debian's Open MPI", make: `command -v mpicc.openmpi || exit 77; mpicc.openmpi main.c -o prog`, code: 2, says: []string{
		"built for Open MPI 3 to 5 (libmpi.so.40)", "functions (4) MPI_Comm_rank,"}},
	{name: "standard ABI", make: `gcc -shared -fPIC -Dmain=MPI_Init plain.c -Wl,-soname,libmpi_abi.so.1 -o libmpi_abi.so; gcc -w -include abi.h plain.c -L. -lmpi_abi -o prog; rm libmpi_abi.so`,
		says: []string{"libmpi_abi.so.1 the runtime stands in for it", "built for the MPI 5 standard ABI (libmpi_abi.so.1)", "functions (1) MPI_Init", "pip usable", "fs usable"}},
	{name: "sanitizer", make: `gcc -fsanitize=address plain.c -o prog || exit 77`, code: 2, says: []string{"sanitizers address", "-fsanitize"}},
	{name: "script", make: `printf "#!/bin/sh\\n" > prog; chmod +x prog`, code: 2, says: []string{"verdict: it is refused: ", "is a script"}},
	{name: "text", make: `echo hello > prog; chmod +x prog`, code: 2, says: []string{"is not an ELF program"}},
	{name: "not executable", make: `gcc plain.c -o prog; chmod -x prog`, code: 2, says: []string{"PIE", "is not executable"}},
	{name: "no file", make: `true`, code: 127, says: []string{"no such file"}},
}

// sources of the programs; main.c has variables and calls one function that is not served.
var diagnosed = map[string]string{
	"plain.c":  "int main(void) { return 0; }\n",
	"abi.h":    "int MPI_Init(int *, char ***); int (*keep)(int *, char ***) = MPI_Init;\n",
	"tls.c":    "#ifndef SIZE\n#define SIZE 4096\n#endif\n__thread char local[SIZE]; int main(int c, char **v) { return local[c]; }\n",
	"nested.c": "int call(int (*f)(void)) { return f(); }\nint main(int c, char **v) { int g(void) { return c; } return call(g); }\n",
	"ifunc.c":  "static int one(void) { return 0; }\nstatic void *choose(void) { return one; }\nint f(void) __attribute__((ifunc(\"choose\")));\nint main(void) { return f(); }\n",
	"uses.c": "#include <dlfcn.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <sys/mman.h>\n#include <unistd.h>\n" +
		"int main(void) { fork(); system(\"\"); popen(\"\", \"r\"); sigaction(1, 0, 0); alarm(1); shm_open(\"\", 0, 0); return dlopen(\"\", 1) != 0; }\n",
	"allocator.c": "#include <stddef.h>\nstatic char pool[1 << 20]; static size_t used;\nvoid *malloc(size_t n) { void *p = pool + used; used += (n + 15) & ~15ul; return p; }\n" +
		"void free(void *p) {}\nint mallctl(void) { return 0; }\nint main(void) { return malloc(1) == 0; }\n",
	"threads.c": "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v);\n#pragma omp parallel\n\tc++;\nMPI_Finalize(); return 0; }\n",
	"text.cpp": "#include <iostream>\n#include <thread>\nstruct S { S() { std::cout << 1; } } s; char filled[1 << 20] = {1}, zeros[1 << 20]; thread_local long t = 3;\n" +
		"int main() { std::thread x([] { t++; }); x.join(); }\n",
	"field.f90": "program p\n  use mpi\n  integer :: e, r\n  real, save :: grid(10000000)\n  call MPI_Init(e)\n  call mpi_comm_rank(MPI_COMM_WORLD, r, e)\n" +
		"  grid(r + 1) = 1\n  print *, sum(grid)\n  call mpi_finalize(e)\nend program\n",
	"main.c": "#include <mpi.h>\nint grid[1 << 20], counter = 1;\nint main(int c, char **v) {\n\tMPI_Init(&c, &v);\n\tMPI_Comm_rank(MPI_COMM_WORLD, &counter);\n" +
		"\tMPI_File_delete(\"none\", MPI_INFO_NULL);\n\tMPI_Finalize();\n\treturn 0;\n}\n",
}

func TestDiagnose(t *testing.T) {
	t.Parallel()
	each(t, diagnoses, func(d diagnosis) string { return d.name }, func(t *testing.T, d diagnosis) {
		dir := t.TempDir()
		for name, text := range diagnosed {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		makeHere(t, dir, d.make)
		r := runTool(t, "ampirun", "--diagnose", filepath.Join(dir, "prog"))
		r.expectCode(t, d.code)
		text := strings.Join(strings.FieldsFunc(r.stdout+r.stderr, func(c rune) bool { return c == ' ' }), " ")
		for _, words := range d.says {
			if !strings.Contains(text, words) {
				t.Errorf("does not say %q\n%s%s", words, r.stdout, r.stderr)
			}
		}
		for _, words := range d.not {
			if strings.Contains(text, words) {
				t.Errorf("says %q\n%s%s", words, r.stdout, r.stderr)
			}
		}
		if d.code < 126 {
			checkJSON(t, filepath.Join(dir, "prog"), d.code)
		}
	})
}

// checkJSON reads the form for tools, which has to agree with the exit code.
func checkJSON(t *testing.T, program string, code int) {
	t.Helper()
	r := runTool(t, "ampirun", "--json", "--diagnose", program)
	r.expectCode(t, code)
	var report diagnose.Report
	if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
		t.Fatalf("%v\n%s", err, r.stdout)
	}
	if report.Program != program || report.Runs() != (code == 0) {
		t.Errorf("%s: refusal %q\n%s", report.Program, report.Refusal, r.stdout)
	}
}

// TestDiagnoseAgrees runs what was said to run, with each method.
func TestDiagnoseAgrees(t *testing.T) {
	t.Parallel()
	for _, source := range []string{langDir + "/globals.c", langDir + "/iostreams.cpp", langDir + "/fortran_state.f90", ownDir + "/hello.c"} {
		prog := program(t, source)
		r := runTool(t, "ampirun", "--json", "--diagnose", prog)
		var report diagnose.Report
		if err := json.Unmarshal([]byte(r.stdout), &report); err != nil {
			t.Fatal(err)
		}
		for _, m := range report.Methods {
			run := job{program: prog, workers: 1, ranks: 1, flags: []string{"+privatize", m.Name}}.run(t)
			refused := m.Refusal != ""
			if refused != (run.code == 2) || refused && !strings.Contains(run.stderr, m.Refusal) {
				t.Errorf("%s: said to be refused by %s: %q; ends with %d\n%s", source, m.Name, m.Refusal, run.code, run.output())
			}
		}
	}
}
