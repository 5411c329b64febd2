package conformance

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const hello = ownDir + "/hello.c"

// memoryAim is what a small C rank may take besides text that all ranks share, in KiB.
const memoryAim = 128

// TestStats checks that +stats prints a row for each PE and each rank.
func TestStats(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, hello), workers: 2, ranks: 6, flags: []string{"+stats"}}.run(t)
	r.expectCode(t, 0)
	for _, row := range []string{`(?m)^ +0 .* 3$`, `(?m)^ +1 .* 3$`, `(?m)^ +rank +user s .* memory +moves$`, `(?m)^ +5 .* [KM]iB +\d+$`} {
		if !regexp.MustCompile(row).MatchString(r.stderr) {
			t.Errorf("%s: no row like %s\n%s", r.what, row, r.output())
		}
	}
	if strings.Count(r.stdout, "hello") != 6 {
		t.Errorf("%s: %s", r.what, r.output())
	}
}

// TestPinned checks that +stats says which ranks cannot move, and why.
func TestPinned(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, hello), workers: 2, ranks: 4, flags: []string{"+stats", "+privatize", "tls"}}.run(t)
	r.expectSays(t, "cannot move: under +privatize tls (ranks 0-3)")
	r = job{program: program(t, hello), workers: 2, ranks: 4, flags: []string{"+stats"}}.run(t)
	if strings.Contains(r.stderr, "cannot move") {
		t.Errorf("%s: ranks of a plain program are said to be unable to move\n%s", r.what, r.output())
	}
}

// TestMemory checks what 1024 ranks of a small program take each, their own C library included.
func TestMemory(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, hello), workers: 2, ranks: 1024, flags: []string{"+stats"}}.run(t)
	r.expectCode(t, 0)
	m := regexp.MustCompile(`(?m)^ +median .* ([0-9.]+) KiB +\d+$`).FindStringSubmatch(r.stderr)
	if m == nil {
		t.Fatalf("%s: no median in KiB\n%s", r.what, r.output())
	}
	if median, _ := strconv.ParseFloat(m[1], 64); median <= 0 || median > memoryAim {
		t.Errorf("%s: %s KiB for each rank, want at most %d", r.what, m[1], memoryAim)
	}
}
