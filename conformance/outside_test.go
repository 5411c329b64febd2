package conformance

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// anytime are the functions that may be called before MPI_Init and after MPI_Finalize (MPI 5.0 section 11.4.1), and those
// that work on their arguments alone, which does no harm. Those that take handles may still find these wrong.
var anytime = regexp.MustCompile(`^MPI_(Abi_\w+|Initialized|Finalized|Get_(library_)?version|Info_\w+|Session_\w+|Errhandler_free|` +
	`Get_(count|elements)\w*|Get_(address|processor_name|hw_resource_info)|Test_cancelled|Group_from_session_pset|` +
	`(Add|Remove)_error_\w+|Error_(class|string)|(Comm|Win|File)_create_errhandler|Init|Init_thread|Pcontrol|Status_\w+|\w+_call_errhandler)$`)

// TestOutside calls every served function before MPI_Init and after MPI_Finalize, each in a job of its own: it must say so, by
// name, and end the job. None may crash.
func TestOutside(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(ownDir + "/outside.c.in")
	if err != nil {
		t.Fatal(err)
	}
	names, calls := outsideCalls(t)
	path := programOf(t, "outside.c", strings.Replace(string(text), "@CALLS@", calls, 1))
	each(t, names, func(name string) string { return name }, func(t *testing.T, name string) {
		for when, says := range map[string]string{"before": "it is called before MPI_Init", "after": "it is called after MPI_Finalize"} {
			if when == "after" && len(name)%4 != 0 {
				continue // both look at the same state: some will do
			}
			r := job{program: path, args: []string{name, when}, workers: 1, ranks: 1}.run(t)
			switch {
			case r.code == 0 && anytime.MatchString(name):
				r.expectSays(t, "back with")
			case anytime.MatchString(name):
				r.expectFailure(t)
				r.expectSays(t, name+" failed: ")
			default:
				r.expectFailure(t)
				r.expectSays(t, name+" failed: "+says)
			}
		}
	})
}

// outsideCalls lists the functions that are called, and writes the calls, with arguments that nothing is wrong with.
func outsideCalls(t *testing.T) (names []string, text string) {
	t.Helper()
	served, _ := coverage(t)
	for _, s := range signatures(t) {
		if !slices.Contains(served, s.name) || s.name == "MPI_Abort" {
			continue
		}
		names = append(names, s.name)
		text += fmt.Sprintf("\tif (!strcmp(name, %q))\n\t\treturn %s;\n", s.name, s.call(-1, ""))
	}
	return names, text
}
