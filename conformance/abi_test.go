package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStandardABI runs a program that was built without our wrappers against a library of the MPI 5 standard ABI, which
// is not there any more when it runs.
func TestStandardABI(t *testing.T) {
	dir := t.TempDir()
	buildABILibrary(t, dir)
	for _, file := range []string{"globals.c", "exit_abort.c"} {
		path := filepath.Join(dir, strings.TrimSuffix(file, ".c"))
		must(t, exec.Command("gcc", "-w", "-I", root+"/shim/include", filepath.Join(langDir, file), "-o", path, "-L", dir, "-lmpi_abi"))
	}
	if err := os.Remove(filepath.Join(dir, "libmpi_abi.so")); err != nil {
		t.Fatal(err)
	}
	for _, workers := range []int{1, 2} {
		good := job{program: filepath.Join(dir, "globals"), workers: workers, ranks: 16}.run(t)
		good.expectCode(t, 0)
		good.expectSays(t, "PASS globals\n")
		job{program: filepath.Join(dir, "exit_abort"), workers: workers, ranks: 4}.run(t).expectCode(t, 5)
	}
}

// buildABILibrary makes a library that has the names of all functions and none of their bodies.
func buildABILibrary(t *testing.T, dir string) {
	t.Helper()
	var text strings.Builder
	for _, p := range prototypes(t) {
		fmt.Fprintf(&text, "void %s(void) { __builtin_trap(); }\nvoid P%s(void) { __builtin_trap(); }\n", p.name, p.name)
	}
	source := filepath.Join(dir, "abi.c")
	if err := os.WriteFile(source, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	must(t, exec.Command("gcc", "-shared", "-fPIC", "-w", "-Wl,-soname,libmpi_abi.so.0", "-o", filepath.Join(dir, "libmpi_abi.so"), source))
}

func must(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := quiet(cmd); err != nil {
		t.Fatal(err)
	}
}
