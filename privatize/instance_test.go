package privatize

import (
	"fmt"
	"path/filepath"
	"testing"
)

// runRanks runs n ranks of a program with arguments (rank, file) and checks exit code 40+rank and the file.
func runRanks(t *testing.T, p *Program, n int, want string) {
	t.Helper()
	ranks, _ := mapSlices(t, n)
	dir := t.TempDir()
	for i, s := range ranks {
		start(t, p, s, fmt.Sprint(i), filepath.Join(dir, fmt.Sprint(i)))
	}
	for i, code := range finish(ranks) {
		if code != 40+i {
			t.Errorf("rank %d ended with %d, want %d", i, code, 40+i)
			continue
		}
		if got, want := read(t, filepath.Join(dir, fmt.Sprint(i))), fmt.Sprintf(want, i, 5+i, 1.5*float64(i)); got != want {
			t.Errorf("rank %d wrote %q, want %q", i, got, want)
		}
	}
}

func TestHelloC(t *testing.T) {
	p := load(t, compile(t, "hello", "-O1", "hello.c"))
	runRanks(t, p, 3, "rank %d counter %d %.2f\n")
}

func TestCxx(t *testing.T) {
	p := load(t, compile(t, "cxx", "-O1", "cxx.cc"))
	runRanks(t, p, 3, "rank %d counter %d %.4g\nlast %[2]d\n")
}

func TestFortran(t *testing.T) {
	p := load(t, compile(t, "fortran", "-O1", "fortran.f90"))
	runRanks(t, p, 3, "rank %d counter %d %.2f\n")
}

func TestLibcState(t *testing.T) {
	p := load(t, compile(t, "libcstate", "-O1", "-fstack-protector-strong", "libcstate.c", "-lm"))
	runRanks(t, p, 4, ranksLine)
}
