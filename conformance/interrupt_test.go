package conformance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// computesOn is a job of testdata/compute.c that ends when a file is made.
func computesOn(t *testing.T, flags ...string) (j job, stop string) {
	t.Helper()
	stop = filepath.Join(t.TempDir(), "stop")
	return job{program: program(t, ownDir+"/compute.c", flags...), args: []string{stop}, workers: 2, ranks: 10}, stop
}

func touch(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestInterruptedRanks saves a job again and again whose ranks call nothing, kills it, and has it go on: what they compute stays the same to
// the last bit.
func TestInterruptedRanks(t *testing.T) {
	t.Parallel()
	each(t, []string{"-O0", "-O1", "-O3"}, func(level string) string { return level }, func(t *testing.T, level string) {
		j, stop := computesOn(t, level)
		l := j.begin(t, "+ckpt-every", often)
		for range 4 {
			if !l.await(func() bool { return l.newest() >= l.seen+4 }) {
				break
			}
			time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
			l.kill()
			l.goOn("+p", fmt.Sprint(1+rand.IntN(4)))
		}
		l.await(func() bool { return l.newest() >= l.seen+2 })
		touch(t, stop)
		r := l.end()
		r.expectCode(t, 0)
		want := j.run(t)
		want.expectCode(t, 0)
		if r.stdout == "" || !strings.HasSuffix(want.stdout, r.stdout) || l.restarts != 4 {
			t.Errorf("%s: after %d restarts it prints something else\n%s\nwant the end of: %s", r.what, l.restarts, r.output(), short(want.stdout))
		}
	})
}

// TestInterruptedOnTerm saves ranks that compute for ever when the job is asked to end, and goes on from there.
func TestInterruptedOnTerm(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/busy.c"), args: []string{"compute"}, workers: 2, ranks: 5}
	l := j.begin(t, "+ckpt-on-term")
	l.await(func() bool { return strings.Count(l.out.String(), "ready\n") == j.ranks })
	time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
	l.cmd.Process.Signal(syscall.SIGTERM)
	r := l.end()
	r.expectCode(t, 128+int(syscall.SIGTERM))
	if l.newest() != 1 {
		t.Fatalf("%s: was not saved\n%s", r.what, r.output())
	}
	for workers := 1; workers <= 3; workers++ {
		l.goOn("+p", fmt.Sprint(workers), "+ckpt-every", often)
		if !l.saved() {
			t.Fatalf("%s: ends\n%s", commandLine(l.cmd), l.err.String())
		}
		l.kill()
	}
}
