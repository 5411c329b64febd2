package privatize

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ampirun/internal/abi"
	"ampirun/privatize/internal/stage"
)

const testBase = 0x200000000000

// stubDir holds libstage.so, which programs are linked with and the tests provide.
var stubDir string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "privatize-test-*")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	stubDir = dir
	cmd := exec.Command("gcc", "-shared", "-fPIC", "-Wl,-soname,"+stubSoname, "-o", filepath.Join(dir, "libstage.so"), "testdata/stage_stub.c")
	if out, err := cmd.CombinedOutput(); err != nil {
		panic(string(out))
	}
	return m.Run()
}

const stubSoname = "libstage.so.0"

// stageABI takes the functions of the stage for MPI.
var stageABI = abi.Table{{Name: "the stage", Libraries: []string{stubSoname}, Functions: func(native abi.Binding) abi.Binding { return native }}}

var compilers = map[string]string{".c": "gcc", ".cc": "g++", ".f90": "gfortran"}

// compile builds testdata programs with the compiler that their suffix asks for, plus flags, and returns the output.
func compile(t testing.TB, out string, args ...string) string {
	t.Helper()
	if !strings.Contains(out, "/") {
		out = filepath.Join(t.TempDir(), out)
	}
	cc := "gcc"
	args = slices.Clone(args)
	for i, a := range args {
		if strings.HasPrefix(a, "-") || strings.Contains(a, "/") {
			continue
		}
		if c := compilers[filepath.Ext(a)]; c != "" {
			cc, args[i] = c, filepath.Join("testdata", a)
		}
	}
	all := append([]string{"-o", out}, args...)
	if cc == "gfortran" {
		all = append(all, "-J"+t.TempDir()) // module files
	}
	if args[0] != "-static" && args[0] != "-static-pie" {
		all = append(all, "-L"+stubDir, "-lstage")
	}
	if b, err := exec.Command(cc, all...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v\n%s", cc, all, err, b)
	}
	return out
}

// options binds the stage.
func options(t testing.TB) Options {
	t.Helper()
	tp, size, err := stage.Reserve()
	if err != nil {
		t.Fatal(err)
	}
	fallback := map[string]uintptr{}
	for _, n := range stage.Extra {
		fallback[n] = stage.Symbol(n)
	}
	return Options{Bind: stage.Bindings(), Fallback: func(n string) uintptr { return fallback[n] }, ABIs: stageABI, TLSTop: tp, TLSReserve: size}
}

func load(t testing.TB, prog string) *Program {
	t.Helper()
	libs, err := Resolve(prog, nil, stageABI)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Load(prog, libs, options(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return p
}

// slices maps n slices of a new memory file.
func mapSlices(t testing.TB, n int) ([]stage.Slice, *os.File) {
	t.Helper()
	f, err := os.CreateTemp("/dev/shm", "privatize-test-*")
	if err != nil {
		t.Fatal(err)
	}
	os.Remove(f.Name())
	s, err := stage.Map(f, testBase, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stage.Unmap(testBase, n)
		f.Close()
	})
	return s, f
}

// start makes a rank's images in the slice and sets it up with arguments.
func start(t testing.TB, p *Program, s stage.Slice, args ...string) {
	t.Helper()
	if err := p.Instance(s.Images()); err != nil {
		t.Fatal(err)
	}
	register(p, s)
	e := p.Entry(s.Images())
	st := stage.Start{
		Main: e.Main, EarlyInit: e.EarlyInit, CtypeInit: e.CtypeInit, Fflush: e.Fflush, Threads: e.Threads, ThreadsEnd: e.ThreadsEnd,
		Inits: append(e.Preinits, e.Inits...), Finis: e.Finis, TLS: p.TLSImage(s.Images()), TLSOffsets: []uint64{0},
		ExecStack: p.ExecStack(), Args: append([]string{p.Path()}, args...),
	}
	for m := 1; m <= p.TLSModules(); m++ {
		st.TLSOffsets = append(st.TLSOffsets, p.TLSOffset(m))
	}
	s.Prepare(p.Span(), st)
}

func register(p *Program, s stage.Slice) {
	for _, o := range p.Objects() {
		if o.EhFrameHdr != 0 {
			at := s.Images() + uintptr(o.Offset)
			stage.AddObject(at, at+uintptr(o.Size), s.Images()+uintptr(o.EhFrameHdr))
		}
	}
}

// finish runs ranks in turn until all are done and returns their exit codes.
func finish(ranks []stage.Slice) []int {
	codes := make([]int, len(ranks))
	done := make([]bool, len(ranks))
	for left := len(ranks); left > 0; {
		for i, s := range ranks {
			if done[i] {
				continue
			}
			if done[i], codes[i] = s.Resume(); done[i] {
				left--
			}
		}
	}
	return codes
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
