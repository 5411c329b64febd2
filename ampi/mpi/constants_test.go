package mpi_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// standard reads the values of the standard's constants, by their names without prefix, underscores and case.
func standard(t *testing.T) map[string]int64 {
	data, err := os.ReadFile("../../shim/data/constants.tsv")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile("../../shim/data/constants-ours.tsv")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, ours...)
	value := regexp.MustCompile(`^A?(MPI_\w+)\t(?:\(\(\w+\))?(-?(?:0x)?[0-9a-fA-F]+)\)?$`)
	all := map[string]int64{}
	for _, line := range strings.Split(string(data), "\n") {
		if m := value.FindStringSubmatch(line); m != nil {
			v, err := strconv.ParseInt(m[2], 0, 64)
			if err != nil {
				t.Fatal(err)
			}
			all[plain(strings.TrimPrefix(m[1], "MPI_"))] = v
		}
	}
	return all
}

func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// spelled are our names of constants whose standard name starts with a digit.
var spelled = map[string]string{
	"intint": "2int", "realreal": "2real", "doubledoubleprecision": "2doubleprecision", "integerinteger": "2integer",
}

func lookup(all map[string]int64, name string) (int64, bool) {
	name = plain(name)
	if v, ok := all[name]; ok {
		return v, true
	}
	name = strings.TrimPrefix(name, "type")
	if s, ok := spelled[name]; ok {
		name = s
	}
	v, ok := all[name]
	return v, ok
}

func TestConstantsAreTheStandards(t *testing.T) {
	all := standard(t)
	file, err := parser.ParseFile(token.NewFileSet(), "constants.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		name, text := spec.Names[0].Name, ""
		switch v := spec.Values[0].(type) {
		case *ast.BasicLit:
			text = v.Value
		case *ast.UnaryExpr:
			text = v.Op.String() + v.X.(*ast.BasicLit).Value
		}
		ours, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want, ok := lookup(all, name)
		if !ok || ours != want {
			t.Errorf("%s is %d, the standard has %d (known: %v)", name, ours, want, ok)
		}
		checked++
		return true
	})
	if checked < 150 {
		t.Errorf("only %d constants found", checked)
	}
}
