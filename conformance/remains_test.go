package conformance

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// process is a process of a run, known by the mark in its environment.
type process struct {
	pid     int
	command string
}

// processes finds the processes, zombies excepted, that have mark in their environment.
func processes(mark string) (found []process) {
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, environ := range entries {
		text, err := os.ReadFile(environ)
		if err != nil || !bytes.Contains(append(text, 0), append([]byte(mark), 0)) {
			continue
		}
		dir := filepath.Dir(environ)
		pid, _ := strconv.Atoi(filepath.Base(dir))
		command, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		found = append(found, process{pid, strings.ReplaceAll(string(command), "\x00", " ")})
	}
	return found
}

// workers finds the worker processes of a run. Children that ranks have forked have their name, too, but only one thread.
func workers(mark string) (found []process) {
	for _, p := range processes(mark) {
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", p.pid))
		if strings.HasPrefix(p.command, "ampirun-worker ") && len(threads) > 1 {
			found = append(found, p)
		}
	}
	return found
}

// checkGone checks that nothing of a run is left: no process, nothing in shared memory.
func checkGone(t *testing.T, mark string, what []string) {
	t.Helper()
	if left := processes(mark); len(left) > 0 {
		t.Errorf("%s: left processes running: %v", strings.Join(what, " "), left)
	}
	checkSharedMemory(t)
}

// awaitGone is checkGone for a run whose manager was killed: its workers die by themselves.
func awaitGone(t *testing.T, mark string) {
	t.Helper()
	await(t, "the workers to end", func() bool { return len(processes(mark)) == 0 })
	checkSharedMemory(t)
}

// checkSharedMemory looks for files with our name; the region is to be anonymous.
func checkSharedMemory(t *testing.T) {
	t.Helper()
	if left, _ := filepath.Glob("/dev/shm/*ampi*"); len(left) > 0 {
		t.Errorf("left in shared memory: %v", left)
	}
}

// await waits for a condition. When it does not come true the test fails and shows what was seen last.
func await(t *testing.T, what string, condition func() bool, seen ...*string) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			for _, s := range seen {
				t.Log(short(*s))
			}
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
