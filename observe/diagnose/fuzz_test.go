package diagnose

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampirun/internal/abi"
	"ampirun/privatize"
)

// build compiles a C source given as text and returns the program's path.
func build(t testing.TB, text string, flags ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "prog")
	cmd := exec.Command("gcc", append([]string{"-w", "-xc", "-", "-o", out}, flags...)...)
	cmd.Stdin = strings.NewReader(text)
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("gcc %v: %v\n%s", flags, err, b)
	}
	return out
}

// fake is a runtime that serves two functions, and whose loader finds the C library alone.
func fake(libraries []privatize.Library) Runtime {
	return Runtime{
		ABIs:      abi.Known,
		Functions: []Function{{"MPI_Send", true}, {"MPI_Recv", true}, {"MPI_Open_port", false}},
		Options:   privatize.Options{TLSReserve: 1 << 16, Fallback: func(string) uintptr { return 1 << 20 }},
		Libraries: func(string, []string) ([]privatize.Library, error) { return libraries, nil },
	}
}

// FuzzExamine gives foreign bytes for a program. Nothing may panic, what is printed holds nothing that a terminal takes for a command, and
// the JSON form is whole.
func FuzzExamine(f *testing.F) {
	const text = `int MPI_Send(int); extern int MPI_Open_port(int); int big[1000] = {1}; __thread int local = 3; static char zero[99];
int main(int c, char **v) { void *p = fork; return MPI_Send(c) + big[c] + local + zero[c]; }`
	for _, flags := range [][]string{
		{"-rdynamic", "-Dfork=main", "-Wl,--unresolved-symbols=ignore-all"}, {"-s", "-Dfork=main", "-Wl,--unresolved-symbols=ignore-all"},
		{"-no-pie", "-Dfork=main", "-Wl,--unresolved-symbols=ignore-all"}, {"-shared", "-fPIC", "-g", "-Dfork=main"},
	} {
		b, err := os.ReadFile(build(f, text, flags...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte("#!/bin/sh\n"))
	path := filepath.Join(f.TempDir(), "fuzz")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o755); err != nil {
			t.Fatal(err)
		}
		r := Examine(path, nil, fake(nil))
		var out strings.Builder
		r.Print(&out)
		if i := strings.IndexFunc(out.String(), func(c rune) bool { return c < ' ' && c != '\n' || c == 0x7f }); i >= 0 {
			t.Errorf("prints %q", out.String()[i:min(len(out.String()), i+20)])
		}
		var form strings.Builder
		if err := r.JSON(&form); err != nil || !json.Valid([]byte(form.String())) {
			t.Errorf("JSON: %v", err)
		}
	})
}

// TestHostileNames has commands for a terminal in the names of a library and a symbol.
func TestHostileNames(t *testing.T) {
	prog := build(t, "int XXXXXXXX[100]; int main(void) { return XXXXXXXX[1]; }", "-rdynamic")
	b, err := os.ReadFile(prog)
	if err != nil {
		t.Fatal(err)
	}
	b = []byte(strings.NewReplacer("XXXXXXXX", "\x1b[2J\nabc", "libc.so.6", "lib\x1b]0;.6").Replace(string(b)))
	if err := os.WriteFile(prog, b, 0o755); err != nil {
		t.Fatal(err)
	}
	r := Examine(prog, nil, fake(nil))
	var out strings.Builder
	r.Print(&out)
	if strings.ContainsRune(out.String(), 0x1b) || strings.Contains(out.String(), "\nabc") || !strings.Contains(out.String(), "?[2J?abc 400") {
		t.Errorf("printed:\n%q", out.String())
	}
	if err := r.JSON(io.Discard); err != nil {
		t.Error(err)
	}
}

func TestSize(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 1023: "1023", 1024: "1.0K", 1 << 20: "1.0M", 100 << 20: "100.0M", 1 << 30: "1.0G", 1 << 63: "8388608.0T"} {
		if got := size(n); got != want {
			t.Errorf("%d bytes are %s, want %s", n, got, want)
		}
	}
}

func TestFortranNames(t *testing.T) {
	c := newCalls([]Function{{"MPI_Send", true}, {"MPI_Type_create_f90_integer", true}, {"MPI_Send_c", true}})
	for symbol, want := range map[string]string{
		"MPI_Send": "MPI_Send", "PMPI_Send": "MPI_Send", "mpi_send_": "MPI_Send", "pmpi_send_": "MPI_Send", "mpi_send_f08ts_": "MPI_Send",
		"mpi_send_f08_": "MPI_Send", "mpi_send_c_f08ts_": "MPI_Send_c", "mpi_type_create_f90_integer_": "MPI_Type_create_f90_integer",
		"mpi_send": "", "MPI_Nothing": "", "send_": "", "P": "", "_": "", "mpi__": "",
	} {
		if got := c.cName(symbol); got != want {
			t.Errorf("%s is %q, want %q", symbol, got, want)
		}
	}
}

// TestHostileFiles puts large and odd numbers into headers and tables.
func TestHostileFiles(t *testing.T) {
	good, err := os.ReadFile(build(t, "int big[1000] = {1}; __thread int local = 3; int main(int c, char **v) { return big[c] + local; }", "-rdynamic", "-g"))
	if err != nil {
		t.Fatal(err)
	}
	numbers := []uint64{0, 1, 7, 0xfff, 0x1000, 0x4008, 1 << 31, 1<<32 - 1, 1 << 40, 1 << 62, 1<<64 - 8, 1<<64 - 1}
	rnd := rand.New(rand.NewPCG(4, 2))
	path := filepath.Join(t.TempDir(), "hostile")
	for range 400 {
		b := slices.Clone(good)
		for range 1 + rnd.IntN(4) {
			area := [][2]int{{16, 48}, {64, 13 * 56}, {0x300, 0x500}, {len(b) - 0x900, 0x800}, {0x2d00, 0x300}}[rnd.IntN(5)]
			at := area[0] + rnd.IntN(area[1]/4)*4
			n := numbers[rnd.IntN(len(numbers))]
			if rnd.IntN(2) == 0 && at+8 <= len(b) {
				binary.LittleEndian.PutUint64(b[at:], n)
			} else {
				binary.LittleEndian.PutUint32(b[at:], uint32(n))
			}
		}
		if err := os.WriteFile(path, b, 0o755); err != nil {
			t.Fatal(err)
		}
		Examine(path, nil, fake(nil)).Print(io.Discard)
	}
}

func TestVariableNames(t *testing.T) {
	for symbol, want := range map[string]string{
		"grid": "grid", "_ZL4grid": "grid", "_ZN3app4gridE": "app::grid", "_ZN12_GLOBAL__N_15tableE": "(anonymous)::table", "_ZSt4cout@GLIBCXX_3.4": "std::cout",
		"_ZN3appL6hiddenE": "app::hidden", "_ZZ4mainE5count": "_ZZ4mainE5count", "_ZN1AIiE1xE": "_ZN1AIiE1xE", "_ZStL8__ioinit": "std::__ioinit",
		"_Z": "_Z", "_ZN": "_ZN", "_ZNE": "_ZNE", "_ZL9999999999999999999x": "_ZL9999999999999999999x", "_Z4gridE": "_Z4gridE", "_ZN4grid": "_ZN4grid", "_ZL5grid": "_ZL5grid", "": "",
	} {
		if got := variableName(symbol); got != want {
			t.Errorf("%s is called %s, want %s", symbol, got, want)
		}
	}
}
