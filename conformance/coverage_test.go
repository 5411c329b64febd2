package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// mpiFunctions is how many functions the MPI 5.0 standard has in C.
const mpiFunctions = 664

// coverage is what ampirun --coverage says.
func coverage(t *testing.T) (served, unserved []string) {
	t.Helper()
	r := runTool(t, "ampirun", "--coverage")
	r.expectCode(t, 0)
	titles := regexp.MustCompile(`(?m)^(not )?served: (\d+) of (\d+)$`).FindAllStringSubmatchIndex(r.stdout, -1)
	if len(titles) != 2 {
		t.Fatalf("%s: %s", r.what, r.output())
	}
	names := regexp.MustCompile(`(?m)^  (MPI_\w+)`)
	for _, m := range names.FindAllStringSubmatch(r.stdout[:titles[1][0]], -1) {
		served = append(served, m[1])
	}
	for _, m := range names.FindAllStringSubmatch(r.stdout[titles[1][0]:], -1) {
		unserved = append(unserved, m[1])
	}
	for i, list := range [][]string{served, unserved} {
		if says := fmt.Sprintf("served: %d of %d\n", len(list), mpiFunctions); !strings.Contains(r.stdout[titles[i][0]:], says) {
			t.Errorf("%s: want %q: %s", r.what, says, short(r.stdout))
		}
	}
	return served, unserved
}

// TestCoverage checks that every function of the standard is listed once.
func TestCoverage(t *testing.T) {
	t.Parallel()
	served, unserved := coverage(t)
	seen := map[string]bool{}
	for _, name := range append(served, unserved...) {
		if seen[name] {
			t.Errorf("%s is listed twice", name)
		}
		seen[name] = true
	}
	if len(seen) != mpiFunctions {
		t.Errorf("%d functions are listed, want %d", len(seen), mpiFunctions)
	}
	for _, p := range prototypes(t) {
		delete(seen, p.name)
	}
	for name := range seen {
		t.Errorf("%s is listed and not in mpi.h", name)
	}
}

// prototype is a function that mpi.h declares.
type prototype struct {
	result, name string
	parameters   []string
}

var prototypeText = regexp.MustCompile(`(?m)^(\w[\w *]*?)\b(MPI_\w+)\((.*)\);$`)

func prototypes(t *testing.T) (all []prototype) {
	t.Helper()
	text, err := os.ReadFile(root + "/shim/include/mpi.h")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range prototypeText.FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(m[1], "typedef") {
			all = append(all, prototype{strings.TrimSpace(m[1]), m[2], strings.Split(m[3], ", ")})
		}
	}
	return all
}

// call writes a call with harmless arguments: MPI_COMM_WORLD for communicators, zeros for the rest.
func (p prototype) call() string {
	var args []string
	for _, parameter := range p.parameters {
		switch {
		case parameter == "void":
		case strings.HasPrefix(parameter, "MPI_Comm ") && !strings.ContainsAny(parameter, "*["):
			args = append(args, "MPI_COMM_WORLD")
		default:
			args = append(args, "0")
		}
	}
	return p.name + "(" + strings.Join(args, ", ") + ")"
}

// TestUnserved calls every function that is not served: each must return MPI_ERR_UNSUPPORTED_OPERATION when errors are
// returned. None may do nothing and say that all is well.
func TestUnserved(t *testing.T) {
	t.Parallel()
	r := job{program: programOf(t, "unserved.c", unservedCalls(t)), workers: 1, ranks: 1}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS unserved\n")
}

// TestUnservedFatal checks that without an error handler the job ends and the function is named.
func TestUnservedFatal(t *testing.T) {
	t.Parallel()
	_, unserved := coverage(t)
	if len(unserved) == 0 {
		t.Skip("all functions are served")
	}
	path := programOf(t, "unserved.c", unservedCalls(t))
	for _, name := range []string{unserved[0], unserved[len(unserved)-1]} {
		r := job{program: path, args: []string{name}, workers: 2, ranks: 4}.run(t)
		r.expectFailure(t)
		r.expectSays(t, name, "MPI_ERR_UNSUPPORTED_OPERATION")
	}
}

// unservedCalls is a program text that calls what is not served: all of it with errors returned, or the one function
// that is its argument with errors fatal.
func unservedCalls(t *testing.T) string {
	_, unserved := coverage(t)
	isUnserved := map[string]bool{}
	for _, name := range unserved {
		isUnserved[name] = true
	}
	var calls strings.Builder
	for _, p := range prototypes(t) {
		if isUnserved[p.name] && p.result == "int" {
			fmt.Fprintf(&calls, "\tif (wanted(\"%s\"))\n\t\tcheck(\"%s\", %s);\n", p.name, p.name, p.call())
		} else if isUnserved[p.name] {
			t.Errorf("%s: %s %s(%s) has no error code and is not served", root, p.result, p.name, strings.Join(p.parameters, ", "))
		}
	}
	text, err := os.ReadFile(ownDir + "/unserved.c.in")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(string(text), "@CALLS@", calls.String(), 1)
}

// programOf compiles a program text.
func programOf(t *testing.T, name, text string) string {
	t.Helper()
	source := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return program(t, source)
}
