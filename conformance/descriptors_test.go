package conformance

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// keepers use files and other descriptors in rounds, and look whether they are what they were. Arguments: rounds, a directory.
var keepers = []string{"kept.c", "opened.c", "units.f90", "filestreams.cpp"}

// TestRestartDescriptors kills jobs whose ranks have descriptors of every kind that can be saved, and files that they open anew.
func TestRestartDescriptors(t *testing.T) {
	t.Parallel()
	each(t, keepers, func(file string) string { return file }, func(t *testing.T, file string) {
		l := job{program: program(t, filepath.Join(ownDir, file)), args: []string{"60", t.TempDir()}, workers: 3, ranks: 4}.begin(t, "+ckpt-every", often)
		r := l.survive(3)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS "+row{file: file}.name())
		l.expectRestarts(r)
	})
}

// restarted are programs of testdata/lang whose ranks have timers, handlers, locales, jump buffers, hidden state of libraries. Those that write
// over what is in a file already are not among them, since that is not undone, unless the file has no name.
var restarted = []string{"exceptions.cpp", "fortran_state.f90", "jumps.c", "libc_state.c", "library_maps.c", "mapped_files.c", "memory_calls.c", "timers.c"}

// TestRestartLang kills programs of testdata/lang once, at a random moment; some are over before they are saved.
func TestRestartLang(t *testing.T) {
	t.Parallel()
	each(t, restarted, func(file string) string { return file }, func(t *testing.T, file string) {
		path := program(t, filepath.Join(langDir, file))
		l := job{program: path, workers: 2, ranks: 5, dir: filepath.Dir(path)}.begin(t, "+ckpt-every", "0.01")
		r := l.survive(1)
		l.skipRemoved()
		r.expectCode(t, 0)
		r.expectSays(t, "PASS "+row{file: file}.name())
	})
}

// expectRestarts checks that the job was saved and killed at least once.
func (l *life) expectRestarts(r result) {
	l.t.Helper()
	if l.restarts == 0 {
		l.t.Fatalf("%s: ended before it was saved: %s", r.what, short(r.stderr))
	}
}

// TestCheckpointRefused names what keeps a job from being saved; the job goes on.
func TestCheckpointRefused(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/steady.c")
	each(t, []struct{ what, says string }{
		{"socket", "is a socket, which cannot be opened again"},
		{"datagrams", "is a socket, which cannot be opened again"},
		{"inotify", "is an object of the kernel (inotify), which cannot be opened again"},
		{"input", "is a pipe, which the job (it was started with it) has open too"},
		{"fifo", "/fifo, which rank "},
		{"epoll", "an epoll watches what was its descriptor"},
	}, func(c struct{ what, says string }) string { return c.what }, func(t *testing.T, c struct{ what, says string }) {
		l := job{program: path, args: []string{"20", c.what}, workers: 2, ranks: 3, dir: t.TempDir(), stdin: "something"}.begin(t)
		l.await(func() bool { return strings.Contains(l.out.String(), "round 3\n") })
		l.cmd.Process.Signal(syscall.SIGUSR2)
		r := l.end()
		r.expectCode(t, 0)
		r.expectSays(t, "PASS steady", "no checkpoint: rank ", " cannot be saved: ", c.says, "the job goes on")
		if n := strings.Count(r.stderr, "cannot be saved"); n != 1 {
			t.Errorf("%s: says %d times why it cannot be saved\n%s", r.what, n, r.output())
		}
		if l.newest() != 0 {
			t.Errorf("%s: has been saved nevertheless", r.what)
		}
	})
}
