package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// row is a line of a manifest. Their columns are explained at their beginnings.
type row struct {
	file     string
	ranks    []int
	code     string // exit code of the job: "" (0), a number or "nonzero"
	mpich    string // where MPICH is not to be compared with
	says     string // "" for nothing in particular
	question string
}

func (r row) name() string { return strings.TrimSuffix(r.file, filepath.Ext(r.file)) }

// fits tells whether a program may be run with a number of ranks: any from the smallest on.
func (r row) fits(ranks int) bool { return ranks >= r.ranks[0] }

func mpiManifest(t *testing.T) []row {
	t.Helper()
	return readManifest(t, mpiDir, 4, func(f []string) row { return row{mpich: f[2], question: f[3]} })
}

func langManifest(t *testing.T) []row {
	t.Helper()
	return readManifest(t, langDir, 6, func(f []string) row {
		return row{code: f[2], mpich: f[3], says: strings.TrimPrefix(f[4], "-"), question: f[5]}
	})
}

// readManifest reads the rows of the programs.txt in dir; the first two columns are the same everywhere.
func readManifest(t *testing.T, dir string, columns int, rest func(fields []string) row) (rows []row) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "programs.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		fields := splitRow(strings.TrimSpace(line), columns)
		if len(fields) < columns {
			t.Fatalf("%s/programs.txt: a row with %d columns: %s", dir, len(fields), line)
		}
		r := rest(fields)
		r.file, r.ranks = fields[0], numbers(t, fields[1])
		rows = append(rows, r)
	}
	return rows
}

// splitRow cuts a row into columns; the last takes all that is left.
func splitRow(line string, columns int) (fields []string) {
	for len(fields) < columns-1 && line != "" {
		var field string
		if quoted, isQuoted := strings.CutPrefix(line, `"`); isQuoted {
			field, line, _ = strings.Cut(quoted, `"`)
		} else {
			field, line, _ = strings.Cut(line, " ")
		}
		fields = append(fields, field)
		line = strings.TrimLeft(line, " \t")
	}
	return append(fields, line)
}

func numbers(t *testing.T, list string) (all []int) {
	t.Helper()
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("manifest: %q is no list of numbers", list)
		}
		all = append(all, n)
	}
	return all
}

// TestManifests checks that each program has a row and each row a program.
func TestManifests(t *testing.T) {
	t.Parallel()
	parts := []string{"plugin.c", "libone.c", "libtwo.c", "plugins_needed.c", "plugins_open.c", "plugins_thrower.cpp", "cxx_libraries_part.cpp", "carried_part.c"}
	for dir, rows := range map[string][]row{mpiDir: mpiManifest(t), langDir: langManifest(t)} {
		var listed []string
		for _, r := range rows {
			listed = append(listed, r.file)
		}
		found, _ := filepath.Glob(dir + "/*.[cf]*")
		for _, path := range found {
			if name := filepath.Base(path); !slices.Contains(listed, name) && !slices.Contains(parts, name) {
				t.Errorf("%s: not in programs.txt", path)
			}
		}
		for _, name := range listed {
			if !slices.Contains(found, filepath.Join(dir, name)) {
				t.Errorf("%s/%s: in programs.txt, but not there", dir, name)
			}
		}
	}
}
