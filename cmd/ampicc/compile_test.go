package main

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ampirun/shim"
)

// exports are the symbols that the loader and shared libraries look for in a program.
var exports = []string{"MPI_Send", "PMPI_Send", "MPI_T_init_thread", "mpi_send_", "pmpi_send_", "mpi_comm_dup_fn_", "mpi_send_f08ts_", "mpi_send_c_f08ts_", "pmpi_comm_rank_f08_",
	"ampi_shim_unpack", "ampi_shim_error", "ampi_shim_hash", "ampi_f_in_place_"}

// checkProgram fails unless path is a PIE with the shim of this build in its dynamic symbol table.
func checkProgram(t *testing.T, path string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Type != elf.ET_DYN {
		t.Errorf("%s is %v, want a position-independent executable", path, f.Type)
	}
	defined := definedIn(t, f)
	for _, name := range exports {
		if _, ok := defined[name]; !ok {
			t.Errorf("%s is not exported", name)
		}
	}
	if _, ok := defined["main"]; ok {
		t.Error("main is exported: the list of exports is too wide")
	}
	if got := readWord(t, f, defined["ampi_shim_hash"]); got != shim.Hash {
		t.Errorf("ampi_shim_hash is %x, want %x", got, shim.Hash)
	}
}

func definedIn(t *testing.T, f *elf.File) map[string]elf.Symbol {
	t.Helper()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]elf.Symbol{}
	for _, s := range symbols {
		if s.Section != elf.SHN_UNDEF {
			found[s.Name] = s
		}
	}
	return found
}

func readWord(t *testing.T, f *elf.File, s elf.Symbol) uint64 {
	t.Helper()
	if int(s.Section) >= len(f.Sections) {
		t.Fatalf("%s has no section", s.Name)
	}
	section := f.Sections[s.Section]
	var word [8]byte
	if _, err := section.ReadAt(word[:], int64(s.Value-section.Addr)); err != nil {
		t.Fatal(err)
	}
	return binary.LittleEndian.Uint64(word[:])
}

func TestProgramsAreLoadable(t *testing.T) {
	dir := files(t, map[string]string{"c.c": cProgram, "x.cc": cProgram, "f.f90": fortranProgram})
	for _, c := range []struct{ wrapper, source string }{
		{"ampicc", "c.c"}, {"ampicxx", "x.cc"}, {"ampic++", "x.cc"}, {"ampif90", "f.f90"}, {"ampifort", "f.f90"}, {"ampif77", "f.f90"},
	} {
		t.Run(c.wrapper, func(t *testing.T) {
			must(t, dir, c.wrapper, "-Wall", "-Werror", c.source, "-o", c.wrapper)
			checkProgram(t, filepath.Join(dir, c.wrapper))
		})
	}
}

func TestLinkModes(t *testing.T) {
	dir := files(t, map[string]string{"a.c": cProgram})
	must(t, dir, "ampicc", "-c", "-O2", "a.c")
	for name, args := range map[string][]string{
		"objects":     {"a.o"},
		"gc-sections": {"-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "a.c"},
		"hidden":      {"-fvisibility=hidden", "a.c"},
		"lto":         {"-flto", "-O2", "a.c"},
		"own PIC":     {"-fPIC", "a.c"},
		"stripped":    {"-s", "a.c"},
	} {
		t.Run(name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "prog")
			must(t, dir, "ampicc", append(args, "-o", program)...)
			checkProgram(t, program)
		})
	}
}

// A shared library has no shim of its own: its MPI calls are bound by the program or the runtime.
func TestSharedLibraryHasNoShim(t *testing.T) {
	dir := files(t, map[string]string{
		"l.c": "#include <mpi.h>\nint size(void) { int n; MPI_Comm_size(MPI_COMM_WORLD, &n); return n; }\n",
		"m.c": "int size(void);\nint main(void) { return size(); }\n",
	})
	must(t, dir, "ampicc", "-shared", "-fPIC", "l.c", "-o", "libl.so")
	f, err := elf.Open(filepath.Join(dir, "libl.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, ok := definedIn(t, f)["MPI_Comm_size"]; ok {
		t.Error("the library defines MPI_Comm_size")
	}
	for _, option := range []string{"-Wl,--no-undefined", "-Wl,-z,defs", "-Wl,-O1,-z,defs", "-Wl,-zdefs"} {
		must(t, dir, "ampicc", "-shared", "-fPIC", option, "l.c", "-o", "libl.so")
	}
	must(t, dir, "ampicc", "-shared", "-fPIC", "-z", "defs", "l.c", "-o", "libl.so")
	must(t, dir, "ampicc", "m.c", "-L.", "-ll", "-o", "prog")
	checkProgram(t, filepath.Join(dir, "prog"))
}

func TestProfilingArchiveWins(t *testing.T) {
	dir := files(t, map[string]string{
		"p.c": "#include <mpi.h>\nint MPI_Finalize(void) { return 42; }\nint MPI_Init(int *c, char ***v) { (void)c, (void)v; return 0; }\n",
		"a.c": cProgram,
	})
	must(t, dir, "ampicc", "-c", "p.c")
	must(t, dir, "ar", "rcs", "libprof.a", "p.o")
	must(t, dir, "ampicc", "a.c", "-L.", "-lprof", "-o", "prog")
	if r := try(t, dir, nil, filepath.Join(dir, "prog")); r.code != 42 {
		t.Errorf("exit code %d, want the profiling library's 42: %s", r.code, r.stderr)
	}
}

func TestCompilersExitCodeAndMessages(t *testing.T) {
	dir := files(t, map[string]string{"bad.c": "int main(void) { return undeclared; }\n"})
	r := try(t, dir, nil, "ampicc", "bad.c")
	if r.code != 1 || !strings.Contains(r.stderr, "undeclared") {
		t.Errorf("exit code %d, %q", r.code, r.stderr)
	}
	script := filepath.Join(dir, "fails")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 37\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if r := try(t, dir, []string{"AMPI_CC=" + script}, "ampicc", "--version"); r.code != 37 {
		t.Errorf("exit code %d, want 37", r.code)
	}
}

func TestImpossibleOptionsAreRefused(t *testing.T) {
	dir := files(t, map[string]string{"a.c": cProgram, "flags": "-O2 -static"})
	for _, option := range []string{"-static", "-static-pie", "-no-pie", "-fno-pie", "-fno-PIC", "-fdefault-integer-8", "@flags"} {
		r := try(t, dir, nil, "ampicc", option, "a.c")
		if r.code != 2 || !strings.HasPrefix(r.stderr, "ampicc: -") || !strings.Contains(r.stderr, "leave ") || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", option, r.code, r.stderr)
		}
	}
	must(t, dir, "ampicc", "-static-libgcc", "a.c")
}

// TestCharmOptions: names that mean nothing are refused, the others leave the compiler nothing to complain about, also where nothing is linked.
func TestCharmOptions(t *testing.T) {
	dir := files(t, map[string]string{"a.c": cProgram})
	for _, c := range []struct{ args, says string }{
		{"-balancer NoSuchLB a.c", "ampicc: -balancer NoSuchLB: no strategy is called"},
		{"-module projections a.c", "ampicc: -module projections: ampirun has no such module"},
		{"a.c -balancer", "ampicc: -balancer needs a name"},
	} {
		r := try(t, dir, nil, "ampicc", strings.Fields(c.args)...)
		if r.code != 2 || !strings.HasPrefix(r.stderr, c.says) || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", c.args, r.code, r.stderr)
		}
	}
	must(t, dir, "ampicc", "-c", "-Werror", "-module", "EveryLB", "-balancer", "RefineLB", "-ampi-compat", "a.c")
	must(t, dir, "ampicc", "-Werror", "-module", "GreedyLB", "-balancer", "RefineLB", "a.c", "-o", "a")
	checkProgram(t, filepath.Join(dir, "a"))
}

func TestMissingCompilerIsNamed(t *testing.T) {
	only := t.TempDir()
	env := []string{"PATH=" + only}
	for _, name := range []string{"gcc", "as", "ld", "ar"} {
		path, err := findCompiler(&language{fallback: name}, "")
		if err != nil {
			t.Fatal(err)
		}
		if name == "gcc" {
			env = append(env, "AMPI_CC="+path[0]) // whose library the other tests have built
		}
		if err := os.Symlink(path[0], filepath.Join(only, name)); err != nil {
			t.Fatal(err)
		}
	}
	dir := files(t, map[string]string{"a.c": cProgram, "f.f90": fortranProgram})
	if r := try(t, dir, env, "ampicc", "a.c"); r.code != 0 {
		t.Errorf("C without gfortran: %s", r.stderr)
	}
	r := try(t, dir, env, "ampif90", "f.f90")
	if want := "ampif90: no Fortran compiler: gfortran is not in PATH; install gfortran or name another one in AMPI_FC\n"; r.code != 2 || r.stderr != want {
		t.Errorf("exit code %d, %q, want %q", r.code, r.stderr, want)
	}
	r = try(t, dir, nil, "ampicc", "-cc=nosuchcc", "a.c")
	if want := "ampicc: no C compiler: \"nosuchcc\" (from -cc=) is not in PATH\n"; r.code != 2 || r.stderr != want {
		t.Errorf("exit code %d, %q, want %q", r.code, r.stderr, want)
	}
}

// make -j starts many wrappers at once on an empty cache.
func TestParallelFirstUse(t *testing.T) {
	dir := files(t, map[string]string{"a.c": cProgram, "f.f90": fortranProgram})
	env := []string{"AMPI_CACHE=" + filepath.Join(dir, "cache")}
	var group sync.WaitGroup
	for i := range 6 {
		group.Add(1)
		go func() {
			defer group.Done()
			wrapper, source := "ampicc", "a.c"
			if i%2 == 1 {
				wrapper, source = "ampif90", "f.f90"
			}
			if r := try(t, dir, env, wrapper, source, "-o", "prog"+string(rune('0'+i))); r.code != 0 {
				t.Errorf("%s: %s", wrapper, r.stderr)
			}
		}()
	}
	group.Wait()
	left, _ := filepath.Glob(filepath.Join(dir, "cache", "building-*"))
	kits, _ := filepath.Glob(filepath.Join(dir, "cache", "shim-*", "lib"))
	if len(left) != 0 || len(kits) != 1 {
		t.Errorf("cache has leftovers %v and libraries %v", left, kits)
	}
}

func TestBrokenCacheIsRefused(t *testing.T) {
	dir := files(t, map[string]string{"a.c": cProgram, "file": ""})
	r := try(t, dir, []string{"AMPI_CACHE=" + filepath.Join(dir, "file")}, "ampicc", "a.c")
	if r.code != 2 || !strings.Contains(r.stderr, "AMPI_CACHE") {
		t.Errorf("exit code %d, %q", r.code, r.stderr)
	}
}
