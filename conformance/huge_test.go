package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hugeMemory is what the ranks of huge.c take at most, with room for others, in KiB.
const hugeMemory = 8 << 20

// TestHuge moves messages of more than 2 GiB where there is memory for them: one between two workers, and, as that takes its time,
// all kinds only with AMPI_TEST_HUGE=1.
func TestHuge(t *testing.T) {
	t.Parallel()
	if free := availableMemory(t); free < hugeMemory {
		t.Skipf("%d MiB of memory are free, want %d", free>>10, hugeMemory>>10)
	}
	path := program(t, ownDir+"/huge.c", "-O1")
	kinds := []string{"send"}
	if os.Getenv("AMPI_TEST_HUGE") == "1" {
		kinds = []string{"send", "ints", "bcast", "allreduce", "pack"}
	}
	for _, kind := range kinds {
		r := job{program: path, args: []string{kind}, workers: 2, ranks: 2, flags: []string{"+slice", "8G"}}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS huge "+kind+"\n")
	}
}

// availableMemory is what the kernel would give without swapping, in KiB: to this machine, and to the control groups that we are in.
func availableMemory(t *testing.T) (kib int) {
	t.Helper()
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		if n, _ := fmt.Sscanf(line, "MemAvailable: %d kB", &kib); n == 1 {
			break
		}
	}
	own, _ := os.ReadFile("/proc/self/cgroup")
	_, group, _ := strings.Cut(string(own), "0::")
	group, _, _ = strings.Cut(group, "\n")
	for dir := filepath.Join("/sys/fs/cgroup", group); strings.HasPrefix(dir, "/sys/fs/cgroup"); dir = filepath.Dir(dir) {
		if left, limited := groupMemory(dir); limited {
			kib = min(kib, left>>10)
		}
	}
	return kib
}

// groupMemory is what a control group may take yet, in bytes. The files that it has cached do not count.
func groupMemory(dir string) (left int, limited bool) {
	number := func(name, format string) (n int, ok bool) {
		text, _ := os.ReadFile(filepath.Join(dir, name))
		for line := range strings.Lines(string(text)) {
			if _, err := fmt.Sscanf(line, format, &n); err == nil {
				return n, true
			}
		}
		return 0, false
	}
	most, limited := number("memory.max", "%d")
	taken, _ := number("memory.current", "%d")
	cached, _ := number("memory.stat", "inactive_file %d")
	return most - taken + cached, limited
}
