package conformance

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestMPICH compares what ordinary MPI programs print here and under Debian's MPICH.
func TestMPICH(t *testing.T) {
	t.Parallel()
	if !*withMPICH {
		t.Skip("not asked for: -mpich, or AMPI_TEST_MPICH=1")
	}
	if _, err := exec.LookPath(mpich.c); err != nil {
		t.Skip("MPICH is not installed")
	}
	each(t, mpiManifest(t), func(r row) string { return r.file }, func(t *testing.T, r row) {
		for _, ranks := range []int{1, 2, 4} {
			if !r.fits(ranks) || r.exemptFromMPICH(ranks) {
				continue
			}
			theirs := runMPICH(t, filepath.Join(mpiDir, r.file), ranks)
			theirs.expectCode(t, 0)
			runMPI(t, r.file, 2, ranks).expectSameLines(t, theirs)
		}
	})
}

// TestMPICHLang compares exit codes of programs of testdata/lang, where MPICH's tell anything.
func TestMPICHLang(t *testing.T) {
	t.Parallel()
	if !*withMPICH {
		t.Skip("not asked for: -mpich, or AMPI_TEST_MPICH=1")
	}
	each(t, langManifest(t), func(r row) string { return r.file }, func(t *testing.T, r row) {
		code, err := strconv.Atoi(r.mpich)
		if err != nil || r.file == "exit_order.c" {
			t.Skip("no exit code to compare")
		}
		runMPICH(t, filepath.Join(langDir, r.file), 2).expectCode(t, code)
	})
}

func (r row) exemptFromMPICH(ranks int) bool {
	return r.mpich == "all" || slices.Contains(strings.Split(r.mpich, ","), fmt.Sprint(ranks))
}

func runMPICH(t *testing.T, source string, ranks int) result {
	t.Helper()
	path := compiled(t, mpich, source)
	cmd := exec.Command("mpirun.mpich", "-n", fmt.Sprint(ranks), path)
	job{dir: filepath.Dir(path)}.prepare(t, cmd)
	return finish(t, cmd)
}
