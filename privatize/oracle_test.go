package privatize

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// bindingLine is what ld.so prints about one reference under LD_DEBUG=bindings.
var bindingLine = regexp.MustCompile("binding file (\\S+) \\[0\\] to (\\S+) \\[0\\]: normal symbol `([^']+)'(?: \\[([^\\]]+)\\])?")

// nativeBindings runs a program under the real ld.so and returns where each reference went: file, symbol@version, file.
func nativeBindings(t *testing.T, prog string) map[[2]string]string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "bindings")
	cmd := exec.Command(prog, "0", os.DevNull)
	cmd.Env = append(os.Environ(), "LD_DEBUG=bindings", "LD_BIND_NOW=1", "LD_DEBUG_OUTPUT="+log, "LD_LIBRARY_PATH="+stubDir)
	cmd.Run() // its exit code is its own
	files, err := filepath.Glob(log + ".*")
	if err != nil || len(files) != 1 {
		t.Fatalf("ld.so wrote %v, %v", files, err)
	}
	bound := map[[2]string]string{}
	for _, m := range bindingLine.FindAllStringSubmatch(read(t, files[0]), -1) {
		key := [2]string{m[1], (&query{name: m[3], version: m[4]}).String()}
		bound[key] = m[2]
	}
	return bound
}

// TestBindingsAgree compares every symbol reference of real programs and libraries with what ld.so binds it to.
func TestBindingsAgree(t *testing.T) {
	if err := os.Symlink("libstage.so", filepath.Join(stubDir, stubSoname)); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(filepath.Join(stubDir, stubSoname))
	for name, c := range map[string]struct {
		args  []string
		least int
	}{
		"C":       {[]string{"-O1", "hello.c"}, 80},
		"Cxx":     {[]string{"-O1", "cxx.cc"}, 3000},
		"Fortran": {[]string{"-O1", "fortran.f90"}, 500},
		"odd":     {[]string{"-O1", "odd.c"}, 80},
	} {
		t.Run(name, func(t *testing.T) {
			prog := compile(t, name, c.args...)
			native := nativeBindings(t, prog)
			libs, err := Resolve(prog, nil, stageABI)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{TLSReserve: 1 << 20, Fallback: stageOnly}
			p, err := Load(prog, libs, o)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			if n := compareBindings(t, p, native); n < c.least {
				t.Errorf("only %d references compared", n)
			}
		})
	}
}

func stageOnly(name string) uintptr {
	if strings.HasPrefix(name, "stage_yield") {
		return 1
	}
	return 0
}

// compareBindings returns how many references both sides know.
func compareBindings(t *testing.T, p *Program, native map[[2]string]string) int {
	compared := 0
	for _, im := range p.images {
		for _, table := range [][]byte{im.dyn.rela, im.dyn.jmprel} {
			for ; len(table) >= relaSize; table = table[relaSize:] {
				if compareOne(t, p, im, readRela(table), native) {
					compared++
				}
			}
		}
	}
	return compared
}

func compareOne(t *testing.T, p *Program, im *image, rel relocation, native map[[2]string]string) bool {
	if rel.sym == 0 || elf.R_X86_64(rel.typ) == elf.R_X86_64_COPY {
		return false
	}
	s, _ := im.dyn.symbolAt(rel.sym)
	q, err := im.queryOf(rel.sym, s)
	if err != nil {
		t.Fatal(err)
	}
	want, known := native[[2]string{im.path, q.String()}]
	if !known || strings.HasSuffix(want, stubSoname) {
		return false
	}
	got, err := p.resolve(im, rel.sym, elf.R_X86_64(rel.typ) == elf.R_X86_64_JMP_SLOT)
	if err != nil {
		t.Errorf("%s in %s: %v", q, im.name, err)
		return false
	}
	file := p.host.path
	if got.im != nil {
		file = got.im.path
	}
	if !sameFile(file, want) {
		t.Errorf("%s in %s binds to %s, ld.so binds it to %s", q, im.name, file, want)
	}
	return true
}

var initLine = regexp.MustCompile(`calling init: (\S+)`)

// TestInitOrderAgrees compares the order of initialisation with ld.so's, also for a library that needs another.
func TestInitOrderAgrees(t *testing.T) {
	dir := t.TempDir()
	ctor := []string{"-shared", "-fPIC", "-Dmain=ctor_main", "ctor.c"}
	compile(t, filepath.Join(dir, "libinner.so"), ctor...)
	compile(t, filepath.Join(dir, "libouter.so"), append(ctor, "-L"+dir, "-Wl,--no-as-needed", "-linner")...)
	compile(t, filepath.Join(dir, "libside.so"), ctor...)
	deps := []string{"ctor.c", "-L" + dir, "-Wl,--no-as-needed", "-Wl,-rpath," + dir, "-Wl,-rpath-link," + dir}
	for name, args := range map[string][]string{
		"inner-first": append(deps, "-linner", "-lside", "-louter"),
		"outer-first": append(deps, "-louter", "-lside", "-lstdc++", "-linner"),
		"fortran":     append(deps, "-lgfortran", "-louter", "-lstdc++"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("LD_LIBRARY_PATH", dir)
			prog := compile(t, name, args...)
			libs, err := Resolve(prog, nil, stageABI)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Load(prog, libs, Options{TLSReserve: 1 << 20})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			got, want := ourInits(p), nativeInits(t, prog)
			if !sortsByDependency(p.host) {
				slices.Sort(got)
				slices.Sort(want)
			}
			if !slices.Equal(got, want) {
				t.Errorf("order is %s, ld.so's is %s", got, want)
			}
		})
	}
}

// sortsByDependency tells whether a library always comes after what it needs: loaders before glibc 2.35 fail to do so for some.
func sortsByDependency(h *hostLoader) bool {
	return bytes.Contains(h.im.data, []byte("glibc.rtld.dynamic_sort"))
}

// ourInits leaves out the library of threads, which ranks have even if the program does not link to it.
func ourInits(p *Program) (names []string) {
	for _, im := range p.inits {
		if im != p.images[0] && im.dyn.soname != threadsSoname && (im.dyn.init != 0 || im.dyn.initArr.size != 0) {
			names = append(names, filepath.Base(im.path))
		}
	}
	return names
}

func nativeInits(t *testing.T, prog string) []string {
	cmd := exec.Command(prog)
	cmd.Env = append(os.Environ(), "LD_DEBUG=files", "LD_LIBRARY_PATH="+os.Getenv("LD_LIBRARY_PATH")+":"+stubDir)
	if err := os.Symlink("libstage.so", filepath.Join(stubDir, stubSoname)); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(filepath.Join(stubDir, stubSoname))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var names []string
	for _, m := range initLine.FindAllStringSubmatch(string(out), -1) {
		if n := filepath.Base(m[1]); n != stubSoname && !isLoader(n) && n != threadsSoname && n != filepath.Base(prog) {
			names = append(names, n)
		}
	}
	return names
}
