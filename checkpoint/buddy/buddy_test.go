package buddy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ampirun/checkpoint"
)

// childVariable makes the test binary what it names instead of tests; its last argument is the receiver's directory.
const childVariable = "BUDDY_TEST_CHILD"

func TestMain(m *testing.M) {
	dir, in := os.Args[len(os.Args)-1], io.Reader(os.Stdin)
	switch os.Getenv(childVariable) {
	case "":
		os.Exit(m.Run())
	case "receive":
	case "small": // disk
		if err := unix.Mount("none", dir, "tmpfs", 0, "size=3M"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	case "chatty":
		fmt.Println("Welcome!")
	case "mute":
		fmt.Fprint(os.Stderr, "something is wrong\nno route to host\r\n")
		os.Exit(255)
	case "wordless":
		os.Exit(0)
	case "old":
		fmt.Print("AMPIBUD0")
	case "killed":
		in = &deadly{in: in, left: 6 << 20}
	}
	if err := Receive(context.Background(), dir, in, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	os.Exit(0)
}

// deadly kills the process that has read so many bytes.
type deadly struct {
	in   io.Reader
	left int
}

func (d *deadly) Read(p []byte) (int, error) {
	n, err := d.in.Read(p)
	if d.left -= n; d.left < 0 {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return n, err
}

const page = 4096

// origin is a store that a job writes, with memory that changes.
type origin struct {
	*checkpoint.Store
	memory checkpoint.Memory
	seed   byte
}

func newOrigin(t testing.TB, pages int) *origin {
	t.Helper()
	s, err := checkpoint.Open(t.TempDir(), checkpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	o := &origin{Store: s, memory: make(checkpoint.Memory, pages*page)}
	o.change(0, pages)
	return o
}

// change writes to some pages.
func (o *origin) change(first, count int) {
	o.seed++
	_, _ = rand.NewChaCha8([32]byte{o.seed}).Read(o.memory[first*page : (first+count)*page])
}

// save makes a checkpoint, and opens its files.
func (o *origin) save(t testing.TB) *checkpoint.Files {
	t.Helper()
	job := &checkpoint.Job{Program: "./heat", Ranks: 1, PEs: 1, PageSize: page}
	r, err := o.Save(job, o.memory, []checkpoint.Extent{{Length: uint64(len(o.memory))}})
	if err != nil {
		t.Fatal(err)
	}
	f, err := o.Files(r.Generation)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// holds fails unless the newest checkpoint in a directory is good and has the memory of the origin.
func (o *origin) holds(t testing.TB, dir string, number uint64) {
	t.Helper()
	s, err := checkpoint.View(dir)
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.Latest()
	if err == nil {
		err = g.Verify()
	}
	if err != nil || g.Number != number {
		t.Fatal(g, err)
	}
	got := make(checkpoint.Memory, len(o.memory))
	if err := g.Restore(got); err != nil || string(got) != string(o.memory) {
		t.Fatal("the copy is not what was sent", err)
	}
}

// connect starts a receiver of a kind in a process of its own.
func connect(t testing.TB, what, dir string) (*Sender, error) {
	t.Helper()
	t.Setenv(ShellVariable, os.Args[0])
	start := func(c *exec.Cmd) error {
		c.Env = append(os.Environ(), childVariable+"="+what)
		if what == "small" {
			c.SysProcAttr.Unshareflags = syscall.CLONE_NEWNS
		}
		return c.Start()
	}
	s, err := Connect(t.Context(), Target{"elsewhere", dir}, Hello{Owner: "job 7 (./heat)", Keep: 2, Program: "ampirun"}, start)
	if s != nil {
		t.Cleanup(s.Close)
	}
	return s, err
}

func mustConnect(t testing.TB, what, dir string) *Sender {
	t.Helper()
	s, err := connect(t, what, dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// isClean fails if something of a checkpoint that is not complete is left.
func isClean(t testing.TB, dir string) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestCopies sends one checkpoint after the other: later ones are small, two stay, and the directory is the sender's own meanwhile.
func TestCopies(t *testing.T) {
	o, dir := newOrigin(t, 1000), filepath.Join(t.TempDir(), "copies")
	s := mustConnect(t, "receive", dir)
	for n := uint64(1); n <= 4; n++ {
		sent, err := s.Send(o.save(t))
		if err != nil {
			t.Fatal(err)
		}
		if isSmall := sent < uint64(len(o.memory))/10; isSmall != (n > 1) {
			t.Errorf("checkpoint %d: sent %d bytes", n, sent)
		}
		o.holds(t, dir, n)
		o.change(int(n)*50, 10)
	}
	if found, _ := filepath.Glob(filepath.Join(dir, "0*")); len(found) != 2 {
		t.Error(found)
	}
	_, err := connect(t, "receive", dir)
	var refused *Refused
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "the directory is in use by job 7 (./heat), process ") {
		t.Error(err)
	}
	s.Close()
	s = mustConnect(t, "receive", dir)
	if sent, err := s.Send(o.save(t)); err != nil || sent > uint64(len(o.memory))/10 {
		t.Errorf("with a new link %d bytes are sent, %v", sent, err)
	}
	isClean(t, dir)
}

// TestNotNewer: what an earlier job has left stays, until another one has sent enough with higher numbers.
func TestNotNewer(t *testing.T) {
	o, dir := newOrigin(t, 100), t.TempDir()
	s := mustConnect(t, "receive", dir)
	for range 2 {
		if _, err := s.Send(o.save(t)); err != nil {
			t.Fatal(err)
		}
	}
	if s.Newest() != 0 {
		t.Error(s.Newest())
	}
	s.Close()
	other := newOrigin(t, 50)
	s = mustConnect(t, "receive", dir)
	if s.Newest() != 2 {
		t.Error(s.Newest())
	}
	var older *checkpoint.NotNewer
	if _, err := s.Send(other.save(t)); !errors.As(err, &older) || older.Number != 1 || older.Newest != 2 {
		t.Fatal(err)
	}
	o.holds(t, dir, 2)
	other.NumberAbove(2)
	if _, err := s.Send(other.save(t)); err != nil {
		t.Fatal(err)
	}
	other.holds(t, dir, 3)
}

// TestNoReceiver says in one line what keeps the copies from being made.
func TestNoReceiver(t *testing.T) {
	for what, want := range map[string]string{
		"mute":     "no route to host",
		"wordless": os.Args[0] + " has ended without a word",
		"chatty":   `it begins with "Welcome!" instead of ampirun's greeting (login scripts must be silent)`,
		"old":      "ampirun has another version there",
	} {
		if _, err := connect(t, what, t.TempDir()); err == nil || err.Error() != want {
			t.Errorf("%s: %v", what, err)
		}
	}
	t.Setenv(ShellVariable, "no-such-shell -x")
	start := func(c *exec.Cmd) error { return c.Start() }
	if _, err := Connect(t.Context(), Target{"a", "/b"}, Hello{}, start); err == nil || !strings.Contains(err.Error(), "no-such-shell") {
		t.Error(err)
	}
}

// TestKilledReceiver kills the receiver in the middle of a checkpoint: what was there stays, and the next link goes on from it.
func TestKilledReceiver(t *testing.T) {
	o, dir := newOrigin(t, 5000), t.TempDir()
	first := mustConnect(t, "receive", dir)
	if _, err := first.Send(o.save(t)); err != nil {
		t.Fatal(err)
	}
	first.Close()
	before := *o
	before.memory = append(checkpoint.Memory(nil), o.memory...)
	o.change(0, 5000)
	f := o.save(t)
	if _, err := mustConnect(t, "killed", dir).Send(f); err == nil {
		t.Fatal("it was sent to a receiver that was killed")
	}
	before.holds(t, dir, 1)
	if _, err := mustConnect(t, "receive", dir).Send(f); err != nil {
		t.Fatal(err)
	}
	o.holds(t, dir, 2)
	isClean(t, dir)
}

// TestFullDisk fills the receiver's disk: the sender is told, and nothing of the checkpoint is left.
func TestFullDisk(t *testing.T) {
	o := newOrigin(t, 2000)
	s, err := connect(t, "small", t.TempDir())
	if err != nil {
		t.Skip("mounting a small file system needs root: ", err)
	}
	_, err = s.Send(o.save(t))
	var refused *Refused
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "no space left on device") {
		t.Error(err)
	}
}

// TestCancelled ends a sender that waits for a receiver which does nothing.
func TestCancelled(t *testing.T) {
	t.Setenv(ShellVariable, "sleep 1000 #")
	ctx, cancel := context.WithCancelCause(t.Context())
	reason := errors.New("enough")
	start := func(c *exec.Cmd) error {
		c.Args = c.Args[:2]
		defer cancel(reason)
		return c.Start()
	}
	if _, err := Connect(ctx, Target{"a", "/b"}, Hello{}, start); !errors.Is(err, reason) {
		t.Error(err)
	}
}

func TestTarget(t *testing.T) {
	for text, want := range map[string]Target{
		"node2:/a/b":        {"node2", "/a/b"},
		"me@node2:/a//b/":   {"me@node2", "/a/b"},
		"[fe80::1%eth0]:/c": {"fe80::1%eth0", "/c"},
	} {
		got, err := ParseTarget(text)
		if err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if again, err := ParseTarget(got.String()); err != nil || again != want {
			t.Errorf("%s: %v, %v", got, again, err)
		}
	}
	for _, text := range []string{"", "node2", ":/a", "node2:", "node2:a", "-oProxyCommand=x:/a", "a b:/c", "[::1]:a", "[::1]"} {
		if got, err := ParseTarget(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestCommand(t *testing.T) {
	t.Setenv(ShellVariable, "")
	t.Setenv(ProgramVariable, "")
	at := Target{"node2", "/it's here"}
	if got, want := at.command("/opt/ampirun"), append(strings.Fields(DefaultShell), "node2", "/opt/ampirun", "ckpt", "receive", `'/it'\''s here'`); strings.Join(got, "|") != strings.Join(want, "|") {
		t.Error(got)
	}
	t.Setenv(ShellVariable, " rsh  -l me ")
	t.Setenv(ProgramVariable, "ampirun")
	if got := strings.Join(at.command("/opt/ampirun"), "|"); got != `rsh|-l|me|node2|ampirun|ckpt|receive|'/it'\''s here'` {
		t.Error(got)
	}
}
