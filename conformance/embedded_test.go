package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kept is testdata/embedded.c with its libraries in a directory of its own.
func kept(t *testing.T) (path string, files []string) {
	t.Helper()
	built, dir := program(t, ownDir+"/embedded.c"), t.TempDir()
	for _, name := range []string{"embedded", "liblinked.so", "libopened.so"} {
		files = append(files, filepath.Join(dir, name))
		copyFile(t, filepath.Join(filepath.Dir(built), name), filepath.Join(dir, name))
	}
	return files[0], files
}

// spoil removes a file, or puts another one in its place.
func spoil(t *testing.T, path string, replace bool) {
	t.Helper()
	err := os.RemoveAll(path)
	if err == nil && replace {
		err = os.WriteFile(path, []byte("something else"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// opened waits until all ranks have their library, and has saved wait for a checkpoint that was begun later.
func (l *life) opened() *life {
	l.t.Helper()
	l.await(func() bool { return strings.Contains(l.out.String(), "round 0 ") })
	l.seen = l.newest() + 1
	return l
}

// TestRestartEmbedded goes on from checkpoints alone, several times, each time from one that a job wrote which had no other files either.
func TestRestartEmbedded(t *testing.T) {
	t.Parallel()
	each(t, []bool{false, true}, func(replace bool) string { return fmt.Sprintf("replaced %v", replace) }, func(t *testing.T, replace bool) {
		path, files := kept(t)
		j := job{program: path, args: []string{"60"}, workers: 2, ranks: 5}
		want := j.run(t)
		want.expectCode(t, 0)
		l := j.begin(t, "+ckpt-every", often, "+ckpt-embed", "+ckpt-keep", "1").opened()
		for i := range 4 {
			if !l.saved() {
				t.Fatalf("no checkpoint: %s", l.err.String())
			}
			l.kill()
			if i < len(files) {
				spoil(t, files[i], replace)
			}
			l.goOn("+p", fmt.Sprint(1+i%3))
		}
		r := l.end()
		r.expectCode(t, 0)
		if strings.Contains(r.stdout, "round 0 ") || r.stdout == "" || !strings.HasSuffix(want.stdout, r.stdout) {
			t.Errorf("%s: prints something else than the end of %s\n%s", r.what, want.stdout, r.output())
		}
	})
}

// TestRestartEmbeddedSeen looks at a job whose files are in its checkpoint alone.
func TestRestartEmbeddedSeen(t *testing.T) {
	t.Parallel()
	path, files := kept(t)
	l := job{program: path, args: []string{"1000000"}, workers: 2, ranks: 4}.begin(t, "+ckpt-every", often, "+ckpt-embed").opened()
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	l.kill()
	for _, file := range files {
		spoil(t, file, false)
	}
	l.goOn("+p", "1")
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	trace := runTool(t, "ampirun", "--backtrace", fmt.Sprint(l.cmd.Process.Pid))
	trace.expectCode(t, 0)
	trace.expectSays(t, "main() embedded.c:")
	debugged := gdb(t, []string{"-p", fmt.Sprint(workers(l.mark)[0].pid)}, "rank 1", "frame function main")
	debugged.expectSays(t, "in main (argc=2, argv=", "embedded.c:")
	l.kill()
}

// TestRestartNotEmbedded names what is missing when the checkpoint does not have it.
func TestRestartNotEmbedded(t *testing.T) {
	t.Parallel()
	path, files := kept(t)
	l := job{program: path, args: []string{"1000"}, workers: 2, ranks: 3}.begin(t, "+ckpt-every", often)
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	l.kill()
	for _, file := range files {
		old := filepath.Join(t.TempDir(), "old")
		copyFile(t, file, old)
		for _, replace := range []bool{false, true} {
			spoil(t, file, replace)
			r := runTool(t, "ampirun", "+restart", l.dir)
			r.expectCode(t, 2)
			r.expectSays(t, file, "+ckpt-embed makes one")
		}
		copyFile(t, old, file)
	}
}

// TestRestartEmbeddedDamaged refuses an embedded file that has changed.
func TestRestartEmbeddedDamaged(t *testing.T) {
	t.Parallel()
	path, _ := kept(t)
	l := job{program: path, args: []string{"1000"}, workers: 1, ranks: 2}.begin(t, "+ckpt-every", often, "+ckpt-embed")
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	l.kill()
	images, err := filepath.Glob(filepath.Join(l.dir, "*", "*.image"))
	if err != nil || len(images) == 0 {
		t.Fatalf("%v, %v", images, err)
	}
	for _, image := range images {
		spoil(t, image, true)
	}
	spoil(t, path, false)
	r := runTool(t, "ampirun", "+restart", l.dir)
	r.expectCode(t, 2)
	r.expectSays(t, ".image: it is not the "+path+" that was embedded")
}

// TestRestartOtherLauncher has another ampirun go on: the one in the checkpoint does, if there is one.
func TestRestartOtherLauncher(t *testing.T) {
	t.Parallel()
	other := filepath.Join(t.TempDir(), "ampirun")
	copyFile(t, tool("ampirun"), other)
	f, err := os.OpenFile(other, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString("another build"); err != nil {
		t.Fatal(err)
	}
	f.Close()
	each(t, []bool{false, true}, func(embed bool) string { return fmt.Sprintf("embedded %v", embed) }, func(t *testing.T, embed bool) {
		flags := []string{"+ckpt-every", often}
		if embed {
			flags = append(flags, "+ckpt-embed")
		}
		j := job{program: program(t, ownDir+"/steady.c"), args: []string{"30"}, workers: 2, ranks: 3}
		want := j.run(t)
		l := j.begin(t, flags...)
		if !l.saved() {
			t.Fatalf("no checkpoint: %s", l.err.String())
		}
		l.kill()
		goOn := func() result {
			cmd := exec.Command(other, "+restart", l.dir)
			job{}.prepare(t, cmd)
			cmd.Env = append(cmd.Env, l.mark)
			r := finish(t, cmd)
			checkGone(t, l.mark, cmd.Args)
			return r
		}
		if !embed {
			r := goOn()
			r.expectCode(t, 2)
			r.expectSays(t, "the job was saved by another ampirun", tool("ampirun")+": ")
			return
		}
		for range 2 {
			r := goOn()
			r.expectCode(t, 0)
			r.expectSays(t, "goes on with that one")
			if r.stdout == "" || !strings.HasSuffix(want.stdout, r.stdout) {
				t.Errorf("%s: prints something else than the end of %s\n%s", r.what, want.stdout, r.output())
			}
		}
	})
}

// TestRestartWithoutDirectory names the directory that the job worked in when it is not there.
func TestRestartWithoutDirectory(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "work")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	l := job{program: program(t, ownDir+"/steady.c"), args: []string{"1000"}, workers: 1, ranks: 2, dir: dir}.begin(t, "+ckpt-every", often)
	if !l.saved() {
		t.Fatalf("no checkpoint: %s", l.err.String())
	}
	l.kill()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	r := runTool(t, "ampirun", "+restart", l.dir)
	r.expectCode(t, 2)
	r.expectSays(t, "the job worked in "+dir+": no such file or directory")
}
