package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestVariablesAreFresh(t *testing.T) {
	var want bytes.Buffer
	printVariables(&want)
	got, err := os.ReadFile(filepath.Join("..", "..", "docs", "variables.md"))
	if err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("docs/variables.md is stale (%v): go run ./cmd/ampirun --docs-variables > docs/variables.md", err)
	}
}

// Where names of variables stand: what is looked up, literals with our prefix or that of a launcher, and what scripts expand.
var (
	inLookups  = regexp.MustCompile(`(?:os\.Getenv|os\.LookupEnv|getenv|secure_getenv|\bvariable)\("([A-Z][A-Z0-9_]*)"`)
	inLiterals = regexp.MustCompile(`"((?:AMPI|PMI|OMPI_COMM_WORLD)_[A-Z_]+)[="]`)
	inScripts  = regexp.MustCompile(`\$\{?(AMPI_[A-Z_]+)|\b(AMPI_[A-Z_]+)=`)
)

// TestEveryVariableIsInTheTable reads all sources: what is not in the table is a macro of MPI's headers, or a test's word to its own child.
func TestEveryVariableIsInTheTable(t *testing.T) {
	known := []string{"AMPI_SKIP_MPICXX", "ISO_TEST_LIMITED"}
	for _, g := range variables {
		for _, v := range g.variables {
			known = append(known, v.names...)
		}
	}
	found := map[string]string{}
	eachSource(t, func(path string, text []byte) {
		patterns := []*regexp.Regexp{inScripts}
		if ext := filepath.Ext(path); ext == ".go" {
			patterns = []*regexp.Regexp{inLiterals, inLookups}
		} else if slices.Contains([]string{".c", ".h", ".cc"}, ext) {
			patterns = []*regexp.Regexp{inLookups}
		}
		for _, p := range patterns {
			for _, m := range p.FindAllSubmatch(text, -1) {
				found[string(bytes.Join(m[1:], nil))] = path
			}
		}
	})
	for name, path := range found {
		if !slices.Contains(known, name) {
			t.Errorf("%s has %s, which is not in the table of cmd/ampirun/variables.go", path, name)
		}
	}
	for _, name := range known {
		if found[name] == "" && strings.HasPrefix(name, "AMPI_") {
			t.Errorf("no source has %s", name)
		}
	}
}

// eachSource visits the sources of the project and its scripts. Programs that ranks run, and benchmarks that run other implementations,
// have variables of their own.
func eachSource(t *testing.T, visit func(path string, text []byte)) {
	root, n := filepath.Join("..", ".."), 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); path != root && strings.HasPrefix(name, ".") || slices.Contains([]string{"testdata", "examples", "bin", "build", "docs"}, name) {
				return filepath.SkipDir
			}
			return nil
		}
		script := filepath.Dir(path) == filepath.Join(root, "scripts")
		own := strings.HasPrefix(path, filepath.Join(root, "cmd", "ampirun", "variables"))
		if own || !script && !slices.Contains([]string{".go", ".c", ".h", ".cc"}, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		n++
		visit(path, text)
		return err
	})
	if err != nil || n < 500 {
		t.Fatal(n, err)
	}
}
