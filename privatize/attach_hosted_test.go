package privatize

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"ampirun/privatize/internal/stage"
)

// attachLdsoEnv tells the re-executed test binary which program to take over under fs; the slices come as descriptor 3.
const attachLdsoEnv = "PRIVATIZE_TEST_ATTACH_HOSTED"

// loadFS loads a program as the method fs does, for slices that are backed by f.
func loadFS(t *testing.T, prog string, f *os.File) Images {
	t.Helper()
	libs, err := Resolve(prog, nil, stageABI)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.BindShared = map[string]uintptr{"malloc": stage.Symbol("malloc"), "free": stage.Symbol("free"), "exit": stage.Symbol("exit"),
		"_Znwm": stage.Symbol("malloc"), "_ZdlPv": stage.Symbol("free"), "_ZdlPvm": stage.Symbol("free")}
	o.Backing = func(base uintptr) Backing { return Backing{FD: int(f.Fd()), Offset: int64(base - testBase)} }
	o.Directory = t.TempDir()
	images, err := FS{}.Load(prog, libs, o)
	if err != nil {
		t.Fatal(err)
	}
	return images
}

// placeFS makes a rank in the slice and sets it up with arguments.
func placeFS(t *testing.T, images Images, s stage.Slice, args ...string) {
	t.Helper()
	placed, err := images.Place(s.Images())
	if err != nil {
		t.Fatal(err)
	}
	p, e := images.Program(), placed.Entry
	block := make([]byte, p.TLSSize())
	p.FillTLS(s.Images(), block)
	s.Prepare(p.Span(), stage.Start{Main: e.Main, CtypeInit: e.CtypeInit, Fflush: e.Fflush, Inits: append(e.Preinits, e.Inits...), Finis: e.Finis,
		TLS: block, TLSOffsets: []uint64{0, p.TLSOffset(1)}, Args: append([]string{p.Path()}, args...)})
}

// TestAttachLdso starts ranks that ld.so has loaded here, and lets a second process, with its libraries at other places, run
// some of them to their end; others come back from there.
func TestAttachLdso(t *testing.T) {
	for name, flags := range map[string][]string{"non-PIC": {"-O1"}, "PIC": {"-O1", "-fPIC"}} {
		t.Run(name, func(t *testing.T) {
			prog := compile(t, "attach", append(flags, "attach_hosted.cc", "-lm")...)
			ranks, f := mapSlices(t, attachRanks)
			images := loadFS(t, prog, f)
			for i, s := range ranks {
				placeFS(t, images, s, fmt.Sprint(i))
				if done, code := s.Resume(); done {
					t.Fatalf("rank %d ended early with %d", i, code)
				}
				if i == attachRanks-1 {
					continue // it stays mapped here, as those do that may come back
				}
				if err := images.Detach(s.Images()); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("/proc/self/exe", "-test.run=^TestAttachLdsoChild$", "-test.v")
			cmd.Env = append(os.Environ(), attachLdsoEnv+"="+prog)
			cmd.ExtraFiles = []*os.File{f}
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for i := range ranks[1 : attachRanks-1] {
				if want := fmt.Sprintf("rank %d\n", i+1); !strings.Contains(string(out), want) {
					t.Errorf("the second process does not print %q:\n%s", want, out)
				}
			}
			takeOver(t, images, ranks[0], 40)
			takeOver(t, images, ranks[attachRanks-1], 40+attachRanks-1)
		})
	}
}

// takeOver attaches a rank and runs it to its end.
func takeOver(t *testing.T, images Images, s stage.Slice, code int) {
	t.Helper()
	placed, err := images.Attach(s.Images())
	if err != nil {
		t.Fatal(err)
	}
	s.SetFlush(placed.Entry.Fflush)
	if done, got := s.Resume(); !done || got != code {
		t.Errorf("done %v, code %d, want %d", done, got, code)
	}
	if err := images.Detach(s.Images()); err != nil {
		t.Fatal(err)
	}
}

// TestAttachLdsoChild is the second process; alone it has nothing to do. It gives the first and the last rank back.
func TestAttachLdsoChild(t *testing.T) {
	prog := os.Getenv(attachLdsoEnv)
	if prog == "" {
		t.Skip("only TestAttachLdso runs this")
	}
	f := os.NewFile(3, "slices")
	ranks, err := stage.Map(f, testBase, attachRanks)
	if err != nil {
		t.Fatal(err)
	}
	images := loadFS(t, prog, f)
	for i, s := range ranks[1 : attachRanks-1] {
		takeOver(t, images, s, 41+i)
	}
	for _, s := range []stage.Slice{ranks[0], ranks[0], ranks[attachRanks-1]} {
		if _, err := images.Attach(s.Images()); err != nil {
			t.Fatal(err)
		}
		if err := images.Detach(s.Images()); err != nil {
			t.Fatal(err)
		}
	}
	if err := images.Detach(ranks[0].Images()); err == nil {
		t.Error("detached a copy that is not there")
	}
}

// TestStays has methods whose ranks cannot move say so.
func TestStays(t *testing.T) {
	for _, m := range Methods() {
		if f := m.Facts(); !f.Movable && f.Stays == "" {
			t.Errorf("%s: does not say why ranks stay", f.Name)
		}
	}
	prog := compile(t, "hello", "hello.c")
	libs, err := Resolve(prog, nil, stageABI)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []Method{Pip{}, TLS{}, None{}} {
		images, err := m.Load(prog, libs, options(t))
		if err != nil {
			t.Fatal(err)
		}
		_, attaching := images.Attach(testBase)
		for _, err := range []error{attaching, images.Detach(testBase)} {
			if err == nil || !strings.Contains(err.Error(), m.Facts().Name+": "+m.Facts().Stays) {
				t.Errorf("%s: moving gives %v", m.Facts().Name, err)
			}
		}
	}
}
