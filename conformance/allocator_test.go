package conformance

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const heapDir = root + "/testdata/heap"

// allocator is one that a program may bring, from a Debian package.
type allocator struct {
	name string
	file string // as the compiler finds it
	pack string
	link func(path string) []string // flags to link it; nil: it is preloaded
}

func static(path string) []string {
	return []string{"-Wl,--whole-archive", path, "-Wl,--no-whole-archive", "-lstdc++", "-lm"}
}

func shared(path string) []string { return []string{"-Wl,--no-as-needed", path} }

var allocators = []allocator{
	{"jemalloc.a", "libjemalloc_pic.a", "libjemalloc-dev", static},
	{"jemalloc.so", "libjemalloc.so", "libjemalloc-dev", shared},
	{"jemalloc preloaded", "libjemalloc.so", "libjemalloc-dev", nil},
	{"mimalloc.so", "libmimalloc.so", "libmimalloc-dev", shared},
	{"mimalloc preloaded", "libmimalloc.so", "libmimalloc-dev", nil},
	{"tcmalloc.a", "libtcmalloc_minimal.a", "libgoogle-perftools-dev", static},
	{"tcmalloc.so", "libtcmalloc_minimal.so", "libgoogle-perftools-dev", shared},
	{"tcmalloc preloaded", "libtcmalloc_minimal.so", "libgoogle-perftools-dev", nil},
}

// locate asks the compiler for a library; the test is skipped where it is not installed.
func (a allocator) locate(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("gcc", "-print-file-name="+a.file).Output()
	path := strings.TrimSpace(string(out))
	if err != nil || !strings.Contains(path, "/") {
		t.Skipf("%s is not installed: it is in Debian's %s", a.file, a.pack)
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// job is a run of the test program with this allocator.
func (a allocator) job(t *testing.T) job {
	path := a.locate(t)
	j := job{workers: 2, ranks: 16, flags: []string{"+stats"}}
	if a.link == nil {
		j.flags = append(j.flags, "+preload", path)
		j.program = program(t, heapDir+"/allocator.c")
	} else {
		j.program = program(t, heapDir+"/allocator.c", append([]string{"-fno-builtin"}, a.link(path)...)...)
	}
	return j
}

// TestAllocators runs a program with allocators of its own, with and without threads: their memory lies in the slices, which the
// self test says, and ranks can move.
func TestAllocators(t *testing.T) {
	t.Parallel()
	each(t, allocators, func(a allocator) string { return a.name }, func(t *testing.T, a allocator) {
		j := a.job(t)
		r := j.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "heap interception: CHUNK|MUNMAP\n")
		if r.says("cannot move") {
			t.Errorf("%s: ranks are pinned\n%s", r.what, r.output())
		}
		for rank := range j.ranks {
			r.expectSays(t, fmt.Sprintf("rank %d: 0 bad, in the slice\n", rank))
		}
		j.ranks, j.args = 2, []string{"threads"}
		r = j.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "rank 1: 0 bad, in the slice\n")
		j.ranks = 4
		if r = j.run(t); strings.HasPrefix(a.name, "jemalloc") {
			r.expectCode(t, 2)
			r.expectSays(t, "jemalloc", "take +p 4")
			return
		}
		r.expectCode(t, 0)
		r.expectSays(t, "rank 3: 0 bad, in the slice\n")
	})
}

// TestHeapChoices runs a program with the runtime's heap and with the C library's, under each method that can have both.
func TestHeapChoices(t *testing.T) {
	t.Parallel()
	p := program(t, heapDir+"/allocator.c", "-fPIC")
	for _, method := range []string{"pie", "fs", "tls", "none"} {
		for _, heap := range []string{"iso", "host"} {
			r := job{program: p, workers: 2, ranks: 4, flags: []string{"+privatize", method, "+heap", heap, "+stats"}}.run(t)
			r.expectCode(t, 0)
			where := map[string]string{"iso": "in the slice", "host": "elsewhere"}[heap]
			if method == "none" || method == "tls" && heap == "iso" { // which have one heap for all ranks of a worker
				where = ""
			}
			r.expectSays(t, "rank 2: 0 bad, "+where)
			if reported := r.says("heap interception: FREE|MUNMAP\n"); reported != (heap == "iso") {
				t.Errorf("%s: the self test: %v\n%s", r.what, reported, r.output())
			}
		}
	}
	j := job{program: p, workers: 2, ranks: 4, env: []string{"AMPI_HEAP=host"}, flags: []string{"+stats"}}
	j.run(t).expectSays(t, "rank 2: 0 bad, elsewhere\n", "cannot move: its heap is the C library's")
	j.flags = append(j.flags, "+heap", "auto") // the option wins
	j.run(t).expectSays(t, "rank 2: 0 bad, in the slice\n")
	for flags, says := range map[string]string{
		"+privatize tls +lb Greedy +steal": "warning: +lb Greedy +steal: ranks cannot move under +privatize tls",
		"+heap host +lb Greedy":            "warning: +lb Greedy: ranks cannot move when their heap is not in their slices",
	} {
		r := job{program: p, workers: 2, ranks: 4, flags: strings.Fields(flags)}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, says)
	}
	for flags, says := range map[string]string{
		"+heap host +movable yes":         "+movable yes",
		"+privatize tls +movable yes":     "take +privatize pie",
		"+heap host +registered yes":      "+registered yes",
		"+heap host --heap-check":         "--heap-check",
		"+privatize pip +heap iso":        "beyond reach",
		"+privatize pip +registered yes":  "beyond reach",
		"+movable no +registered perhaps": "want yes, no or runtime",
	} {
		r := job{program: p, workers: 1, ranks: 1, flags: strings.Fields(flags)}.run(t)
		r.expectCode(t, 2)
		r.expectSays(t, says)
	}
	r := job{program: p, workers: 1, ranks: 2, flags: []string{"+movable", "no", "+stats"}}.run(t)
	r.expectSays(t, "rank 1: 0 bad, elsewhere\n")
}

// TestHeapBeyondReach has the self test find an allocator that takes memory where nobody sees it.
func TestHeapBeyondReach(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, heapDir+"/raw.c", "-O2", "-fno-builtin"), workers: 2, ranks: 4, flags: []string{"+stats"}}.run(t)
	r.expectCode(t, 0)
	d := runTool(t, "ampirun", "--diagnose", program(t, heapDir+"/raw.c", "-O2", "-fno-builtin"))
	d.expectCode(t, 0)
	d.expectSays(t, "interception  MUNMAP\n", "malloc (called by ")
	r.expectSays(t, "PASS raw\n", "heap interception: MUNMAP, missed: ", "malloc (called by ", "cannot move: its heap is not in its slice: ", "(ranks 0-3)")
}

// TestOperatorNew runs a C++ program with an operator new of its own.
func TestOperatorNew(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, heapDir+"/new.cpp"), workers: 2, ranks: 8, flags: []string{"+stats"}}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS new\n", "heap interception: FREE|MUNMAP\n")
	runTool(t, "ampirun", "--diagnose", program(t, heapDir+"/new.cpp")).expectSays(t, "interception  FREE|MUNMAP\n")
}
