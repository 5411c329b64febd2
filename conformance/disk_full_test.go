package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is a file system of so many bytes, which is gone after the test.
func smallDisk(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return dir
}

// fillUp takes all room that there is in a directory, and gives the file that has it.
func fillUp(t *testing.T, dir string) (path string) {
	t.Helper()
	path = filepath.Join(dir, "ballast")
	out, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for piece := make([]byte, 1<<20); len(piece) > 0; {
		if _, err := out.Write(piece); err != nil {
			piece = piece[:len(piece)/2]
		}
	}
	return path
}

// TestDiskFull fills the disk that a running job is saved on: it says so once, goes on, is saved again when there is room, and what was saved
// before is good.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	const says = "no space left on device; the job goes on, and what was saved before is kept\n"
	disk := smallDisk(t, "32m")
	l := &life{t: t, dir: filepath.Join(disk, "saves")}
	j, stop := computesOn(t)
	saving := j
	saving.flags = []string{"+ckpt", l.dir, "+ckpt-every", often}
	cmd, mark := saving.command(t)
	l.start(cmd, mark)
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	ballast := fillUp(t, disk)
	l.await(func() bool { return strings.Contains(l.err.String(), says) })
	full := l.newest()
	asked := runTool(t, "ampirun", "ctl", fmt.Sprint(cmd.Process.Pid), "checkpoint")
	asked.expectCode(t, 1)
	asked.expectSays(t, "no space left on device")
	if n := l.newest(); n != full {
		t.Fatalf("%s: checkpoint %d was made on a full disk", commandLine(cmd), n)
	}
	if n := strings.Count(l.err.String(), "no space left"); n != 2 { // by itself, and because it was asked
		t.Errorf("%s: says it %d times\n%s", commandLine(cmd), n, l.err.String())
	}
	os.Remove(ballast)
	l.await(func() bool { return l.newest() > full })
	said := strings.Count(l.err.String(), says)
	fillUp(t, disk)
	l.await(func() bool { return strings.Count(l.err.String(), says) > said })
	l.kill()
	verify := runTool(t, "ampirun", "ckpt", "verify", l.dir)
	verify.expectCode(t, 0)
	verify.expectSays(t, ": good, ")
	l.goOn("+p", "3") // on the disk that is full
	touch(t, stop)
	r := l.end()
	r.expectCode(t, 0)
	want := j.run(t)
	if r.stdout == "" || !strings.HasSuffix(want.stdout, r.stdout) {
		t.Errorf("%s: prints something else than the end of %s\n%s", r.what, want.stdout, r.output())
	}
}

// TestDiskFullNotes fills the disk while ranks make files elsewhere: that is undone all the same when the job goes on.
func TestDiskFullNotes(t *testing.T) {
	t.Parallel()
	disk := smallDisk(t, "32m")
	cmd, mark := job{program: program(t, ownDir+"/opened.c"), args: []string{"150", t.TempDir()}, workers: 2, ranks: 3,
		flags: []string{"+ckpt", filepath.Join(disk, "saves"), "+ckpt-every", "0.3"}}.command(t)
	l := &life{t: t, dir: filepath.Join(disk, "saves")}
	l.start(cmd, mark)
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	fillUp(t, disk)
	l.await(func() bool { return strings.Contains(l.err.String(), "no space left on device") })
	l.kill()
	l.goOn()
	r := l.end()
	r.expectCode(t, 0)
	r.expectSays(t, "PASS opened\n")
}
