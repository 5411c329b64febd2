package conformance

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var costs = flag.String("costs", "", "a file to which the test and the processor seconds of each command that has been run are added")

// charge notes what a command that has ended, with all that it has waited for, has taken of the processor. By test:
//
//	go test ./conformance -costs costs; awk '{s[$1] += $2} END {for (t in s) print s[t], t}' costs | sort -rn
func charge(t *testing.T, of *os.ProcessState) {
	if *costs == "" || of == nil {
		return
	}
	name := "compiling"
	if t != nil {
		name, _, _ = strings.Cut(t.Name(), "/")
	}
	f, err := os.OpenFile(*costs, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintf(f, "%s %.3f\n", name, (of.UserTime() + of.SystemTime()).Seconds())
}
