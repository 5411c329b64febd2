package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	lineMarker  = regexp.MustCompile(`(?m)^# \d+ "(.*?)".*$`)
	stringText  = regexp.MustCompile(`"(\\.|[^"\\\n])*"`)
	cName       = regexp.MustCompile(`\bP?(MPI_\w+)`)
	fortranCall = regexp.MustCompile(`(?i)\bP?(MPI_\w+)\s*\(`)
)

// TestEveryFunctionIsCalled checks that the programs of testdata call every function that is served, its large-count form
// included. Calls with wrong arguments that other tests generate are not counted.
func TestEveryFunctionIsCalled(t *testing.T) {
	t.Parallel()
	called := map[string]bool{}
	for _, dir := range []string{mpiDir, langDir, ownDir} {
		for _, source := range glob(t, dir+"/*.c", dir+"/*.cpp") {
			addC(t, called, source)
		}
		for _, source := range glob(t, dir+"/*.f", dir+"/*.f90") {
			addFortran(t, called, source)
		}
	}
	served, _ := coverage(t)
	for _, name := range served {
		if !called[name] && !called[strings.ToLower(name)] {
			t.Errorf("%s is served, and no program calls it", name)
		}
	}
}

func glob(t *testing.T, patterns ...string) (all []string) {
	t.Helper()
	for _, pattern := range patterns {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

// addC adds the names in a C or C++ source and its own headers, after macros are expanded: many calls come from macros.
func addC(t *testing.T, called map[string]bool, source string) {
	t.Helper()
	args := []string{"-E", "-w", "-I", root + "/shim/include", source}
	text, err := exec.Command("cc", args...).Output()
	if err != nil {
		t.Fatalf("cc %s: %v", strings.Join(args, " "), err)
	}
	for _, part := range ownParts(string(text)) {
		for _, m := range cName.FindAllStringSubmatch(stringText.ReplaceAllString(part, `""`), -1) {
			called[m[1]] = true
		}
	}
}

// ownParts is what the preprocessor took from files of testdata directories.
func ownParts(text string) (parts []string) {
	markers := lineMarker.FindAllStringSubmatchIndex(text, -1)
	for i, m := range markers {
		end := len(text)
		if i+1 < len(markers) {
			end = markers[i+1][0]
		}
		if slices.Contains(strings.Split(text[m[2]:m[3]], "/"), "testdata") {
			parts = append(parts, text[m[1]:end])
		}
	}
	return parts
}

// addFortran adds what looks like a call in a Fortran source, in small letters. A generic name stands for the form with
// small counts only.
func addFortran(t *testing.T, called map[string]bool, source string) {
	t.Helper()
	text, err := os.ReadFile(source)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "!")
		for _, m := range fortranCall.FindAllStringSubmatch(line, -1) {
			called[strings.ToLower(m[1])] = true
		}
	}
}
