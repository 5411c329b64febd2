package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestWideRegisters keeps AVX-512 registers and AMX tiles where a rank that uses them is moved, interrupted, killed and restarted: what the
// kernel has granted it in one process holds in those that it comes to.
func TestWideRegisters(t *testing.T) {
	t.Parallel()
	stop := filepath.Join(t.TempDir(), "stop")
	l := job{program: program(t, ownDir+"/tiles.c"), args: []string{stop}, workers: 2, ranks: 3}.begin(t, "+ckpt-every", often)
	said := ""
	for range 2 {
		if !l.await(func() bool { return l.newest() >= l.seen+4 }) {
			break
		}
		said += l.out.String()
		l.kill()
		l.goOn("+p", "2")
	}
	l.await(func() bool { return l.newest() >= l.seen+2 })
	touch(t, stop)
	r := l.end()
	r.expectCode(t, 0)
	r.expectSays(t, "PASS tiles\n")
	if !strings.Contains(said, "amx 1") {
		t.Logf("without AMX here: %s", said)
	}
}

// TestVariants takes libraries that are linked, and such that are opened at run time, from the same folders of glibc-hwcaps as ld.so does.
func TestVariants(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := filepath.Join(dir, "variants.c")
	make := func(args ...string) {
		t.Helper()
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if err := quiet(cmd); err != nil {
			t.Fatal(err)
		}
	}
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "lib.c"), "int LEVEL_OF(void) { return LEVEL; }\n")
	for level, folder := range []string{"", "", "glibc-hwcaps/x86-64-v2", "glibc-hwcaps/x86-64-v3", "glibc-hwcaps/x86-64-v4"} {
		if level == 0 {
			continue
		}
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"linked", "opened"} {
			make("gcc", "-shared", "-fPIC", fmt.Sprintf("-DLEVEL=%d", level), "-DLEVEL_OF="+name, "-o", filepath.Join(folder, "lib"+name+".so"), "lib.c")
		}
	}
	write(source, `#include <dlfcn.h>
#include <stdio.h>
int linked(void);
int main(void)
{
	void *library = dlopen("libopened.so", RTLD_NOW);
	int (*opened)(void) = library ? (int (*)(void))dlsym(library, "opened") : NULL;
	printf("linked %d opened %d\\n", linked(), opened ? opened() : -1);
	return 0;
}
`)
	make("gcc", "-o", "native", source, "-L.", "-llinked", "-ldl", "-Wl,-rpath,$ORIGIN")
	make(tool("ampicc"), "-o", "ranks", source, "-L.", "-llinked", "-ldl", "-Wl,-rpath,$ORIGIN")
	want := finish(t, exec.Command(filepath.Join(dir, "native")))
	want.expectCode(t, 0)
	r := job{program: filepath.Join(dir, "ranks"), workers: 1, ranks: 1}.run(t)
	r.expectCode(t, 0)
	if r.stdout != want.stdout || r.stdout == "" {
		t.Errorf("%s: %q, and as a process %q", r.what, r.stdout, want.stdout)
	}
}

// TestNoShadowStacks looks whether our binaries ask for shadow stacks, with which ranks could not change stacks.
func TestNoShadowStacks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ampirun", "ampicc"} {
		out, err := exec.Command("readelf", "-nW", tool(name)).Output()
		if err != nil {
			t.Skip("no readelf here")
		}
		if strings.Contains(string(out), "SHSTK") {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// TestFixedAddresses moves ranks where the kernel puts all processes' memory at the same places.
func TestFixedAddresses(t *testing.T) {
	t.Parallel()
	if err := exec.Command("setarch", "-R", "true").Run(); err != nil {
		t.Skipf("setarch -R: %v", err)
	}
	j := job{program: program(t, ownDir+"/travel.c", "-O1"), args: []string{"60", t.TempDir()}, workers: 2, ranks: 7, env: shuffled("200us")}
	cmd, mark := j.command(t)
	cmd.Path, cmd.Args = "/usr/bin/setarch", append([]string{"setarch", "-R"}, cmd.Args...)
	r := finish(t, cmd)
	checkGone(t, mark, cmd.Args)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS travel\n")
}
