package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestInput checks that rank 0 gets standard input, all of it, and the others find its end.
func TestInput(t *testing.T) {
	t.Parallel()
	for _, lines := range []int{0, 3, 50000} {
		text := strings.Repeat("a line of input\n", lines)
		r := job{program: program(t, filepath.Join(langDir, "stdin_rank0.c")), workers: 2, ranks: 6, stdin: text}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, fmt.Sprintf("%d lines, %d bytes\n", lines, len(text)), "PASS stdin_rank0\n")
	}
}

// TestUnmixedOutput checks that 64 ranks that write long lines in pieces do not write into each other's.
func TestUnmixedOutput(t *testing.T) {
	t.Parallel()
	const ranks = 64
	path := program(t, filepath.Join(langDir, "output_lines.c"))
	var want []string
	for rank := range ranks {
		want = append(want, outputLines(rank)...)
	}
	want = append(want, "PASS output_lines")
	slices.Sort(want)
	for _, workers := range []int{1, 2} {
		r := job{program: path, workers: workers, ranks: ranks}.run(t)
		r.expectCode(t, 0)
		if !slices.Equal(sorted(r.stdout), want) {
			t.Errorf("%s: lines are mixed, lost or doubled: %s", r.what, short(r.stdout))
		}
		if got := len(sorted(r.stderr)); got != ranks {
			t.Errorf("%s: %d lines on stderr, want %d: %s", r.what, got, ranks, short(r.stderr))
		}
	}
}

// outputLines is what a rank of output_lines.c prints.
func outputLines(rank int) (lines []string) {
	var items strings.Builder
	for i := range 20 {
		fmt.Fprintf(&items, "%d:%d,", rank, i)
	}
	for line := range 50 {
		lines = append(lines, fmt.Sprintf("rank %d line %d %s end", rank, line, items.String()))
	}
	return lines
}

// TestLongLines checks that lines of up to 64 KiB stay whole, that of longer ones nothing is lost and no piece holds
// another rank's, and that a last line needs no newline.
func TestLongLines(t *testing.T) {
	t.Parallel()
	for _, length := range []int{60000, 300000} {
		const ranks = 8
		r := job{program: program(t, ownDir+"/long_lines.c"), args: []string{fmt.Sprint(length)}, workers: 2, ranks: ranks}.run(t)
		r.expectCode(t, 0)
		letters := map[string]int{}
		lines := sorted(r.stdout)
		for _, line := range lines {
			letters[strings.Trim(line, line[:1])+line[:1]] += len(line)
		}
		for rank := range ranks {
			if n := letters[string(rune('a'+rank))]; n != length {
				t.Errorf("%s: %d letters of rank %d, want %d", r.what, n, rank, length)
			}
		}
		if length < 64<<10 && len(lines) != 2*ranks {
			t.Errorf("%s: %d lines, want %d", r.what, len(lines), 2*ranks)
		}
	}
}

// TestLabel checks that --label names the rank of each line, on both streams.
func TestLabel(t *testing.T) {
	t.Parallel()
	const ranks = 8
	r := job{program: program(t, filepath.Join(langDir, "output_lines.c")), workers: 2, ranks: ranks, flags: []string{"--label"}}.run(t)
	r.expectCode(t, 0)
	count := map[string]int{}
	for line := range strings.Lines(r.stdout + r.stderr) {
		m := regexp.MustCompile(`^\[(\d+)\] rank (\d+) `).FindStringSubmatch(line)
		switch {
		case m == nil && line != "[0] PASS output_lines\n":
			t.Fatalf("%s: a line without its rank: %q", r.what, line)
		case m != nil && m[1] != m[2]:
			t.Errorf("%s: a line with another rank: %q", r.what, line)
		case m != nil:
			count[m[1]]++
		}
	}
	for rank := range ranks {
		if n := count[strconv.Itoa(rank)]; n != 51 {
			t.Errorf("%s: %d lines of rank %d, want 51", r.what, n, rank)
		}
	}
}

// TestEnvironment checks the variables that programs know their rank by, and those that are passed on.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	j := job{program: "/usr/bin/env", workers: 2, ranks: 4, env: []string{"PASSED_ON=yes"}, flags: []string{"-x", "SET_HERE=a b"}}
	r := j.run(t)
	for name, value := range map[string]string{"PASSED_ON": "yes", "SET_HERE": "a b", "OMPI_COMM_WORLD_SIZE": "4", "OMPI_COMM_WORLD_LOCAL_SIZE": "4", "PMI_SIZE": "4"} {
		if n := strings.Count("\n"+r.stdout, "\n"+name+"="+value+"\n"); n != 4 {
			t.Errorf("%s: %s=%s in %d ranks, want 4", r.what, name, value, n)
		}
	}
	for _, name := range []string{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "PMI_RANK", "AMPI_RANK"} {
		for rank := range 4 {
			if n := strings.Count("\n"+r.stdout, fmt.Sprintf("\n%s=%d\n", name, rank)); n != 1 {
				t.Errorf("%s: %s=%d in %d ranks, want 1", r.what, name, rank, n)
			}
		}
	}
}

// TestDirectory checks -wdir.
func TestDirectory(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "here"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	r := job{program: "/bin/ls", workers: 1, ranks: 1, flags: []string{"-wdir", dir}}.run(t)
	if r.stdout != "here\n" {
		t.Errorf("%s: %s", r.what, r.output())
	}
}
