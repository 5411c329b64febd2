package conformance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
)

// The sources that are tested lie beside this package.
const (
	root     = ".."
	mpiDir   = root + "/testdata/mpi"
	langDir  = root + "/testdata/lang"
	ownDir   = "testdata"
	exampDir = root + "/examples/legacy-mpi"
)

// tools is a directory with ampirun and all compiler wrappers, beside what tests compile and write.
var tools string

var withMPICH = flag.Bool("mpich", os.Getenv("AMPI_TEST_MPICH") == "1", "compare with MPICH where it is installed")

func TestMain(m *testing.M) {
	flag.Parse()
	beside := flag.Lookup("test.parallel")
	if beside.Value.String() == beside.DefValue {
		beside.Value.Set(strconv.Itoa(2 * runtime.NumCPU())) // tests wait for jobs most of the time
	}
	os.Exit(withTools(m))
}

func withTools(m *testing.M) int {
	dir, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	tools = dir
	heedSignals()
	os.Setenv("AMPI_CACHE", filepath.Join(dir, "cache"))
	if err := getTools(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// heedSignals has the programs that tests start heed the signals that this process was started to ignore, as in the background of a shell or
// under nohup: who executes a program leaves ignored what it ignores, and sets what it handles to the default.
func heedSignals() {
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP, syscall.SIGTERM} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// getTools takes the tools of the directory AMPI_TEST_TOOLS instead of building them, which is how a binary that was built elsewhere is tested.
func getTools() error {
	ready := os.Getenv("AMPI_TEST_TOOLS")
	if ready == "" {
		return buildTools()
	}
	for _, name := range []string{"ampirun", "ampicc"} {
		data, err := os.ReadFile(filepath.Join(ready, name))
		if err != nil {
			return fmt.Errorf("AMPI_TEST_TOOLS: %w", err)
		}
		if err := os.WriteFile(filepath.Join(tools, name), data, 0o755); err != nil {
			return err
		}
	}
	return linkWrappers()
}

func buildTools() error {
	for _, name := range []string{"ampirun", "ampicc"} {
		out, err := exec.Command("go", "build", "-o", filepath.Join(tools, name), root+"/cmd/"+name).CombinedOutput()
		if err != nil {
			return fmt.Errorf("go build %s: %w\n%s", name, err, out)
		}
	}
	return linkWrappers()
}

func linkWrappers() error {
	for _, name := range []string{"ampicxx", "ampif77", "ampif90"} {
		if err := os.Symlink("ampicc", filepath.Join(tools, name)); err != nil {
			return err
		}
	}
	return nil
}

func tool(name string) string { return filepath.Join(tools, name) }

// eachName runs a parallel subtest for each of a table's rows.
func each[R any](t *testing.T, rows []R, name func(R) string, test func(*testing.T, R)) {
	for _, row := range rows {
		t.Run(name(row), func(t *testing.T) {
			t.Parallel()
			test(t, row)
		})
	}
}
