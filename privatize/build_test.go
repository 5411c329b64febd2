package privatize

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"ampirun/internal/abi"
)

const ranksLine = "rank %d counter %d %.2f\n"

// TestBuilds runs the same program built in every way that gives other headers, tables or relocations.
func TestBuilds(t *testing.T) {
	for name, args := range map[string][]string{
		"O0":         {"-O0", "hello.c"},
		"O2":         {"-O2", "-fstack-protector-all", "hello.c"},
		"lazy":       {"-Wl,-z,lazy", "hello.c"},
		"now":        {"-Wl,-z,now", "-Wl,-z,relro", "hello.c"},
		"norelro":    {"-Wl,-z,norelro", "hello.c"},
		"sysv-hash":  {"-Wl,--hash-style=sysv", "-rdynamic", "hello.c"},
		"gnu-hash":   {"-Wl,--hash-style=gnu", "-rdynamic", "hello.c"},
		"relr":       {"-Wl,-z,pack-relative-relocs", "hello.c"},
		"gold":       {"-fuse-ld=gold", "hello.c"},
		"one-code":   {"-Wl,-z,noseparate-code", "hello.c"},
		"big-pages":  {"-Wl,-z,max-page-size=0x200000", "hello.c"},
		"stripped":   {"-s", "hello.c"},
		"no-plt":     {"-fno-plt", "-O1", "hello.c"},
		"gnu2-tls":   {"-mtls-dialect=gnu2", "-ftls-model=global-dynamic", "hello.c"},
		"openmp":     {"-fopenmp", "hello.c"},
		"large-code": {"-mcmodel=medium", "hello.c"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath("ld.gold"); name == "gold" && err != nil {
				t.Skip("there is no ld.gold here")
			}
			runRanks(t, load(t, compile(t, name, args...)), 2, ranksLine)
		})
	}
}

// TestNoSectionHeaders takes away everything that running does not need, main's name included.
func TestNoSectionHeaders(t *testing.T) {
	prog := compile(t, "bare", "-s", "hello.c")
	f, err := os.ReadFile(prog)
	if err != nil {
		t.Fatal(err)
	}
	f = f[:le.Uint64(f[40:])]
	copy(f[40:48], make([]byte, 8))
	copy(f[58:64], make([]byte, 6))
	if err := os.WriteFile(prog, f, 0o755); err != nil {
		t.Fatal(err)
	}
	runRanks(t, load(t, prog), 2, ranksLine)
}

// TestMainAgrees finds main in the start code at the address that the symbol table has.
func TestMainAgrees(t *testing.T) {
	builds := [][]string{{"hello.c"}, {"-rdynamic", "hello.c"}, {"cxx.cc"}, {"fortran.f90"}}
	if _, err := exec.LookPath("ld.gold"); err == nil {
		builds = append(builds, []string{"-fuse-ld=gold", "hello.c"})
	}
	for _, args := range builds {
		p := load(t, compile(t, "prog", args...))
		want, ok := p.images[0].staticSymbol("main")
		if got, ok2 := p.mainFromStart(); !ok || !ok2 || got != want {
			t.Errorf("%v: main at %#x (%v), symbol table says %#x (%v)", args, got, ok2, want, ok)
		}
	}
}

func TestVersions(t *testing.T) {
	runRanks(t, load(t, compile(t, "versions", "-O1", "-fno-builtin", "versions.c")), 2, ranksLine)
}

func TestOddProgram(t *testing.T) {
	p := load(t, compile(t, "odd", "-O1", "-Wno-unused", "odd.c"))
	if !p.ExecStack() {
		t.Error("a program with a nested function does not want an executable stack")
	}
	if want := segmentAlign(t, p.Path()); p.Align() != want { // 8192, but linkers before binutils 2.38 forget it
		t.Errorf("alignment is %d, want %d", p.Align(), want)
	}
	runRanks(t, p, 2, ranksLine+"bye\n")
}

// segmentAlign is the largest alignment that a file's segments ask for.
func segmentAlign(t *testing.T, path string) (most uint64) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD {
			most = max(most, p.Align)
		}
	}
	return most
}

// TestUserLibrary finds a library each way there is; its globals are each rank's own.
func TestUserLibrary(t *testing.T) {
	dir := t.TempDir()
	lib := compile(t, filepath.Join(dir, "libuser.so"), "-shared", "-fPIC", "user_lib.c")
	gnu2 := filepath.Join(dir, "lib-gnu2")
	if err := os.Mkdir(gnu2, 0o755); err != nil {
		t.Fatal(err)
	}
	compile(t, filepath.Join(gnu2, "libuser.so"), "-shared", "-fPIC", "-mtls-dialect=gnu2", "user_lib.c")
	symbolic := filepath.Join(dir, "lib-symbolic")
	if err := os.Mkdir(symbolic, 0o755); err != nil {
		t.Fatal(err)
	}
	compile(t, filepath.Join(symbolic, "libuser.so"), "-shared", "-fPIC", "-Wl,-Bsymbolic-functions", "user_lib.c")
	for name, args := range map[string][]string{
		"rpath":    {"-Wl,--disable-new-dtags,-rpath," + dir},
		"runpath":  {"-Wl,--enable-new-dtags,-rpath," + dir},
		"origin":   {"-Wl,-rpath,$ORIGIN"},
		"env":      nil,
		"tlsdesc":  {"-Wl,-rpath," + gnu2},
		"symbolic": {"-Wl,-rpath," + symbolic},
		"direct":   {"-fPIE", "-Wl,-rpath," + dir},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "env" {
				t.Setenv("LD_LIBRARY_PATH", dir)
			}
			prog := compile(t, filepath.Join(dir, name), append([]string{"-O1", "user_main.c", "-L" + dir, "-luser"}, args...)...)
			p := load(t, prog)
			want := 3 // program, library and libc
			if p.byName(threadsSoname) != nil {
				want++ // before glibc 2.34
			}
			if len(p.images) != want {
				t.Fatalf("%d images, want %d", len(p.images), want)
			}
			if name != "tlsdesc" && name != "symbolic" && p.images[1].path != lib {
				t.Errorf("library found at %s, want %s", p.images[1].path, lib)
			}
			if _, ok := p.externals.index["TLS descriptor"]; ok != (name == "tlsdesc") {
				t.Errorf("TLS descriptors used: %v", ok)
			}
			runRanks(t, p, 3, ranksLine)
		})
	}
}

// TestPreload puts a library in front of all others, as tools for profiling do.
func TestPreload(t *testing.T) {
	lib := compile(t, "libuser.so", "-shared", "-fPIC", "user_lib.c")
	prog := compile(t, "plain", "plain.c")
	libs, err := Resolve(prog, []string{"/of/nothing.so", lib}, stageABI)
	if err != nil || len(libs) != 2 || libs[0].Path != lib || libs[1].Name != libcSoname {
		t.Fatalf("resolved to %v, %v", libs, err)
	}
}

// TestProvided leaves out a library that exists, and what only it needs.
func TestProvided(t *testing.T) {
	dir := t.TempDir()
	compile(t, filepath.Join(dir, "libinner.so"), "-shared", "-fPIC", "plain.c")
	compile(t, filepath.Join(dir, "libuser.so"), "-shared", "-fPIC", "user_lib.c", "-L"+dir, "-Wl,--no-as-needed", "-linner", "-Wl,-rpath,"+dir)
	prog := compile(t, filepath.Join(dir, "prog"), "user_main.c", "-L"+dir, "-luser", "-Wl,-rpath,"+dir)
	libs, err := Resolve(prog, nil, slices.Concat(stageABI, abi.Table{{Name: "libuser", Libraries: []string{"libuser.so"}, Functions: stageABI[0].Functions}}))
	if err != nil || len(libs) != 1 || libs[0].Name != libcSoname {
		t.Errorf("resolved to %v, %v", libs, err)
	}
	if libs, err = Resolve(prog, nil, stageABI); err != nil || len(libs) != 3 {
		t.Errorf("resolved to %v, %v", libs, err)
	}
}

// TestStripKeepsBehaviour runs a C++ program without its symbols.
func TestStripKeepsBehaviour(t *testing.T) {
	prog := compile(t, "cxx", "-O1", "cxx.cc")
	if out, err := exec.Command("strip", prog).CombinedOutput(); err != nil {
		t.Fatal(string(bytes.TrimSpace(out)))
	}
	runRanks(t, load(t, prog), 2, "rank %d counter %d %.4g\nlast %[2]d\n")
}

// TestMarkedStubs runs a program whose linker has written the address of each stub beside its slot (-z mark-plt), as it does for the C library
// of glibc 2.39 and newer.
func TestMarkedStubs(t *testing.T) {
	prog := compile(t, "marked", "-Wl,-z,lazy", "hello.c")
	f, err := os.ReadFile(prog)
	if err != nil {
		t.Fatal(err)
	}
	im, err := parse(prog, f)
	if err != nil {
		t.Fatal(err)
	}
	marked := 0
	for at := sliceOffset(im.data, im.dyn.jmprel); marked < len(im.dyn.jmprel)/relaSize; marked++ {
		le.PutUint64(f[at+marked*relaSize+16:], 0x1020)
	}
	if marked == 0 {
		t.Fatal("the program has no slots")
	}
	if err := os.WriteFile(prog, f, 0o755); err != nil {
		t.Fatal(err)
	}
	runRanks(t, load(t, prog), 2, ranksLine)
}
