package conformance

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

const debugged = root + "/testdata/debug/debugged.c"

// line is a line of parts.c that holds some text.
func lineOf(t *testing.T, text string) int {
	t.Helper()
	source, err := os.ReadFile(root + "/testdata/debug/parts.c")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(string(source), "\n") {
		if strings.Contains(line, text) {
			return i + 1
		}
	}
	t.Fatalf("parts.c has no line with %q", text)
	return 0
}

// TestFaultBacktrace checks that a fault's report shows the calls down to main, through library functions without frame pointers
// and after a call to nowhere.
func TestFaultBacktrace(t *testing.T) {
	t.Parallel()
	tail := []string{"work_on() parts.c:", "descend() parts.c:", "main() debugged.c:"}
	for mode, says := range map[string][]string{
		"callback": {"rank 2: SIGSEGV at address 0x8 in compare() parts.c:", fmt.Sprintf("#0  compare() parts.c:%d", lineOf(t, "here it crashes")), "qsort", "crash_in_callback() parts.c:"},
		"null":     {"rank 2: SIGSEGV at address 0x0", "#0  0x0, which is not code of the program", "#1  work_on() parts.c:"},
		"abort":    {"rank 2: SIGABRT (abort)", "abort"},
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			for _, workers := range []int{1, 2} {
				r := job{program: program(t, debugged), args: []string{mode}, workers: workers, ranks: 4, flags: nil}.run(t)
				r.expectFailure(t)
				r.expectSays(t, append(says, tail...)...)
				if strings.Contains(r.stderr, "vr_") {
					t.Errorf("%s: shows the runtime's functions\n%s", r.what, r.output())
				}
			}
		})
	}
}

// computing is a job whose rank 3 computes without calling MPI while the others wait, all as places has it.
type computing struct {
	cmd    *exec.Cmd
	stderr text
}

// text is output that may be read while more comes.
type text struct {
	mu   sync.Mutex
	said strings.Builder
}

func (o *text) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.said.Write(p)
}

func (o *text) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.said.String()
}

func startComputing(t *testing.T, workers int) *computing {
	t.Helper()
	cmd, mark := job{program: program(t, debugged), args: []string{"compute"}, workers: workers, ranks: 8}.command(t)
	c := &computing{cmd: cmd}
	cmd.Stderr = &c.stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	t.Cleanup(func() {
		c.end()
		checkGone(t, mark, cmd.Args)
	})
	if line != "computes\n" {
		t.Fatalf("%s: %q, %v", commandLine(cmd), line, err)
	}
	c.awaitPlaces(t)
	return c
}

// awaitPlaces waits until ranks are where they stay. On a busy machine they are still on their way there.
func (c *computing) awaitPlaces(t *testing.T) {
	t.Helper()
	var r result
	await(t, "the ranks to be where they stay", func() bool {
		r = runTool(t, "ampirun", "--backtrace", fmt.Sprint(c.cmd.Process.Pid))
		return !slices.ContainsFunc(places(t), func(p string) bool { return !r.says(p) })
	}, &r.stdout, &r.stderr)
}

// end ends the job, after which what it wrote may be read.
func (c *computing) end() {
	if c.cmd.ProcessState == nil {
		c.cmd.Process.Signal(syscall.SIGTERM)
		c.cmd.Wait()
	}
}

// worker is the pid of the worker with a number.
func (c *computing) worker(t *testing.T, pe int) int {
	t.Helper()
	list, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", c.cmd.Process.Pid, c.cmd.Process.Pid))
	if err != nil {
		t.Skipf("children cannot be listed: %v", err)
	}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", c.cmd.Process.Pid))
	for _, task := range tasks {
		more, _ := os.ReadFile(task)
		list = append(list, more...)
	}
	for _, pid := range strings.Fields(string(list)) {
		if line, _ := os.ReadFile("/proc/" + pid + "/cmdline"); strings.HasPrefix(string(line), fmt.Sprintf("ampirun-worker\x00worker\x00%d\x00", pe)) {
			n, _ := strconv.Atoi(pid)
			return n
		}
	}
	t.Fatalf("no worker %d", pe)
	return 0
}

// places are what a backtrace of such a job says.
func places(t *testing.T) []string {
	return []string{
		"rank 3: running",
		fmt.Sprintf("#0  compute() parts.c:%d", lineOf(t, "steps++")),
		"waiting in MPI_Recv", "#0  MPI_Recv()", "#1  wait_for_next() parts.c:", "main() debugged.c:",
	}
}

// TestBacktraceCommand checks --backtrace, with the pid of the job and of a worker.
func TestBacktraceCommand(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2} {
		c := startComputing(t, workers)
		for _, pid := range []int{c.cmd.Process.Pid, c.worker(t, 0)} {
			r := runTool(t, "ampirun", "--backtrace", fmt.Sprint(pid))
			r.expectCode(t, 0)
			r.expectSays(t, places(t)...)
		}
		c.end()
	}
	r := runTool(t, "ampirun", "--backtrace", fmt.Sprint(os.Getpid()))
	r.expectCode(t, 2)
	r.expectSays(t, "no job of ampirun answers there")
}

// TestBacktraceSignal checks SIGUSR1, sent to ampirun or to a worker; the job goes on.
func TestBacktraceSignal(t *testing.T) {
	t.Parallel()
	for _, toWorker := range []bool{false, true} {
		c := startComputing(t, 2)
		pid := c.cmd.Process.Pid
		if toWorker {
			pid = c.worker(t, 0)
		}
		syscall.Kill(pid, syscall.SIGUSR1)
		await(t, "the backtrace", func() bool {
			said := c.stderr.String()
			return strings.Contains(said, "ampirun: rank 3: running") && strings.Contains(said, "compute() parts.c:")
		})
		r := runTool(t, "ampirun", "--backtrace", fmt.Sprint(c.cmd.Process.Pid))
		r.expectCode(t, 0)
	}
}

// TestDeadlockBacktrace checks that a deadlock's report shows where in the program the ranks wait.
func TestDeadlockBacktrace(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, debugged), args: []string{"wait"}, workers: 2, ranks: 4}.run(t)
	r.expectCode(t, 1)
	r.expectSays(t, "rank 3 waits in MPI_Recv for rank 0, tag 7", "ranks 0-3: waiting in MPI_Recv", "#1  wait_for_next() parts.c:", "main() debugged.c:")
}

// TestTextIsMappedFromFiles checks what perf and other profilers need to name functions: the code of each rank is a mapping of the
// program's file, at the offset that it has there.
func TestTextIsMappedFromFiles(t *testing.T) {
	t.Parallel()
	c := startComputing(t, 1)
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", c.worker(t, 0)))
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`(?m)^[0-9a-f]+-[0-9a-f]+ r-xp 0*0 .*/debugged$`)
	if n := len(code.FindAllString(string(maps), -1)); n != 8 {
		t.Errorf("%d mappings of the program's code, want 8:\n%s", n, maps)
	}
}

// TestPerf checks that perf attributes the time of a rank to the program's function.
func TestPerf(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("perf"); err != nil {
		t.Skip("no perf here")
	}
	c := startComputing(t, 1)
	data := filepath.Join(t.TempDir(), "perf.data")
	record := exec.Command("perf", "record", "-q", "-e", "cpu-clock", "-o", data, "-p", fmt.Sprint(c.worker(t, 0)), "sleep", "0.3")
	if out, err := record.CombinedOutput(); err != nil {
		t.Skipf("perf may not be used here: %v %s", err, out)
	}
	out, err := exec.Command("perf", "report", "-i", data, "--stdio", "--percent-limit", "10").Output()
	if err != nil || !strings.Contains(string(out), "compute") {
		t.Errorf("perf does not see compute(): %v\n%s", err, out)
	}
}
