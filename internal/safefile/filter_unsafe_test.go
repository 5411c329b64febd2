package safefile

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filteredVariable makes the test binary refuse openat2 to itself with this error, as some containers do.
const filteredVariable = "SAFEFILE_TEST_FILTER"

// TestWithoutOpenat2 runs what opens names in a process in which openat2 fails.
func TestWithoutOpenat2(t *testing.T) {
	for _, errno := range []unix.Errno{unix.ENOSYS, unix.EPERM} {
		cmd := exec.Command(os.Args[0], "-test.run", "^(TestFiltered|TestNothingLeadsOut|TestModes|TestNotOwned|TestMakeSubKeepsOthersOut)$", "-test.v")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", filteredVariable, int(errno)))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", errno, err, out)
		}
	}
}

func TestMain(m *testing.M) {
	if number := os.Getenv(filteredVariable); number != "" {
		var errno uint32
		fmt.Sscan(number, &errno)
		if err := refuseOpenat2(errno); err != nil {
			fmt.Fprintln(os.Stderr, "filter:", err)
			os.Exit(3)
		}
	}
	os.Exit(m.Run())
}

// TestFiltered makes sure that the filter works.
func TestFiltered(t *testing.T) {
	number := os.Getenv(filteredVariable)
	if number == "" {
		t.Skip("only in the process of TestWithoutOpenat2")
	}
	_, err := unix.Openat2(unix.AT_FDCWD, "/", &unix.OpenHow{Flags: unix.O_PATH})
	if errno, ok := err.(unix.Errno); !ok || fmt.Sprint(int(errno)) != number {
		t.Fatal(err)
	}
}

// refuseOpenat2 has openat2 fail in all threads from now on.
func refuseOpenat2(errno uint32) error {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: unix.SYS_OPENAT2},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | errno},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	_, _, bad := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program)))
	if bad != 0 {
		return bad
	}
	return nil
}
