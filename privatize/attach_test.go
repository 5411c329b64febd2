package privatize

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"

	"ampirun/privatize/internal/stage"
)

// attachEnv tells the re-executed test binary which program to take over; the slices come as descriptor 3.
const attachEnv = "PRIVATIZE_TEST_ATTACH"

const attachRanks = 3

// TestAttach starts ranks here and lets a second process, with its own place for ld.so and vdso, run them to their end.
func TestAttach(t *testing.T) {
	prog := compile(t, "attach", "-O1", "-rdynamic", "attach.c", "-lm")
	p := load(t, prog)
	ranks, f := mapSlices(t, attachRanks)
	for i, s := range ranks {
		start(t, p, s, fmt.Sprint(i))
		if done, code := s.Resume(); done {
			t.Fatalf("rank %d ended early with %d", i, code)
		}
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestAttachChild$", "-test.v")
	cmd.Env = append(os.Environ(), attachEnv+"="+prog)
	cmd.ExtraFiles = []*os.File{f}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("second process:\n%s", out)
	for i, s := range ranks {
		if got := le.Uint32(stage.Memory(s.Images()+uintptr(visible(t, p)), 4)); got != uint32(2000+i) {
			t.Errorf("rank %d: the other process left %d in the slice, want %d", i, got, 2000+i)
		}
	}
}

// visible is the offset of attach.c's variable of that name.
func visible(t *testing.T, p *Program) uint64 {
	t.Helper()
	off, ok := p.Symbol("visible")
	if !ok {
		t.Fatal("the program does not export visible")
	}
	return off
}

// TestAttachChild is the second process; alone it has nothing to do.
func TestAttachChild(t *testing.T) {
	prog := os.Getenv(attachEnv)
	if prog == "" {
		t.Skip("only TestAttach runs this")
	}
	p := load(t, prog)
	ranks, err := stage.Map(os.NewFile(3, "slices"), testBase, attachRanks)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range ranks {
		if err := p.Attach(s.Images()); err != nil {
			t.Fatal(err)
		}
		register(p, s)
		checkRebound(t, p, s.Images())
		done, code := s.Resume()
		if !done || code != 40+i {
			t.Errorf("rank %d: done %v, code %d", i, done, code)
		}
	}
	if err := p.Detach(ranks[0].Images(), Backing{FD: 3, Offset: stage.ImageOffset}); err != nil {
		t.Fatal(err)
	}
}

// checkRebound wants every word that depends on the process to have this process's value, except changed ones.
func checkRebound(t *testing.T, p *Program, base uintptr) {
	t.Helper()
	var outside []uint64
	for _, r := range p.resolvers {
		if !r.inside {
			outside = append(outside, r.result)
		}
	}
	if len(outside) == 0 {
		t.Log("no IFUNC of this libc leads outside the images")
	}
	for _, s := range p.template.sites {
		v := *word(base + uintptr(s.at))
		switch {
		case s.kind == siteExternal && v != uint64(p.externals.values[s.ref])+s.addend:
			t.Errorf("word %#x is %#x, want external %d = %#x", s.at, v, s.ref, p.externals.values[s.ref])
		case s.kind == siteIfunc && !p.resolvers[s.ref].inside && v >= uint64(base)+p.span && !slices.Contains(outside, v):
			t.Errorf("word %#x is %#x, not this process's", s.at, v)
		}
	}
}
