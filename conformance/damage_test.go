package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// harm changes the largest file of the newest checkpoint, or its manifest.
func (l *life) harm(t *testing.T, kind string) {
	t.Helper()
	folder := filepath.Join(l.dir, fmt.Sprintf("%06d", l.newest()))
	files, _ := filepath.Glob(filepath.Join(folder, fmt.Sprintf("%06d-*.pack", l.newest())))
	path := filepath.Join(folder, "manifest")
	if kind != "manifest" {
		if len(files) == 0 {
			t.Fatalf("%s has no pack", folder)
		}
		path = files[0]
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if kind == "cut" {
		text = text[:len(text)/2]
	} else {
		text[len(text)/3] ^= 4
	}
	os.Remove(path)
	if err := os.WriteFile(path, text, 0o400); err != nil {
		t.Fatal(err)
	}
}

// TestDamaged goes on from the checkpoint before one that is not as it was written, and says so.
func TestDamaged(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"60"}, workers: 2, ranks: 5}
	want := j.run(t)
	each(t, []string{"changed", "cut", "manifest"}, func(kind string) string { return kind }, func(t *testing.T, kind string) {
		t.Run("restart", func(t *testing.T) {
			l := j.begin(t, "+ckpt-every", "0.1")
			l.await(func() bool { return l.newest() > 3 })
			l.kill()
			bad := l.newest()
			l.harm(t, kind)
			l.goOn()
			r := l.end()
			r.expectCode(t, 0)
			r.expectSays(t, fmt.Sprintf("checkpoint %d is damaged: ", bad), "taking an older one")
			if r.stdout == "" || !strings.HasSuffix(want.stdout, r.stdout) {
				t.Errorf("%s: prints something else than the end of %s\n%s", r.what, want.stdout, r.output())
			}
		})
		t.Run("recovery", func(t *testing.T) {
			l := &life{t: t, dir: filepath.Join(t.TempDir(), "saves")}
			j := j
			j.flags = []string{"+ft", "disk", "+ckpt", l.dir, "+ckpt-every", "1h"}
			cmd, mark := j.command(t)
			l.start(cmd, mark)
			for range 2 {
				before := l.newest()
				l.await(func() bool { return strings.Contains(l.out.String(), fmt.Sprintf("round %d\n", 5+5*before)) })
				cmd.Process.Signal(syscall.SIGUSR2)
				l.await(func() bool { return l.newest() > before })
			}
			l.harm(t, kind)
			l.strike(syscall.SIGKILL)
			r := l.end()
			r.expectCode(t, 0)
			r.expectSays(t, "checkpoint 2: ", "going on from an older one")
			if r.stdout != want.stdout {
				t.Errorf("%s: prints something else than without failures\n%s", r.what, r.output())
			}
		})
	})
}

// TestDamagedAll refuses a directory in which nothing is left to go on from.
func TestDamagedAll(t *testing.T) {
	t.Parallel()
	l := job{program: program(t, ownDir+"/steady.c"), args: []string{"20", "call"}, workers: 2, ranks: 5}.begin(t)
	l.end().expectCode(t, 0)
	l.harm(t, "changed")
	l.goOn()
	r := l.end()
	r.expectCode(t, 2)
	r.expectSays(t, "checkpoint 1 is damaged: ", "there is no checkpoint that is not damaged")
}

// TestDamagedOther does not go on with the checkpoint of another job that had the same directory.
func TestDamagedOther(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"20", "call"}, workers: 2, ranks: 5}
	l := j.begin(t)
	l.end().expectCode(t, 0)
	j.flags = []string{"+ckpt", l.dir}
	j.run(t).expectCode(t, 0)
	l.harm(t, "changed")
	for range 2 { // nothing is used up
		l.goOn()
		r := l.end()
		r.expectCode(t, 2)
		r.expectSays(t, "checkpoint 2 is damaged: ", "checkpoint 1 is another job's (", "ampirun ckpt rm "+l.dir+" 2)")
	}
	if out, err := exec.Command(tool("ampirun"), "ckpt", "rm", l.dir, "2").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	l.goOn()
	r := l.end()
	r.expectCode(t, 0)
	r.expectSays(t, "PASS steady")
}
