package checkpoint

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// childEnv names what the test binary does instead of tests, and with which directory.
const childEnv = "CHECKPOINT_TEST_CHILD"

func TestMain(m *testing.M) {
	if what, dir, ok := strings.Cut(os.Getenv(childEnv), ":"); ok {
		if err := map[string]func(string) error{"forever": saveForever, "full": saveOnFullDisk, "limit": saveBeyondLimit}[what](dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(t *testing.T, what, dir string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+what+":"+dir)
	c.Stderr = os.Stderr
	return c
}

// version is a memory that is known by its number, which is in its metadata too.
func version(n uint64) Memory {
	m := random(1, 500)
	for i := range uint64(100) {
		binary.LittleEndian.PutUint64(m[(n*37+i)%500*page:], n)
	}
	return m
}

// saveForever saves versions and prints the number of each when it is safe.
func saveForever(dir string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	number := uint64(0)
	if g, err := s.Latest(); err == nil {
		job, err := s.Load(g)
		if err != nil {
			return err
		}
		number = binary.LittleEndian.Uint64(job.Opaque["version"])
	}
	for {
		number++
		m, job := version(number), testJob()
		job.Opaque = map[string][]byte{"version": binary.LittleEndian.AppendUint64(nil, number)}
		if _, err := s.Save(job, m, []Extent{whole(m)}); err != nil {
			return err
		}
		fmt.Println(number)
	}
}

// TestKill kills a process that saves, many times at random moments. The newest checkpoint is always whole, and none that was
// reported as safe is lost.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	for range 30 {
		c := child(t, "forever", dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		reported := uint64(0)
		for n := rand.IntN(4); n >= 0 && lines.Scan(); n-- {
			fmt.Sscan(lines.Text(), &reported)
		}
		time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond) // any moment is good
		if err := c.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			fmt.Sscan(lines.Text(), &reported)
		}
		_ = c.Wait()
		if reported == 0 {
			t.Fatal("the child saved nothing")
		}
		afterKill(t, dir, reported)
	}
}

func afterKill(t *testing.T, dir string, reported uint64) {
	t.Helper()
	s := open(t, dir, Options{})
	defer s.Close()
	g := latest(t, s)
	job, err := s.Load(g)
	if err != nil {
		t.Fatal(err)
	}
	number := binary.LittleEndian.Uint64(job.Opaque["version"])
	if number < reported {
		t.Fatalf("version %d was safe, and is lost: the newest is %d", reported, number)
	}
	holds(t, g, version(number))
	if left, err := filepath.Glob(filepath.Join(dir, "*"+partial)); err != nil || len(left) > 0 {
		t.Fatal(left, err)
	}
}

// fillUp saves until there is no room; want is the error. Afterwards the old checkpoint is there, and what fits is saved.
func fillUp(dir string, want error) error {
	s, err := Open(dir, Options{Keep: 1})
	if err != nil {
		return err
	}
	m := random(1, 1000)
	if _, err := s.Save(testJob(), m, []Extent{whole(m)}); err != nil {
		return err
	}
	for seed := range uint64(3) {
		other := random(seed+2, 3000)
		if _, err := s.Save(testJob(), other, []Extent{whole(other)}); !errors.Is(err, want) {
			return fmt.Errorf("%v, which is not %v", err, want)
		}
		if left, err := filepath.Glob(filepath.Join(dir, "*"+partial)); err != nil || len(left) > 0 {
			return fmt.Errorf("left behind: %v %v", left, err)
		}
	}
	m[0]++
	if _, err := s.Save(testJob(), m, []Extent{whole(m)}); err != nil {
		return err
	}
	got := make(Memory, len(m))
	g, err := s.Latest()
	if err == nil {
		err = errors.Join(g.Restore(got), g.Verify())
	}
	if err == nil && (!bytes.Equal(got, m) || g.Number < 2) {
		err = fmt.Errorf("checkpoint %d is not what was saved", g.Number)
	}
	return err
}

func saveOnFullDisk(dir string) error {
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=10M"); err != nil {
		return err
	}
	return fillUp(filepath.Join(dir, "store"), unix.ENOSPC)
}

func saveBeyondLimit(dir string) error {
	signal.Ignore(unix.SIGXFSZ)
	const size = 4100 << 10 // enough for 1000 pages, not for half of 3000
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: size}); err != nil {
		return err
	}
	return fillUp(dir, unix.EFBIG)
}

func TestFileTooLarge(t *testing.T) {
	c := child(t, "limit", t.TempDir())
	c.Env = append(c.Env, "GOMAXPROCS=1")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
}

func TestFullDisk(t *testing.T) {
	c := child(t, "full", t.TempDir())
	c.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	err := c.Run()
	if errors.Is(err, unix.EPERM) {
		t.Skip("mounting a small file system needs root; TestFileTooLarge has the other kind of no room")
	}
	if err != nil {
		t.Fatal(err)
	}
}
