package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ampirun/privatize"
)

// exception is a program that a method does not serve as pie does.
type exception struct {
	method, file string
	code         int    // 2: it is refused
	says         string // "" where it goes wrong as docs/porting.md tells
	why          string
}

// exceptions are of the programs of testdata/lang and of those of testdata/mpi that TestMethodsRun takes. One that begins to pass does
// not belong here any more.
var exceptions = []exception{
	{"fs", "bindings.cpp", 2, "which libraries do not see under +privatize fs", "a library that uses what the program defines"},
	{"fs", "children.c", 2, "__environ", "a copy of the C library's environ, which setenv in the library would not see"},
	{"fs", "carried.c", 1, "FAILED carried", "ranks share libraries"},
	{"fs", "dynamic.c", 1, "FAILED dynamic", "ranks share libraries"},
	{"fs", "environment.c", 2, "__timezone", "a copy of a variable that the library changes"},
	{"fs", "fortran_state.f90", 0, "", "units of Fortran are the library's, which ranks share"},
	{"fs", "libc_state.c", 0, "", "ranks share the C library"},
	{"fs", "openmp.c", 2, "OpenMP", "threads of libgomp would be those of all ranks"},
	{"fs", "plugins.c", 1, "undefined symbol", "plug-ins do not see what the program defines"},
	{"fs", "plugins.cpp", 0, "", "ranks share libraries"},
	{"fs", "plugins_fault.c", 139, "SIGSEGV", "names of functions in libraries are ld.so's"},
	{"fs", "threads_openmp.c", 2, "OpenMP", "threads of libgomp would be those of all ranks"},
	{"fs", "twolibs.c", 2, "under +privatize fs", "a copy of a variable that the library changes, or else a library that uses what the program defines"},
	{"pip", "plugins.c", 1, "undefined symbol", "plug-ins do not see what the program defines"},
	{"pip", "plugins_fault.c", 139, "SIGSEGV", "names of functions in libraries are ld.so's"},
}

func findException(method, file string) *exception {
	for i := range exceptions {
		if e := &exceptions[i]; e.method == method && e.file == file {
			return e
		}
	}
	return nil
}

// withoutGlobals are programs whose ranks get along without variables of their own.
var withoutGlobals = []string{"f_collectives.f90", "f_p2p.f90", "f_topologies.f90", "f_types.f90", "f08_sections.f90"}

// notOfMethods are programs of testdata/lang on what ld.so does with libraries, the C library's heap and the process: docs/porting.md tells
// what differs under fs and pip.
var notOfMethods = []string{"cxx_libraries.cpp", "cxx_library.cpp", "exit_order.c", "fortran_library.f90", "itself.c", "library_maps.c",
	"mapped_files.c", "memory_calls.c", "openmp.f90", "processes.c"}

// ofLang are the programs of testdata/lang that methods with private variables run.
func ofLang(t *testing.T) []row {
	return slices.DeleteFunc(langManifest(t), func(r row) bool {
		return slices.Contains(notOfMethods, r.file) || findRefusal(r.file) != nil
	})
}

// ofMPI are the programs of testdata/mpi that every method with private variables has to run.
var ofMPI = []string{"attributes.c", "barrier.c", "cart.c", "coll_inter.c", "comm_split.c", "cxx_callbacks.cpp", "cxx_messages.cpp", "errhandler.c",
	"f08_callbacks.f90", "f77.f", "f_collectives.f90", "f_objects.f90", "icoll_order.c", "mprobe.c", "ordering.c", "persistent.c", "sizes.c", "threads_sync.c",
	"truncate.c", "user_ops.c", "wildcards.c"}

// TestMethodsRun runs what is ordinary under the methods that ld.so has a part in, and what can do without variables of its own under the
// others. Two workers have four ranks.
func TestMethodsRun(t *testing.T) {
	t.Parallel()
	for _, m := range privatize.Methods() {
		f := m.Facts()
		if f.Name == "pie" { // all other tests
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			if !f.Globals {
				runWithoutGlobals(t, f.Name)
				return
			}
			each(t, ofLang(t), func(r row) string { return r.file }, func(t *testing.T, r row) { runLangBy(t, f.Name, r) })
			each(t, ofMPI, strings.Clone, func(t *testing.T, file string) { runMPIBy(t, f.Name, file) })
			for _, name := range examples {
				if !f.LibC && name != "particles" {
					continue // they look whether random numbers and Fortran units are their own
				}
				r := job{program: example(t, name), workers: 2, ranks: 8, flags: by(f.Name)}.run(t)
				r.expectCode(t, 0)
				r.expectStdout(t, expected(t, name))
			}
		})
	}
}

func by(method string) []string { return []string{"+privatize", method} }

func runWithoutGlobals(t *testing.T, method string) {
	for _, file := range withoutGlobals {
		runMPIBy(t, method, file)
	}
	if method == "tls" {
		r := job{program: program(t, methodsDir+"/tagged.c"), workers: 2, ranks: 64, flags: by(method)}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS tagged\n")
	}
}

func runMPIBy(t *testing.T, method, file string) {
	t.Helper()
	r := job{program: program(t, filepath.Join(mpiDir, file), "-O1"), workers: 2, ranks: 4, flags: by(method)}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS "+row{file: file}.name()+"\n")
}

func runLangBy(t *testing.T, method string, r row) {
	path := program(t, filepath.Join(langDir, r.file))
	got := job{program: path, workers: 2, ranks: 4, dir: filepath.Dir(path), flags: by(method)}.run(t)
	e := findException(method, r.file)
	switch {
	case e == nil:
		got.expectRow(t, r)
	case e.code == 0:
		got.expectFailure(t)
	default:
		got.expectCode(t, e.code)
		got.expectSays(t, e.says)
	}
}

// TestMethodsMove has ranks that ld.so has loaded go from worker to worker while they run.
func TestMethodsMove(t *testing.T) {
	t.Parallel()
	moves := 0
	for _, file := range []string{"icoll_order.c", "comm_churn.c", "f08_callbacks.f90"} {
		r := job{program: program(t, filepath.Join(mpiDir, file), "-O1"), workers: 2, ranks: 33, flags: append(by("fs"), "+stats"), env: []string{"AMPI_SHUFFLE=100us"}}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS "+row{file: file}.name()+"\n")
		moves += movesIn(r.stderr)
	}
	if moves == 0 {
		t.Error("no rank has moved")
	}
}

// movesIn adds up the last column of +stats.
func movesIn(text string) (sum int) {
	_, table, _ := strings.Cut(text, "moves\n")
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			break
		}
		n, _ := strconv.Atoi(fields[len(fields)-1])
		sum += n
	}
	return sum
}

// TestMethodsUnclosed checks that files which a Fortran program leaves open are written, also where the library's end is not a rank's.
func TestMethodsUnclosed(t *testing.T) {
	t.Parallel()
	each(t, []string{"pie", "pip", "fs"}, strings.Clone, func(t *testing.T, method string) {
		dir := t.TempDir()
		job{program: program(t, methodsDir+"/unclosed.f90"), workers: 2, ranks: 4, dir: dir, flags: by(method)}.run(t).expectCode(t, 0)
		for rank := range 4 {
			text, _ := os.ReadFile(filepath.Join(dir, fmt.Sprintf("out.%d", rank)))
			if want := fmt.Sprintf("line of %d\n", rank); string(text) != want {
				t.Errorf("%s: rank %d has written %q, want %q", method, rank, text, want)
			}
		}
	})
}

// TestExceptionsHaveRows keeps the list of exceptions to programs that are run.
func TestExceptionsHaveRows(t *testing.T) {
	t.Parallel()
	rows := langManifest(t)
	for _, e := range exceptions {
		if !slices.Contains(ofMPI, e.file) && !slices.ContainsFunc(rows, func(r row) bool { return r.file == e.file }) {
			t.Errorf("%s: %s is not run", e.method, e.file)
		}
	}
}

// TestStandardABIMethods runs a program that was built elsewhere with every method. Globals of its ranks are shared under some.
func TestStandardABIMethods(t *testing.T) {
	t.Parallel()
	path := abiProgram(t, methodsDir+"/tagged.c")
	globals := abiProgram(t, langDir+"/globals.c")
	each(t, privatize.Methods(), func(m privatize.Method) string { return m.Facts().Name }, func(t *testing.T, m privatize.Method) {
		f := m.Facts()
		ranks := 6
		if !f.Tagged {
			ranks = 2 // one for each worker
		}
		r := job{program: path, workers: 2, ranks: ranks, flags: by(f.Name)}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS tagged\n")
		r = job{program: globals, workers: 2, ranks: 6, flags: by(f.Name)}.run(t)
		if !f.Globals {
			r.expectFailure(t)
			return
		}
		r.expectCode(t, 0)
		r.expectSays(t, "PASS globals\n")
	})
}
