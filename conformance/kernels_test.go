package conformance

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// kernel are rules of testdata/refuse.c: what the kernel of a job refuses, or a container's filter in its place. None: nothing.
type kernel []string

// command is ampirun on such a kernel.
func (k kernel) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	if k == nil {
		return exec.Command(tool("ampirun"), args...)
	}
	path, err := refuser()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, append(append(append([]string(nil), k...), "--", tool("ampirun")), args...)...)
}

var refuser = sync.OnceValues(func() (string, error) {
	path := tool("refuse")
	return path, quiet(exec.Command("gcc", "-o", path, ownDir+"/refuse.c"))
})

// answered is a rule for system calls.
func answered(first, last int, e syscall.Errno) string {
	return fmt.Sprintf("%d:%d:%d", first, last, int(e))
}

// answeredWith is one for calls with an argument, masked, in a range.
func answeredWith(call int, e syscall.Errno, arg int, mask, least, most uint32) string {
	return fmt.Sprintf("%s:%d:%d:%d:%d", answered(call, call, e), arg, mask, least, most)
}

const (
	lastCall  = 1 << 16 // above all there are
	all       = ^uint32(0)
	firstPast = unix.SYS_RSEQ + 1 // the first call that Linux 4.18 does not have
	pidfdType = 3                 // P_PIDFD of waitid, Linux 5.4
	madvised  = unix.MADV_COLD    // the first advice that Linux 4.18 does not know, and all that are newer
	userOnly  = 1                 // UFFD_USER_MODE_ONLY, Linux 5.11
	noExec    = unix.MFD_NOEXEC_SEAL
	disable   = 0x5002 // ARCH_SHSTK_DISABLE
	status    = 0x5005 // ARCH_SHSTK_STATUS
)

// linux418 is the oldest kernel that is supported: it knows none of the calls and flags that are newer.
var linux418 = kernel{
	answered(firstPast, lastCall, unix.ENOSYS),
	answeredWith(unix.SYS_MADVISE, unix.EINVAL, 2, all, madvised, 99),
	answeredWith(unix.SYS_MEMFD_CREATE, unix.EINVAL, 1, all, noExec, all),
	answeredWith(unix.SYS_USERFAULTFD, unix.EINVAL, 0, userOnly, userOnly, userOnly),
	answeredWith(unix.SYS_WAITID, unix.EINVAL, 0, all, pidfdType, pidfdType),
}

// oldContainer is what Docker's filter of 2019 did on a newer kernel: EPERM for all that it did not know.
var oldContainer = kernel{
	answered(unix.SYS_CLONE3, unix.SYS_CLONE3, unix.ENOSYS), // else see TestKernelRefused
	answered(unix.SYS_STATX, lastCall, unix.EPERM),
	answered(unix.SYS_USERFAULTFD, unix.SYS_USERFAULTFD, unix.EPERM),
	answered(unix.SYS_KCMP, unix.SYS_KCMP, unix.EPERM),
	answered(unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.EPERM),
	answered(unix.SYS_PTRACE, unix.SYS_PTRACE, unix.EPERM),
	answered(unix.SYS_PERF_EVENT_OPEN, unix.SYS_PERF_EVENT_OPEN, unix.EPERM),
	answered(unix.SYS_MBIND, unix.SYS_GET_MEMPOLICY, unix.EPERM),
	answeredWith(unix.SYS_PERSONALITY, unix.EPERM, 0, all, 1, all-1),
}

// without refuses one call in both ways.
func without(call int) []kernel {
	return []kernel{{answered(call, call, unix.ENOSYS)}, {answered(call, call, unix.EPERM)}}
}

// onKernel is what a job has to do whatever the kernel lacks.
type onKernel struct {
	name string
	run  func(t *testing.T, k kernel)
}

var onKernels = []onKernel{
	{"plain", func(t *testing.T, k kernel) {
		r := job{program: program(t, ownDir+"/steady.c"), args: []string{"3"}, workers: 2, ranks: 4, kernel: k}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS steady")
	}},
	{"fork", func(t *testing.T, k kernel) {
		r := job{program: program(t, langDir+"/children.c"), workers: 2, ranks: 3, kernel: k}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS children")
	}},
	{"moving", func(t *testing.T, k kernel) {
		r := job{program: program(t, ownDir+"/travel.c", "-O1"), args: []string{"60", t.TempDir()}, workers: 2, ranks: 7, env: shuffled("200us"),
			flags: []string{"+stats"}, kernel: k}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS travel\n")
		if movesIn(r.stderr) < 20 {
			t.Errorf("%s: %d moves", r.what, movesIn(r.stderr))
		}
	}},
	{"restart", func(t *testing.T, k kernel) {
		l := job{program: program(t, ownDir+"/opened.c"), args: []string{"40", t.TempDir()}, workers: 2, ranks: 3, kernel: k}.begin(t, "+ckpt-every", often)
		r := l.survive(1)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS opened")
		l.expectRestarts(r)
	}},
	{"ft", func(t *testing.T, k kernel) {
		j := job{program: program(t, ownDir+"/opened.c"), args: []string{"40", t.TempDir()}, workers: 2, ranks: 3, kernel: k}
		l := j.outlive(t, "+ft", "memory", "+ckpt-every", often)
		l.harass(1, 200)
		r := l.end()
		r.expectCode(t, 0)
		r.expectSays(t, "PASS opened")
	}},
	{"fault", func(t *testing.T, k kernel) {
		r := job{program: program(t, debugged), args: []string{"callback"}, workers: 2, ranks: 4, kernel: k}.run(t)
		r.expectFailure(t)
		r.expectSays(t, "rank 2: SIGSEGV at address 0x8 in compare() parts.c:", "qsort", "crash_in_callback() parts.c:", "main() debugged.c:")
	}},
	{"steered", func(t *testing.T, k kernel) {
		l := job{program: program(t, ownDir+"/busy.c"), args: []string{"talk"}, workers: 2, ranks: 4, kernel: k}.start(t, 4)
		r := finish(t, k.command(t, "ctl", fmt.Sprint(l.cmd.Process.Pid), "stop"))
		r.expectCode(t, 0)
		r.expectSays(t, "has ended")
		checkWorkersGone(t, l.mark)
		l.end().expectCode(t, 128+int(syscall.SIGTERM))
	}},
}

// jobsOn are some of them.
func jobsOn(names ...string) (list []onKernel) {
	for _, j := range onKernels {
		for _, name := range names {
			if j.name == name {
				list = append(list, j)
			}
		}
	}
	if len(list) != len(names) {
		panic("BUG: " + strings.Join(names, " "))
	}
	return list
}

// TestKernels runs jobs where the kernel, or a container's filter, refuses what is newer than Linux 4.18, and what filters often refuse.
func TestKernels(t *testing.T) {
	t.Parallel()
	type row struct {
		name    string
		kernels []kernel
		jobs    []onKernel
	}
	rows := []row{
		{"linux 4.18", []kernel{linux418}, onKernels},
		{"old container", []kernel{oldContainer}, jobsOn("plain", "fork", "moving", "restart", "ft", "fault", "steered")},
		{"rseq", without(unix.SYS_RSEQ), jobsOn("plain")},
		{"statx", without(unix.SYS_STATX), jobsOn("restart", "ft")},
		{"process_vm_readv", without(unix.SYS_PROCESS_VM_READV), jobsOn("fault")},
		{"pidfd_open", without(unix.SYS_PIDFD_OPEN), jobsOn("steered")},
		{"copy_file_range", without(unix.SYS_COPY_FILE_RANGE), jobsOn("restart")},
		{"sync_file_range", without(unix.SYS_SYNC_FILE_RANGE), jobsOn("restart")},
		{"memory that is written and run", []kernel{{
			answeredWith(unix.SYS_MMAP, unix.EACCES, 2, 6, 6, 6), answeredWith(unix.SYS_MPROTECT, unix.EACCES, 2, 6, 6, 6)}}, jobsOn("plain", "fork", "moving", "restart")},
		{"vm.memfd_noexec=2", []kernel{{answeredWith(unix.SYS_MEMFD_CREATE, unix.EACCES, 1, noExec, 0, 0)}}, jobsOn("plain", "restart", "ft")},
	}
	for _, r := range rows {
		for i, k := range r.kernels {
			each(t, r.jobs, func(j onKernel) string { return fmt.Sprint(r.name, "/", i, "/", j.name) }, func(t *testing.T, j onKernel) { j.run(t, k) })
		}
	}
}

// TestKernelRefused names what a job cannot do without.
func TestKernelRefused(t *testing.T) {
	t.Parallel()
	steady := []string{"+p", "2", "+vp", "4", program(t, ownDir+"/steady.c"), "3"}
	copying := append([]string{"+migrate", "copy"}, steady...)
	locked := kernel{answeredWith(unix.SYS_ARCH_PRCTL, unix.EPERM, 0, all, disable, disable), answeredWith(unix.SYS_ARCH_PRCTL, 0, 0, all, status, status)}
	for _, c := range []struct {
		name    string
		kernels []kernel
		args    []string
		code    int
		says    string
	}{
		{"clone3", without(unix.SYS_CLONE3)[1:], steady, 2, "clone3"},
		{"memfd_create", without(unix.SYS_MEMFD_CREATE), steady, 1, "denies memory without a file (memfd_create: "},
		{"userfaultfd", without(unix.SYS_USERFAULTFD), copying, 2, "userfaultfd, which the kernel or a container's filter denies"},
		{"shadow stack", []kernel{locked}, steady, 2, "a shadow stack is switched on and locked, and ranks cannot change stacks with it: set GLIBC_TUNABLES=glibc.cpu.x86_shstk=off"},
	} {
		for _, k := range c.kernels {
			r := finish(t, k.command(t, c.args...))
			r.expectCode(t, c.code)
			r.expectSays(t, c.says)
			if n := strings.Count(r.stderr, "\n"); n != 1 || r.stdout != "" {
				t.Errorf("%s: %s: says %d lines\n%s", c.name, r.what, n, r.output())
			}
		}
	}
}

// TestKernelHidesDescriptors refuses a checkpoint by name where it cannot be told which descriptors are one open file.
func TestKernelHidesDescriptors(t *testing.T) {
	t.Parallel()
	for _, k := range without(unix.SYS_KCMP) {
		l := job{program: program(t, filepath.Join(ownDir, "kept.c")), args: []string{"20", t.TempDir()}, workers: 2, ranks: 2, kernel: k}.begin(t, "+ckpt-every", often)
		r := l.end()
		r.expectCode(t, 0)
		r.expectSays(t, "PASS kept", "cannot be saved: ", "denies kcmp")
	}
}
