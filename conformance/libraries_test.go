package conformance

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	librariesDir = root + "/testdata/libraries"
	debianLibs   = "/usr/lib/x86_64-linux-gnu/"
)

// library is a package of Debian's that programs use, with a program of testdata/libraries that does.
type library struct {
	source   string
	packages string   // that the program is built with
	needs    []string // files of them
	flags    string   // of the compiler
	env      []string
}

var libraries = []library{
	{"blas.c", "libopenblas0-pthread", []string{debianLibs + "libopenblas.so.0"}, "-l:libopenblas.so.0", []string{"OPENBLAS_NUM_THREADS=2"}},
	{"blas.c", "libblas3 liblapack3", []string{debianLibs + "libblas.so.3", debianLibs + "liblapack.so.3"}, "-l:liblapack.so.3 -l:libblas.so.3", []string{"OPENBLAS_NUM_THREADS=1"}},
	{"fftw.c", "libfftw3-dev", []string{"/usr/include/fftw3.h"}, "-lfftw3 -lm", nil},
	{"gsl.c", "libgsl-dev", []string{"/usr/include/gsl/gsl_errno.h"}, "-lgsl -lgslcblas -lm", nil},
	{"hdf5.c", "libhdf5-dev", []string{"/usr/include/hdf5/serial/hdf5.h"}, "-I/usr/include/hdf5/serial -L" + debianLibs + "hdf5/serial -lhdf5", nil},
}

// TestLibraries runs programs that use libraries of Debian's, which know nothing of virtual ranks.
func TestLibraries(t *testing.T) {
	t.Parallel()
	each(t, libraries, func(l library) string { return strings.Fields(l.packages)[0] }, func(t *testing.T, l library) {
		for _, file := range l.needs {
			if _, err := os.Stat(file); err != nil {
				t.Skipf("%s is not here: apt-get install %s runs this test", file, l.packages)
			}
		}
		// Flags before the source: libraries are needed although nothing has asked for them yet.
		path := program(t, filepath.Join(librariesDir, l.source), append([]string{"-Wl,--no-as-needed"}, strings.Fields(l.flags)...)...)
		for _, workers := range []int{1, 2} {
			r := job{program: path, workers: workers, ranks: 8, env: l.env}.run(t)
			r.expectCode(t, 0)
			r.expectSays(t, "PASS "+strings.TrimSuffix(l.source, ".c")+"\n")
		}
	})
}
