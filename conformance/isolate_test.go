package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// needKeys skips a test on a processor without protection keys.
func needKeys(t *testing.T) {
	t.Helper()
	if text, _ := os.ReadFile("/proc/cpuinfo"); !strings.Contains(string(text), " ospke") {
		t.Skip("this processor has no protection keys")
	}
}

func isolated(how, where string, workers, ranks int) job {
	return job{args: []string{how, where}, workers: workers, ranks: ranks, flags: []string{"+isolate"}}
}

// TestIsolate has rank 0 touch memory of the last rank: in another worker, in its own, and where there are more ranks than keys.
func TestIsolate(t *testing.T) {
	needKeys(t)
	path := program(t, ownDir+"/isolated.c", "-O0", "-g", "-pthread")
	places := map[string]string{"heap": "heap", "stack": "stack", "global": "program or libraries"}
	var rows []job
	for where := range places {
		rows = append(rows, isolated("store", where, 2, 4))
	}
	for _, how := range []string{"load", "asleep", "handler"} {
		rows = append(rows, isolated(how, "global", 1, 4))
	}
	rows = append(rows, isolated("store", "heap", 1, 40), isolated("load", "stack", 2, 40))
	name := func(j job) string { return fmt.Sprint(j.args, j.workers, j.ranks) }
	each(t, rows, name, func(t *testing.T, j job) {
		j.program = path
		r := j.run(t)
		r.expectCode(t, 139)
		what, in := "a store", "store() isolated.c:"
		if j.args[0] == "load" {
			what, in = "a load", "main() isolated.c:"
		}
		r.expectSays(t, "rank 0: SIGSEGV", fmt.Sprintf("in rank %d's %s, %s that +isolate forbids, in %s", j.ranks-1, places[j.args[1]], what, in))
	})
}

// TestIsolateElsewhere does the same in a thread and in a system call, with a handler of its own, and on ranks that move.
func TestIsolateElsewhere(t *testing.T) {
	needKeys(t)
	path := program(t, ownDir+"/isolated.c", "-O0", "-g", "-pthread")
	run := func(j job) result {
		j.program = path
		return j.run(t)
	}
	r := run(isolated("thread", "heap", 2, 4))
	r.expectCode(t, 139)
	r.expectSays(t, "rank 0: SIGSEGV in a thread that it started: the address is in rank 3's heap")
	for _, how := range []string{"system", "probe", "nothing"} {
		r = run(isolated(how, "stack", 1, 20))
		r.expectCode(t, 0)
		r.expectSays(t, "untouched: 1\n")
	}
	j := isolated("store", "heap", 2, 20)
	j.env = []string{"AMPI_SHUFFLE=300us"}
	r = run(j)
	r.expectCode(t, 139)
	r.expectSays(t, "rank 0: SIGSEGV", "in rank 19's heap, a store that +isolate forbids")
}

// TestIsolateRuns has programs of all kinds do without each other's memory: the runtime reaches what it must. Their ranks move.
func TestIsolateRuns(t *testing.T) {
	needKeys(t)
	paths := []string{mpiDir + "/coll_stress.c", mpiDir + "/user_ops.c", mpiDir + "/errhandler.c", mpiDir + "/f_p2p.f90", mpiDir + "/threads_p2p.c",
		langDir + "/mapped_files.c", langDir + "/signals.c", langDir + "/timers.c", langDir + "/children.c", langDir + "/thread_ends.cpp"}
	each(t, paths, filepath.Base, func(t *testing.T, path string) {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		ranks := 20
		if strings.Contains(name, "thread") || name == "signals" {
			ranks = 9 // each needs a key for its threads
		}
		j := job{program: program(t, path, "-pthread"), workers: 2, ranks: ranks, flags: []string{"+isolate"}, env: []string{"AMPI_SHUFFLE=2ms"}}
		r := j.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS "+name)
	})
}

// TestIsolateGoesOn saves a job and restarts it. It is isolated if it was before.
func TestIsolateGoesOn(t *testing.T) {
	needKeys(t)
	path := program(t, ownDir+"/isolated.c", "-O0", "-g", "-pthread")
	j := job{program: path, args: []string{"later", "heap"}, workers: 2, ranks: 4}
	l := j.begin(t, "+isolate", "+ckpt-every", often)
	l.saved()
	l.kill()
	l.goOn()
	r := l.end()
	r.expectCode(t, 139)
	r.expectSays(t, "rank 0: SIGSEGV", "in rank 3's heap, a store that +isolate forbids")
	l = j.begin(t, "+ckpt-every", often)
	l.saved()
	l.kill()
	l.goOn("+isolate")
	r = l.end()
	r.expectCode(t, 2)
	r.expectSays(t, "+isolate: the job was saved without it")
}

// TestIsolateRefused asks for it where it cannot be had.
func TestIsolateRefused(t *testing.T) {
	path := program(t, ownDir+"/isolated.c", "-O0", "-g", "-pthread")
	refuse := func(says string, j job) {
		t.Helper()
		j.program, j.args, j.workers = path, []string{"threads", "heap"}, 1
		j.flags = append(j.flags, "+isolate")
		r := j.run(t)
		r.expectCode(t, 2)
		r.expectSays(t, says)
	}
	refuse("+isolate needs protection keys", job{ranks: 2, kernel: kernel{answered(unix.SYS_PKEY_ALLOC, unix.SYS_PKEY_ALLOC, unix.ENOSYS)}})
	refuse("+isolate: under +privatize none", job{ranks: 2, flags: []string{"+privatize", "none"}})
	refuse("+isolate: the heap of ranks is the C library's", job{ranks: 2, flags: []string{"+heap", "host"}})
	refuse("+isolate: not with +migrate copy", job{ranks: 2, flags: []string{"+migrate", "copy"}})
	needKeys(t)
	refuse("have all protection keys of +isolate: take more workers (+p)", job{ranks: 40})
}
