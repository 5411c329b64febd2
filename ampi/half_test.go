package ampi

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What half.h computes is what compilers with _Float16 compute.
func TestHalfPrecision(t *testing.T) {
	program := filepath.Join(t.TempDir(), "half")
	out, err := exec.Command("gcc", "-O1", "-Wall", "-Wextra", "-Werror", "-I..", "testdata/half.c", "-o", program).CombinedOutput()
	if strings.Contains(string(out), "_Float16") {
		t.Skip("gcc has no _Float16 to compare with")
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := exec.Command(program).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
