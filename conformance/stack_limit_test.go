package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// underLimit has a command run with a soft and a hard limit, as ulimit says it ("-s 64").
func underLimit(t *testing.T, cmd *exec.Cmd, limit string) *exec.Cmd {
	t.Helper()
	limited := *cmd
	limited.Path = "/bin/sh"
	limited.Args = slices.Concat([]string{"sh", "-c", "ulimit " + limit + ` && exec "$0" "$@"`}, cmd.Args)
	if out, err := exec.Command("sh", "-c", "ulimit "+limit).CombinedOutput(); err != nil {
		t.Skipf("ulimit %s: %s", limit, out)
	}
	return &limited
}

// runUnder runs a job under a limit to its end.
func (j job) runUnder(t *testing.T, limit string) result {
	t.Helper()
	cmd, mark := j.command(t)
	cmd = underLimit(t, cmd, limit)
	r := finish(t, cmd)
	checkGone(t, mark, cmd.Args)
	return r
}

// TestStackLimit runs us under limits of the stack below, at and above what the thread-local block of a thread takes.
func TestStackLimit(t *testing.T) {
	t.Parallel()
	path := program(t, filepath.Join(ownDir, "stacks.c"), "-pthread")
	each(t, []string{"64", "256", "1024", "2048", "2056", "4096", "65536", "unlimited"}, func(size string) string { return size }, func(t *testing.T, size string) {
		limit := "-s " + size
		r := finish(t, underLimit(t, exec.Command(tool("ampirun"), "--version"), limit))
		r.expectCode(t, 0)
		r = job{program: path, workers: 2, ranks: 4}.runUnder(t, limit)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS stacks")
	})
}

// extremes are the limits of the stack that are hardest for the C library's own rules.
var extremes = []string{"-s 64", "-s 2048", "-s unlimited"}

// TestStackLimitMethods does so with each method of privatization.
func TestStackLimitMethods(t *testing.T) {
	t.Parallel()
	path := program(t, filepath.Join(ownDir, "stacks.c"), "-pthread")
	each(t, extremes, func(limit string) string { return limit }, func(t *testing.T, limit string) {
		for _, method := range []string{"fs", "pip", "tls", "none"} {
			r := job{program: path, workers: 2, ranks: 2, flags: []string{"+privatize", method, "+fs-dir", t.TempDir()}}.runUnder(t, limit)
			r.expectCode(t, 0)
			r.expectSays(t, "PASS stacks")
		}
	})
}

// TestStackLimitExamples runs the programs of the demonstration.
func TestStackLimitExamples(t *testing.T) {
	t.Parallel()
	each(t, extremes, func(limit string) string { return limit }, func(t *testing.T, limit string) {
		for _, name := range []string{"stencil", "cg", "particles"} {
			job{program: example(t, name), workers: 2, ranks: 16}.runUnder(t, limit).expectCode(t, 0)
		}
	})
}

// TestStackLimitWrappers compiles, in C and Fortran, where the compilers themselves can.
func TestStackLimitWrappers(t *testing.T) {
	t.Parallel()
	each(t, extremes, func(limit string) string { return limit }, func(t *testing.T, limit string) {
		for wrapper, source := range map[string]string{"ampicc": "stacks.c", "ampif90": "units.f90"} {
			file, err := filepath.Abs(filepath.Join(ownDir, source))
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(tool(wrapper), "-o", filepath.Join(t.TempDir(), "a.out"), file)
			finish(t, underLimit(t, cmd, limit)).expectCode(t, 0)
		}
	})
}

// TestStackLimitRestart kills a job under one limit and restarts it under the next one.
func TestStackLimitRestart(t *testing.T) {
	t.Parallel()
	path := program(t, filepath.Join(ownDir, "stacks.c"), "-pthread")
	l := &life{t: t, dir: filepath.Join(t.TempDir(), "saves")}
	cmd, mark := job{program: path, args: []string{"1000000"}, workers: 2, ranks: 4, flags: []string{"+ckpt", l.dir, "+ckpt-every", often}}.command(t)
	l.start(underLimit(t, cmd, "-s unlimited"), mark)
	for _, limit := range []string{"-s 64", "-s 1024"} {
		if !l.saved() {
			t.Fatalf("it ended: %s", l.err.String())
		}
		l.kill()
		l.goOnUnder(limit, "+ckpt-every", often)
	}
	if !l.saved() {
		t.Fatalf("it ended: %s", l.err.String())
	}
	l.kill()
}

// goOnUnder restarts the job under a limit.
func (l *life) goOnUnder(limit string, flags ...string) {
	l.t.Helper()
	l.seen = l.newest()
	cmd := exec.Command(tool("ampirun"), append([]string{"+restart", l.dir}, flags...)...)
	job{}.prepare(l.t, cmd)
	cmd.Env = append(cmd.Env, l.mark)
	l.start(underLimit(l.t, cmd, limit), l.mark)
}

// TestStackLimitEnvironment leaves little of the initial thread's stack: the kernel puts the environment there, and some bytes at random.
func TestStackLimitEnvironment(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, filepath.Join(ownDir, "stacks.c"), "-pthread"), workers: 2, ranks: 4}
	for range 10 {
		finish(t, crowded(t, exec.Command(tool("ampirun"), "--version"))).expectCode(t, 0)
	}
	cmd, mark := j.command(t)
	r := finish(t, crowded(t, cmd))
	checkGone(t, mark, cmd.Args)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS stacks")
}

// crowded has a command run with a large environment for its stack.
func crowded(t *testing.T, cmd *exec.Cmd) *exec.Cmd {
	t.Helper()
	most := 48000
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	for _, v := range cmd.Env {
		most -= len(v) + len("\x00") + 8 // and its address
	}
	if most < 0 {
		t.Skip("the environment is large as it is")
	}
	cmd.Env = append(cmd.Env, "ROOM="+strings.Repeat("x", most))
	return underLimit(t, cmd, "-s 64")
}
