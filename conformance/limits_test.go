package conformance

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestLimits runs us where memory or CPU time cannot be had: one line says which limit it is, and nothing of the Go runtime's is printed.
func TestLimits(t *testing.T) {
	t.Parallel()
	path := programOf(t, "spin.c", "#include <mpi.h>\nint main(int argc, char **argv)\n{\n\tMPI_Init(&argc, &argv);\n\tfor (volatile long i = 0;; i++)\n\t\t;\n}\n")
	each(t, []struct{ limit, says string }{
		{"-v 100000", "the limit of address space (ulimit -v) is 100000 KiB"},
		{"-v 3000000", "(the address space limit is 2.861 GiB: raise it"},
		{"-d 50000", "the limit of data (ulimit -d) is 50000 KiB"},
		{"-t 1", "it has used up its CPU time, of which the limit is 1s (ulimit -t)"},
		{"-S -t 1", "it has used up its CPU time, of which the limit is 1s (ulimit -t)"},
	}, func(c struct{ limit, says string }) string { return c.limit }, func(t *testing.T, c struct{ limit, says string }) {
		r := job{program: path, workers: 1, ranks: 2}.runUnder(t, c.limit)
		r.expectFailure(t)
		r.expectSays(t, c.says)
		r.expectLines(t, 1)
	})
}

const forks = `#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	volatile char *all = malloc(atol(argv[1]));
	int status = 0;

	MPI_Init(&argc, &argv);
	all[0] = 1;
	pid_t child = fork();
	if (!child)
		_exit(all[0]);
	if (child > 0 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 1)
		puts("has a child");
	else if (child < 0 && errno == ENOMEM)
		puts("is told ENOMEM");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
`

// TestForkLimit runs ranks that fork where private memory is limited, which is what vm.overcommit_memory=2 does for a whole system: a child that has
// no room is an error of fork, and the job goes on.
func TestForkLimit(t *testing.T) {
	t.Parallel()
	path := programOf(t, "forks.c", forks)
	for bytes, says := range map[string]string{"1000": "has a child\n", "400000000": "is told ENOMEM\n"} {
		r := job{program: path, args: []string{bytes}, workers: 2, ranks: 4}.runUnder(t, "-d 1000000")
		r.expectCode(t, 0)
		if r.stdout != strings.Repeat(says, 4) {
			t.Errorf("%s: %s", r.what, r.output())
		}
	}
}

// TestLimitsLater runs us where what is asked for at the start can be had, and more cannot.
func TestLimitsLater(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(tool("ampirun"), "lb", "synth", "--ranks", "16000000", "--steps", "2", filepath.Join(t.TempDir(), "trace"))
	r := finish(t, underLimit(t, cmd, "-v 1700000"))
	r.expectFailure(t)
	r.expectSays(t, "ampirun: no more memory can be had: the limit of address space (ulimit -v) is 1700000 KiB")
	r.expectLines(t, 1)
}

// TestLimitsOfWrapper compiles where memory or threads cannot be had.
func TestLimitsOfWrapper(t *testing.T) {
	t.Parallel()
	each(t, []struct{ limit, says string }{
		{"-v 100000", "ampicc: no more memory can be had: the limit of address space (ulimit -v) is 100000 KiB"},
		{"-d 4000", "ampicc: no more memory can be had: the limit of data (ulimit -d) is 4000 KiB"},
		{"-d 30000", "ampicc: no more memory can be had: the limit of data (ulimit -d) is 30000 KiB"},
	}, func(c struct{ limit, says string }) string { return c.limit }, func(t *testing.T, c struct{ limit, says string }) {
		r := finish(t, underLimit(t, exec.Command(tool("ampicc"), "--version"), c.limit))
		r.expectFailure(t)
		r.expectSays(t, c.says)
		r.expectLines(t, 1)
	})
}

// expectLines checks how many lines of errors there are.
func (r result) expectLines(t *testing.T, n int) {
	t.Helper()
	if lines := strings.Count(r.stderr, "\n"); lines != n {
		t.Errorf("%s: %d lines instead of %d\n%s", r.what, lines, n, r.output())
	}
}

// TestNoThreads runs us as a user who may have few processes.
func TestNoThreads(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs another user, whose processes can be counted on")
	}
	const nobody = 65533 // who has no process
	path := readable(t, program(t, ownDir+"/steady.c"))
	for tool, commands := range map[string][]string{readable(t, tool("ampirun")): {"--version", "+p 2 +vp 4 " + path + " 3"}, readable(t, tool("ampicc")): {"--version"}} {
		for _, command := range commands {
			for _, most := range []int{1, 4, 12, 20, 24} {
				cmd := exec.Command("bash", "-c", fmt.Sprintf(`ulimit -u %d && exec "$0" %s`, most, command), tool)
				cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
				cmd.Dir = "/"
				r := finish(t, cmd)
				if r.code == 0 {
					continue // that many do
				}
				if !strings.Contains(strings.ToLower(r.stderr), "resource temporarily unavailable") {
					t.Errorf("%s: does not say what cannot be had\n%s", r.what, r.output())
				}
				r.expectLines(t, 1)
			}
		}
	}
}

// readable is a copy of a file that all users can execute.
func readable(t *testing.T, file string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "limits-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	copied := filepath.Join(dir, filepath.Base(file))
	if out, err := exec.Command("cp", file, copied).CombinedOutput(); err != nil {
		t.Fatalf("cp: %s", out)
	}
	for _, name := range []string{dir, copied} {
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

// TestFailureComesBack does not go on again and again from where a worker ends at once.
func TestFailureComesBack(t *testing.T) {
	t.Parallel()
	path := programOf(t, "vanish.c", "#include <mpi.h>\n#include <sys/syscall.h>\nint main(int argc, char **argv)\n{\n\tlong code = 7, result;\n\tMPI_Init(&argc, &argv);\n"+
		"\tMPI_Barrier(MPI_COMM_WORLD);\n\t__asm__ volatile(\"syscall\" : \"=a\"(result) : \"a\"(SYS_exit_group), \"D\"(code) : \"rcx\", \"r11\", \"memory\");\n\treturn (int)result;\n}\n")
	r := job{program: path, workers: 1, ranks: 2, flags: []string{"+ft", "memory", "+ckpt-every", "1h"}}.run(t)
	r.expectCode(t, 7)
	r.expectSays(t, "it has happened 3 times in a row, and the job had got no further than before")
	if n := strings.Count(r.stderr, "beginning anew"); n != 2 {
		t.Errorf("%s: has begun anew %d times\n%s", r.what, n, r.output())
	}
}

// TestControlNameTaken takes the name that a job will listen at: it says so and is found all the same.
func TestControlNameTaken(t *testing.T) {
	t.Parallel()
	cmd, mark := job{program: program(t, ownDir+"/steady.c"), args: []string{"1000000"}, workers: 1, ranks: 2}.command(t)
	cmd.Args = append([]string{"sh", "-c", `read go; exec "$0" "$@"`}, cmd.Args...)
	cmd.Path = "/bin/sh"
	cmd.Stdin = nil
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	l := &life{t: t}
	l.start(cmd, mark)
	listener, err := net.Listen("unix", fmt.Sprintf("@ampirun-job-%d", cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	fmt.Fprintln(stdin, "go")
	l.await(func() bool { return strings.Contains(l.out.String(), "round 1\n") })
	if says := fmt.Sprintf("process %d of user %d has taken the name", os.Getpid(), os.Getuid()); !strings.Contains(l.err.String(), says) {
		t.Errorf("does not say %q: %s", says, l.err.String())
	}
	pid := fmt.Sprint(cmd.Process.Pid)
	runTool(t, "ampirun", "ctl", pid, "status").expectSays(t, "job "+pid+": steady")
	runTool(t, "ampirun", "ctl").expectSays(t, pid)
	runTool(t, "ampirun", "ctl", pid, "stop").expectCode(t, 0)
	<-l.over
}

// TestCheckpointsRemoved removes the directory while the job runs: nothing of what is said is untrue.
func TestCheckpointsRemoved(t *testing.T) {
	t.Parallel()
	l := job{program: program(t, ownDir+"/steady.c"), args: []string{"1000000"}, workers: 1, ranks: 2}.begin(t, "+ckpt-every", often)
	l.saved()
	l.await(func() bool {
		return os.RemoveAll(l.dir) == nil && strings.Contains(l.err.String(), "not there any more")
	})
	if strings.Contains(l.err.String(), "is kept") {
		t.Errorf("says that something is kept: %s", l.err.String())
	}
	l.cmd.Process.Signal(syscall.SIGTERM)
	<-l.over
}

// TestWrapperWithoutHome compiles for a user without a home, in a folder of its own among temporary files.
func TestWrapperWithoutHome(t *testing.T) {
	t.Parallel()
	temp := t.TempDir()
	file, err := filepath.Abs(ownDir + "/steady.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{"built", "found"} {
		cmd := exec.Command(tool("ampicc"), "-o", filepath.Join(temp, "a.out"), file)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temp}
		r := finish(t, cmd)
		r.expectCode(t, 0)
		info, err := os.Stat(filepath.Join(temp, fmt.Sprintf("ampicc-%d", os.Geteuid())))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", place, info, err)
		}
	}
	if err := os.Chmod(filepath.Join(temp, fmt.Sprintf("ampicc-%d", os.Geteuid())), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool("ampicc"), "-o", filepath.Join(temp, "a.out"), file)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temp}
	finish(t, cmd).expectSays(t, "is not a folder of yours alone; name a directory in AMPI_CACHE")
}
