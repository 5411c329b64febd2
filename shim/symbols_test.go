package shim_test

import (
	"debug/elf"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"ampirun/shim"
)

// symbolsOf maps the defined symbols of an ELF file's table to their binding.
func symbolsOf(t *testing.T, path string) map[string]elf.SymBind {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]elf.SymBind{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			found[s.Name] = elf.ST_BIND(s.Info)
		}
	}
	return found
}

func TestEveryFunctionIsDefinedAndReplaceable(t *testing.T) {
	symbols := symbolsOf(t, link(t, "gcc", "mismatch.c"))
	for f := shim.Function(0); int(f) < shim.Count; f++ {
		name := f.String()
		if b, ok := symbols["P"+name]; !ok || b != elf.STB_GLOBAL {
			t.Errorf("P%s is not a global function", name)
		}
		if b, ok := symbols[name]; !ok || b != elf.STB_WEAK {
			t.Errorf("%s is not weak", name)
		}
	}
}

var declaredProcedure = regexp.MustCompile(`(?m)^ +(?:subroutine|function|elemental logical function) (\w+)|^ +procedure\(\w+\) :: (P?MPI_\w+)$`)

// Every procedure that the modules declare has to be there to link with.
func TestEveryFortranProcedureIsDefined(t *testing.T) {
	symbols := symbolsOf(t, link(t, "gcc", "mismatch.c"))
	for module, atLeast := range map[string]int{"mpi": 900, "mpi_f08": 1200, "mpi_f08_types": 22} {
		source, err := shim.Files.ReadFile("fortran/" + module + ".f90")
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(source), "abstract interface")
		_, rest, _ := strings.Cut(string(source), "abstract interface")
		_, rest, _ = strings.Cut(rest, "end interface")
		declared := declaredProcedure.FindAllStringSubmatch(text+rest, -1)
		if len(declared) < atLeast {
			t.Errorf("the module %s declares only %d procedures", module, len(declared))
		}
		for _, m := range declared {
			if name := strings.ToLower(m[1]+m[2]) + "_"; symbols[name] == 0 {
				t.Errorf("%s is declared in the module %s and not defined", name, module)
			}
		}
	}
}

func TestFunctionNames(t *testing.T) {
	for f, want := range map[shim.Function]string{
		shim.FnAbort: "MPI_Abort", shim.FnSend: "MPI_Send", shim.FnBcastC: "MPI_Bcast_c",
		shim.FnTInitThread: "MPI_T_init_thread", shim.FnWtime: "MPI_Wtime", shim.Count: fmt.Sprintf("Function(%d)", shim.Count),
	} {
		if f.String() != want {
			t.Errorf("function %d is %s, want %s", int(f), f, want)
		}
	}
}

func TestTableOfAnotherBuildIsRefused(t *testing.T) {
	got := command(t, link(t, "gcc", "mismatch.c"))
	want := fmt.Sprintf(`nothing: what ampirun handed over is not a function table
magic: what ampirun handed over is not a function table
version: program was built with shim version %d, this ampirun has %d: rebuild it with ampicc
hash: program was built with shim hash %016x, this ampirun has 0000000000000001: rebuild it with ampicc
count: program was built with shim hash %016x, this ampirun has %016x: rebuild it with ampicc
size: program was built with shim hash %016x, this ampirun has %016x: rebuild it with ampicc
good: taken
`, shim.Version, shim.Version+1, shim.Hash, shim.Hash, shim.Hash, shim.Hash, shim.Hash)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestProgramStartedWithoutAmpirun(t *testing.T) {
	program := link(t, "gcc", "override.c")
	out, err := exec.Command(program).CombinedOutput()
	if code := err.(*exec.ExitError).ExitCode(); code != 2 {
		t.Errorf("exit code %d, want 2", code)
	}
	if want := "ampirun: this program must be started with: ampirun +vp N ./prog\n"; !strings.HasSuffix(string(out), want) {
		t.Errorf("printed %q, want %q", out, want)
	}
}

func TestUsersFunctionWins(t *testing.T) {
	got := command(t, link(t, "gcc", "override.c", "record.c"))
	want := "profiled\nsend 1.25 1 214 2 3 101\nprofiled\nsend 1.25 1 214 1 1 101\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestUsersFortranProcedureWins(t *testing.T) {
	got := command(t, link(t, "gfortran", "override.f90", "record.c"))
	if want := "profiled in Fortran\ninit 1 1\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUsersF08ProcedureWins(t *testing.T) {
	got := command(t, link(t, "gfortran", "override_f08.f90", "record.c"))
	want := `profiled init
init 1 1
profiled send of 0 dimensions, with ierror: F
send 1.25 1 21c 2 3 101
profiled send of 2 dimensions, with ierror: T
send 2.5 9 21c 2 4 102
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
