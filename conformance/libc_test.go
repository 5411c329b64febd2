package conformance

import (
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ampirun/internal/abi"
	"ampirun/privatize"
)

// alteredLibc is the folder of a copy of this machine's C library in which the symbol name has another value: that of the symbol to, or none.
func alteredLibc(t *testing.T, prog, name, to string) string {
	t.Helper()
	libs, err := privatize.Resolve(prog, nil, abi.Known)
	if err != nil {
		t.Fatal(err)
	}
	path := ""
	for _, l := range libs {
		if l.Name == "libc.so.6" {
			path = l.Path
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		t.Fatal(err)
	}
	value := uint64(0)
	for _, s := range symbols {
		if s.Name == to {
			value = s.Value
		}
	}
	for i, s := range symbols {
		if s.Name == name { // the table begins with a symbol that DynamicSymbols leaves out
			binary.LittleEndian.PutUint64(data[f.Section(".dynsym").Offset+uint64(i+1)*elf.Sym64Size+8:], value)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "libc.so.6"), data, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestLibcRefused gives ampirun and its program a C library that lacks something of its inside, and one that does something else than it should.
func TestLibcRefused(t *testing.T) {
	t.Parallel()
	prog := program(t, ownDir+"/hello.c")
	for _, c := range []struct{ name, to, says string }{
		{"__ctype_init", "", "has no start of character tables that can be found: it has no symbol __ctype_init"},
		{"_IO_file_write", "stdout", "has no table of file operations that can be found: _IO_file_write is not code"},
		{"sched_getcpu", "getpid", `failed its trial at the step "processor": the number of the processor is wrong`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := alteredLibc(t, prog, c.name, c.to)
			r := job{program: prog, workers: 1, ranks: 2, env: []string{"LD_LIBRARY_PATH=" + dir, "XDG_CACHE_HOME=" + t.TempDir()}}.run(t)
			r.expectCode(t, 2)
			r.expectSays(t, dir+"/libc.so.6: (glibc 2.", c.says, "+privatize fs or pip")
		})
	}
}

// TestLibcTried looks whether a trial is noted, once, where nobody else can write.
func TestLibcTried(t *testing.T) {
	t.Parallel()
	prog, cache := program(t, ownDir+"/hello.c"), t.TempDir()
	notes := filepath.Join(cache, "ampirun-trials")
	for range 2 {
		job{program: prog, workers: 2, ranks: 2, env: []string{"XDG_CACHE_HOME=" + cache}}.run(t).expectCode(t, 0)
		list, err := os.ReadDir(notes)
		if err != nil || len(list) != 1 {
			t.Fatalf("%d notes, %v", len(list), err)
		}
		if info, err := list[0].Info(); err != nil || info.Mode() != 0o600 {
			t.Errorf("the note: %v, %v", info, err)
		}
	}
	if err := os.Chmod(notes, 0o777); err != nil {
		t.Fatal(err)
	}
	job{program: prog, workers: 2, ranks: 2, env: []string{"XDG_CACHE_HOME=" + cache}}.run(t).expectCode(t, 0)
	job{program: prog, workers: 2, ranks: 2, env: []string{"XDG_CACHE_HOME=", "HOME=", "TMPDIR=" + cache}}.run(t).expectCode(t, 0)
}

// TestLibcTriedForRestart moves a job to a system on which the C library was not tried, and to one where it does something else than it should.
func TestLibcTriedForRestart(t *testing.T) {
	t.Parallel()
	prog := program(t, ownDir+"/steady.c")
	l := job{program: prog, args: []string{"60"}, workers: 2, ranks: 5}.begin(t)
	l.await(func() bool { return strings.Contains(l.out.String(), "round 5\n") })
	l.cmd.Process.Signal(syscall.SIGUSR2)
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	l.kill()
	restart := func(env ...string) result {
		cmd := exec.Command(tool("ampirun"), "+restart", l.dir)
		job{}.prepare(t, cmd)
		cmd.Env = append(append(cmd.Env, l.mark), env...)
		return finish(t, cmd)
	}
	r := restart("LD_LIBRARY_PATH="+alteredLibc(t, prog, "sched_getcpu", "getpid"), "XDG_CACHE_HOME="+t.TempDir())
	r.expectCode(t, 2)
	r.expectSays(t, "+restart "+l.dir+": ", `failed its trial at the step "processor"`, "go on where this C library")
	cache := t.TempDir()
	restart("XDG_CACHE_HOME="+cache).expectCode(t, 0)
	if list, err := os.ReadDir(filepath.Join(cache, "ampirun-trials")); err != nil || len(list) != 1 {
		t.Errorf("%d notes, %v", len(list), err)
	}
}
