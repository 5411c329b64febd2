package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestCopyDirectory checks that the directory for copies is left empty, whether the job succeeds or not, and that one that
// cannot serve is refused in one line.
func TestCopyDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	hello := program(t, ownDir+"/hello.c")
	job{program: hello, workers: 2, ranks: 4, flags: []string{"+privatize", "fs", "+fs-dir", dir}}.run(t).expectCode(t, 0)
	job{program: hello, workers: 2, ranks: 4, flags: []string{"+privatize", "fs", "+fs-dir", dir, "+slice", "66M", "+stack", "64M"}}.run(t)
	stale := filepath.Join(dir, "ampirun-fs-999999999-old")
	if err := os.MkdirAll(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	job{program: hello, workers: 1, ranks: 1, flags: []string{"+privatize", "fs", "+fs-dir", dir}}.run(t).expectCode(t, 0)
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left in the directory: %v %v", left, err)
	}
	for _, bad := range []string{"/proc", filepath.Join(dir, "nothing")} {
		r := job{program: hello, workers: 1, ranks: 1, flags: []string{"+privatize", "fs", "+fs-dir", bad}}.run(t)
		r.expectCode(t, 2)
		r.expectSays(t, "+fs-dir "+bad)
	}
}

// TestCopyDirectoryMounts gives the method fs file systems that are full, read-only or not for programs. They are mounted in a name
// space of the test's own, where the kernel lets ordinary users have one.
func TestCopyDirectoryMounts(t *testing.T) {
	t.Parallel()
	hello := program(t, ownDir+"/hello.c")
	for name, row := range map[string]struct{ options, says string }{
		"full":           {"size=64k", "no space left on device"},
		"full at second": {"size=1m", "no space left on device"},
		"read-only":      {"ro", "read-only file system"},
		"noexec":         {"noexec", "noexec"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			r := mounted(t, row.options, dir, `"$2" +p 2 +vp 8 +privatize fs +fs-dir "$1" "$3"; code=$?; ls -A "$1" >&2; exit $code`, hello)
			r.expectCode(t, 2)
			r.expectSays(t, "+fs-dir "+dir, row.says)
			if lines := strings.Count(r.stderr, "\n"); lines != 1 {
				t.Errorf("%s: %d lines, or something is left\n%s", name, lines, r.output())
			}
		})
	}
}

// mounted runs a shell script as `script DIR AMPIRUN PROGRAM` with a file system in memory at DIR.
func mounted(t *testing.T, options, dir, script, program string) result {
	t.Helper()
	try := exec.Command("unshare", "-rm", "mount", "-t", "tmpfs", "-o", options, "none", dir)
	if out, err := try.CombinedOutput(); err != nil {
		t.Skipf("the kernel lets us mount nothing: %v %s", err, out)
	}
	cmd := exec.Command("unshare", "-rm", "sh", "-c", `mount -t tmpfs -o `+options+` none "$1" && { `+script+`; }`, "sh", dir, tool("ampirun"), program)
	job{}.prepare(t, cmd)
	return finish(t, cmd)
}

// TestCopyDirectoryEnds checks that the directory is gone however a job ends, also without a chance to clean up: once ranks run
// it has no files, and then it is removed.
func TestCopyDirectoryEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(l *live){
		"SIGINT":         func(l *live) { l.cmd.Process.Signal(syscall.SIGINT) },
		"SIGTERM":        func(l *live) { l.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGKILL":        func(l *live) { l.cmd.Process.Kill() },
		"worker SIGKILL": func(l *live) { syscall.Kill(workers(l.mark)[0].pid, syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			l := startBusy(t, "talk", "+privatize", "fs", "+fs-dir", dir)
			end(l)
			l.end().expectFailure(t)
			awaitGone(t, l.mark)
			if left, _ := filepath.Glob(dir + "/*"); len(left) > 0 {
				t.Errorf("left in the directory: %v", left)
			}
		})
	}
}
