package conformance

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// manyMemory is what 16,384 ranks and their launcher take at most, with room for others, in KiB.
const manyMemory = 6 << 20

// TestManyRanks runs 16,384 ranks in two workers, which the kernel's default of vm.max_map_count must allow.
func TestManyRanks(t *testing.T) {
	t.Parallel()
	ranks := 16384
	if free := availableMemory(t); free < manyMemory || testing.Short() {
		ranks = 4096
	}
	r := job{program: program(t, hello), workers: 2, ranks: ranks}.run(t)
	r.expectCode(t, 0)
	seen := make([]bool, ranks)
	for line := range strings.Lines(r.stdout) {
		var rank, of int
		if n, _ := fmt.Sscanf(line, "hello from rank %d of %d\n", &rank, &of); n != 2 || of != ranks || rank < 0 || rank >= ranks || seen[rank] {
			t.Fatalf("%s: prints %q", r.what, line)
		}
		seen[rank] = true
	}
	if n := strings.Count(r.stdout, "\n"); n != ranks {
		t.Errorf("%s: prints %d lines", r.what, n)
	}
}

// said is the number that a program printed behind a word.
func (r result) said(t *testing.T, word string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + word + ` (\d+)$`).FindStringSubmatch(r.stdout)
	if m == nil {
		t.Fatalf("%s: prints no %s\n%s", r.what, word, r.output())
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// TestMappings checks how many memory mappings a rank costs: 8,192 times as many must fit into 65,530.
func TestMappings(t *testing.T) {
	t.Parallel()
	c, cxx := program(t, ownDir+"/mappings.c"), program(t, ownDir+"/streams.cpp")
	for _, p := range []struct {
		path string
		most int
	}{{c, 5}, {cxx, 11}} {
		count := func(ranks int) int {
			r := job{program: p.path, workers: 1, ranks: ranks}.run(t)
			r.expectCode(t, 0)
			return r.said(t, "mappings")
		}
		few, many := count(64), count(320)
		if each := float64(many-few) / 256; each > float64(p.most)+0.2 || each < 2 {
			t.Errorf("%s: %d mappings with 64 ranks and %d with 320, %.2f for each, want %d", p.path, few, many, each, p.most)
		}
	}
}

// TestTooManyMappings asks for more ranks than a worker can have: a refusal that names the limit and the way out, at once.
func TestTooManyMappings(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("/proc/sys/vm/max_map_count")
	if err != nil {
		t.Skip(err)
	}
	if limit, _ := strconv.Atoi(strings.TrimSpace(string(text))); limit > 81920 {
		t.Skipf("vm.max_map_count is %d: raised", limit)
	}
	r := job{program: program(t, hello), workers: 1, ranks: 16384}.run(t)
	r.expectCode(t, 2)
	for _, want := range []string{"vm.max_map_count", "+p", "16384 ranks"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("%s: does not name %q\n%s", r.what, want, r.output())
		}
	}
	if strings.Count(r.stderr, "\n") != 1 || r.stdout != "" {
		t.Errorf("%s: not one line\n%s", r.what, r.output())
	}
}

// tableMemory is what a worker with 128 ranks of table.c takes at most, in KiB, where their tables have 12.5 GiB.
const tableMemory = 64 << 10

// TestTable checks that initialised data that nobody writes costs nothing, and that what is written is the rank's own,
// also after it has moved.
func TestTable(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/table.c", "-O1")
	r := job{program: path, workers: 2, ranks: 256}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS table\n")
	if kib := r.said(t, "memory"); kib > tableMemory {
		t.Errorf("%s: the worker takes %d KiB, want at most %d", r.what, kib, tableMemory)
	}
	r = job{program: path, workers: 2, ranks: 8, env: []string{"AMPI_SHUFFLE=1ms"}}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS table\n")
}
