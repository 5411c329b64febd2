package conformance

import (
	"debug/elf"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const elfDir = root + "/testdata/elf"

// build is a way to compile and link elf.c and its library.
type build struct {
	name  string
	flags string // of the program and the library
	tool  string // that must be there, besides the compiler
	cc    string // "" for gcc
}

var builds = []build{
	{"plain", "", "", ""},
	{"lto", "-O2 -flto", "", ""},
	{"now", "-Wl,-z,now,-z,relro,--as-needed", "", ""},
	{"relr", "-Wl,-z,pack-relative-relocs", "", ""},
	{"relr-now", "-Wl,-z,pack-relative-relocs,-z,now", "", ""},
	{"gnu-hash", "-Wl,--hash-style=gnu", "", ""},
	{"both-hashes", "-Wl,--hash-style=both", "", ""},
	{"tlsdesc", "-mtls-dialect=gnu2", "", ""},
	{"gold", "-fuse-ld=gold", "ld.gold", ""},
	{"lld", "-fuse-ld=lld", "ld.lld", ""},
	{"mold", "-fuse-ld=mold", "ld.mold", ""},
	{"clang", "-O2", "clang", "clang"},
	{"cet", "-fcf-protection=full -Wl,-z,ibt,-z,shstk", "", ""},
	{"stripped", "-O2 -s -ffunction-sections -Wl,--gc-sections,--hash-style=sysv,-z,noseparate-code", "", ""},
	{"pages", "-Wl,-z,max-page-size=65536 -gz", "", ""},
	{"hardened", "-O2 -fstack-protector-all -fstack-clash-protection -D_FORTIFY_SOURCE=2 -ftrapv", "", ""},
	{"static", "-static-libgcc", "", ""},
	{"gcov", "--coverage", "gcov", ""},
	{"gprof", "-pg", "", ""},
	{"pgo", "-O2 -fprofile-generate", "", ""}, // its resolvers count in thread-local variables
	{"tls", "-DBIG_TLS=1000000", "", ""},
	{"ubsan", "-fsanitize=undefined", "", ""},
}

// TestELF runs one program built in every way that its loader has to understand.
func TestELF(t *testing.T) {
	t.Parallel()
	each(t, builds, func(b build) string { return b.name }, func(t *testing.T, b build) {
		if _, err := exec.LookPath(b.tool); b.tool != "" && err != nil {
			t.Skipf("%s is not here", b.tool)
		}
		dir := t.TempDir()
		b.run(t, dir)
		for _, workers := range []int{1, 2} {
			r := job{program: filepath.Join(dir, "elf"), workers: workers, ranks: 4, dir: dir}.run(t)
			r.expectCode(t, 0)
			r.expectSays(t, "PASS elf\n")
		}
		if b.name == "gcov" {
			checkCoverage(t, dir)
		}
	})
}

func (b build) run(t *testing.T, dir string) {
	t.Helper()
	sources, err := filepath.Abs(elfDir)
	if err != nil {
		t.Fatal(err)
	}
	cc := "gcc"
	if b.cc != "" {
		cc = b.cc
	}
	lib := strings.Fields(cc + " -g -shared -fPIC -o libelf_lib.so " + b.flags + " -Wl,--version-script=" + sources + "/elf_lib.map " + sources + "/elf_lib.c")
	prog := strings.Fields(tool("ampicc") + " -cc=" + cc + " -g -w -o elf " + b.flags + " " + sources + "/elf.c -L. -lelf_lib -Wl,-rpath,$ORIGIN")
	for _, args := range [][]string{lib, prog} {
		b.call(t, dir, args)
	}
	if !keepsAlignment(t, filepath.Join(dir, "elf")) {
		b.call(t, dir, append(prog, "-Wl,-z,max-page-size=65536"))
	}
}

func (b build) call(t *testing.T, dir string, args []string) {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	if err := quiet(cmd); err != nil {
		t.Fatal(err)
	}
}

// keepsAlignment tells whether the linker asks the loader for what elf.c's variables need: before binutils 2.38 it forgot.
func keepsAlignment(t *testing.T, path string) bool {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_LOAD && p.Align >= 65536 })
}

// checkCoverage looks whether the counters of all ranks of both runs went into the files: main ran eight times.
func checkCoverage(t *testing.T, dir string) {
	t.Helper()
	cmd := exec.Command("gcov", "-t", "elf.gcda")
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "check_begin(&argc, &argv);") {
			if count, _, _ := strings.Cut(strings.TrimSpace(line), ":"); count != "8" {
				t.Errorf("gcov counted %s calls of main, not 8", count)
			}
			return
		}
	}
	t.Errorf("gcov does not show main:\n%s", out)
}
