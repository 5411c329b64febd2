package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

const pythonDir = root + "/testdata/python"

// pythonLibrary finds the interpreter that programs can be linked with.
func pythonLibrary(t *testing.T) string {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/x86_64-linux-gnu/libpython3.*.so.1.0")
	if len(found) == 0 {
		t.Skip("no libpython3 here: apt-get install libpython3.11 runs this test")
	}
	return filepath.Base(found[len(found)-1])
}

// TestPython runs an interpreter in every rank, which loads compiled modules while it runs.
func TestPython(t *testing.T) {
	t.Parallel()
	launcher := program(t, filepath.Join(pythonDir, "launcher.c"), "-Wl,--no-as-needed", "-l:"+pythonLibrary(t))
	for _, script := range []string{"stdlib", "array", "ring"} {
		t.Run(script, func(t *testing.T) {
			if script == "array" {
				needNumpy(t)
			}
			path, err := filepath.Abs(filepath.Join(pythonDir, script+".py"))
			if err != nil {
				t.Fatal(err)
			}
			for _, workers := range []int{1, 2} {
				checkPython(t, job{program: launcher, args: []string{"-B", path}, workers: workers, ranks: 4}, script)
			}
		})
	}
}

func checkPython(t *testing.T, j job, script string) {
	t.Helper()
	r := j.run(t)
	r.expectCode(t, 0)
	for rank := range j.ranks {
		r.expectSays(t, fmt.Sprintf("PASS %s %d\n", script, rank))
	}
}

func needNumpy(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/usr/lib/python3/dist-packages/numpy"); err != nil {
		t.Skip("no numpy here: apt-get install python3-numpy runs this test")
	}
}
