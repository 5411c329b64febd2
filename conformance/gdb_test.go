package conformance

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// gdb runs gdb in batch mode on a process or a core file, with the commands that ampirun prints for it, and returns what it says.
func gdb(t *testing.T, target []string, commands ...string) result {
	t.Helper()
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("no gdb here: apt-get install gdb")
	}
	script := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(script, []byte(runTool(t, "ampirun", "--gdb-script").stdout), 0o666); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-nx", "-batch", "-iex", "set auto-load python-scripts off"}, target...)
	args = append(args, "-x", script)
	for _, c := range commands {
		args = append(args, "-ex", c)
	}
	r := finish(t, exec.Command("gdb", args...))
	if strings.Contains(r.stderr, "ptrace: Operation not permitted") {
		t.Skip("processes may not be debugged here")
	}
	return r
}

// looks are commands whose answers tell the ranks apart, and the answers.
var looks = []string{"info ranks", "rank 1", "bt", "print other_file", "frame function main", "print shared_name", "print file_static", "print rank",
	"rank 2", "print other_file", "print 'debugged.c'::file_static", "rank", "rank apply 0,1 print $rank() + 500"}

var answers = []string{
	"rank 0     PE 0   waiting in MPI_Recv(peer 1, tag 7) of MPI_COMM_WORLD, wait_for_next() parts.c:",
	"rank 1     PE 0   waiting in MPI_Recv(peer 2, tag 7)",
	"[rank 1: waiting in MPI_Recv(peer 2, tag 7) of MPI_COMM_WORLD]",
	"in descend (depth=3, rank=1, mode=", "in main (argc=2, argv=",
	"= 1000\n", "= 10\n", "= 100\n", "= 1\n", "= 2000\n", "= 200\n",
	"[rank 2: ", "= 500\n", "= 501\n",
}

// unnamed are functions inside of qsort, which have names only where the debug symbols of the C library are installed.
var unnamed = regexp.MustCompile(`(?:#\d+ +0x[0-9a-f]+ in \?+ \(\)\n)+(#\d+ +0x[0-9a-f]+ in (?:__)?qsort)`)

func (r result) expectAnswers(t *testing.T, answers ...string) {
	t.Helper()
	r.expectSays(t, answers...)
	_, after, _ := strings.Cut(r.stdout, "symbols of") // what gdb said before it had them does not count
	after = unnamed.ReplaceAllString(after, "$1")
	if strings.Contains(after, "?? ()") || strings.Contains(r.stderr, "Error") {
		t.Errorf("%s: something is not known\n%s\n%s", r.what, r.stdout, r.stderr)
	}
}

// TestGDBAttach checks gdb -p on a worker whose rank 3 computes: every rank's stack and variables.
func TestGDBAttach(t *testing.T) {
	t.Parallel()
	c := startComputing(t, 1)
	target := []string{"-p", fmt.Sprint(c.worker(t, 0))}
	r := gdb(t, target, append(looks, "rank 3", "print other_file", "rank thread", "print steps > 0", "break work_on", "info breakpoints")...)
	r.expectAnswers(t, append(answers, "* rank 3     PE 0   running, compute() parts.c:", "= 3000\n", "(8 locations)")...)
}

// TestGDBRun checks ampirun --gdb with commands on standard input, with one worker and two.
func TestGDBRun(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("gdb"); err != nil {
		t.Skip("no gdb here: apt-get install gdb")
	}
	commands := []string{"break work_on if $rank() == 2", "run", "bt", "print other_file", "print *$mine(&other_file)", "delete"}
	// While a process ends, gdb may stop anew for each of its threads, and the one that it has selected may be gone.
	goOn := strings.Repeat("python [t.switch() for t in gdb.selected_inferior().threads()[:1]]\ncontinue\n", 50)
	for _, workers := range []int{1, 2} {
		j := job{program: program(t, debugged), workers: workers, ranks: 4, flags: []string{"--gdb"}, stdin: strings.Join(commands, "\n") + "\n" + goOn}
		r := j.run(t)
		if strings.Contains(r.stderr, "Operation not permitted") {
			t.Skip("processes may not be debugged here")
		}
		r.expectCode(t, 0)
		r.expectSays(t, "the ranks wait before their first function", "work_on (rank=2, mode=", "[rank 2: running]", "= 2000", "exited normally")
	}
}

// TestGDBCore checks that a fault leaves a core file where limits allow it, that it is small, and that gdb sees the faulted rank in
// the moment of its fault, and the others.
func TestGDBCore(t *testing.T) {
	t.Parallel()
	pattern, _ := os.ReadFile("/proc/sys/kernel/core_pattern")
	if strings.ContainsAny(string(pattern), "|/%") {
		t.Skipf("core files go elsewhere here: %s", pattern)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CORE, &limit); err != nil || limit.Max < 1<<30 {
		t.Skipf("core files are limited here: %v %v", limit.Max, err)
	}
	dir := t.TempDir()
	cmd, mark := job{program: program(t, debugged), args: []string{"callback"}, workers: 2, ranks: 64, dir: dir}.command(t)
	shell := exec.Command("sh", append([]string{"-c", "ulimit -c $(ulimit -H -c) && exec \"$0\" \"$@\""}, cmd.Args...)...)
	shell.Env, shell.Dir = cmd.Env, dir
	r := finish(t, shell)
	checkGone(t, mark, cmd.Args)
	r.expectCode(t, 139)
	r.expectSays(t, "rank 2: SIGSEGV", "left a core file")
	cores, _ := filepath.Glob(filepath.Join(dir, "core*"))
	if len(cores) != 1 {
		t.Fatalf("core files: %v\n%s", cores, r.output())
	}
	var st syscall.Stat_t
	if err := syscall.Stat(cores[0], &st); err != nil || st.Blocks*512 > 48<<20 {
		t.Errorf("the core file of 32 small ranks takes %d bytes, %v", st.Blocks*512, err)
	}
	got := gdb(t, []string{tool("ampirun"), cores[0]}, append([]string{"rank", "bt"}, looks[:10]...)...)
	got.expectAnswers(t, "[rank 2: faulted]", "in crash_in_callback ()", "* rank 2     PE 0   faulted, compare() parts.c:", "not started yet")
}

// TestNoCore checks that without a limit for core files there are none, and that the report is the same.
func TestNoCore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, mark := job{program: program(t, debugged), args: []string{"callback"}, workers: 1, ranks: 4, dir: dir}.command(t)
	shell := exec.Command("sh", append([]string{"-c", "ulimit -c 0 && exec \"$0\" \"$@\""}, cmd.Args...)...)
	shell.Env, shell.Dir = cmd.Env, dir
	r := finish(t, shell)
	checkGone(t, mark, cmd.Args)
	r.expectCode(t, 139)
	if cores, _ := filepath.Glob(filepath.Join(dir, "core*")); len(cores) != 0 || strings.Contains(r.stderr, "core file") {
		t.Errorf("core files: %v\n%s", cores, r.output())
	}
}

// TestGDBScript checks that the script is one that gdb -x takes: python between its two marks.
func TestGDBScript(t *testing.T) {
	t.Parallel()
	script := []byte(runTool(t, "ampirun", "--gdb-script").stdout)
	if !bytes.HasPrefix(script, []byte("python\n")) || !bytes.HasSuffix(script, []byte("\nend\n")) || bytes.Count(script, []byte("\nend\n")) != 1 {
		t.Errorf("%q ... %q", script[:20], script[len(script)-20:])
	}
}
