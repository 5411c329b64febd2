package safefile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func create(t *testing.T, path, text string) {
	t.Helper()
	f, err := Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// TestCreate makes files of mode 0600 less the umask, keeps the mode of those that are there, and follows links where only their owner can
// have made them.
func TestCreate(t *testing.T) {
	dir := t.TempDir()
	before := syscall.Umask(0o022)
	create(t, dir+"/new", "text")
	syscall.Umask(0o277)
	create(t, dir+"/closed", "text")
	syscall.Umask(before)
	if a, b := mode(t, dir+"/new"), mode(t, dir+"/closed"); a != 0o600 || b != 0o400 {
		t.Errorf("%o, %o", a, b)
	}
	err := errors.Join(os.WriteFile(dir+"/old", []byte("long text"), 0o600), os.Chmod(dir+"/old", 0o644), os.Symlink("old", dir+"/link"),
		os.Symlink(dir, dir+"/here"), os.Symlink("nothing yet", dir+"/dangling"), os.Symlink("round", dir+"/round"))
	if err != nil {
		t.Fatal(err)
	}
	create(t, dir+"/here/./link", "short")
	if text, _ := os.ReadFile(dir + "/old"); string(text) != "short" || mode(t, dir+"/old") != 0o644 {
		t.Errorf("%q, %o", text, mode(t, dir+"/old"))
	}
	create(t, dir+"/dangling", "x")
	if _, err := os.Stat(dir + "/nothing yet"); err != nil {
		t.Error(err)
	}
	t.Chdir(dir)
	create(t, "relative", "x")
	create(t, "here/../"+filepath.Base(dir)+"/dotted", "x")
	for path, want := range map[string]error{"": unix.ENOENT, ".": unix.EISDIR, dir + "/": unix.EISDIR, "no/such": unix.ENOENT, "old/x": unix.ENOTDIR, "round": unix.ELOOP} {
		if _, err := Create(path); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", path, err, want)
		}
	}
}

// TestCreateStream writes to what is no file, by the names that shells give.
func TestCreateStream(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	create(t, fmt.Sprintf("/dev/fd/%d", w.Fd()), "through a pipe")
	w.Close()
	text := make([]byte, 100)
	if n, _ := r.Read(text); string(text[:n]) != "through a pipe" {
		t.Errorf("%q", text[:n])
	}
	create(t, os.DevNull, "x")
}

// TestStickyLinks: in a directory where all may make files no link is followed, in the middle of a path or at its end.
func TestStickyLinks(t *testing.T) {
	top := t.TempDir()
	dir := top + "/sticky"
	err := errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777|os.ModeSticky), os.WriteFile(top+"/victim", []byte("mine"), 0o600),
		os.Symlink("../victim", dir+"/link"), os.Symlink(top, dir+"/away"), os.Symlink(top+"/no", dir+"/dangling"), os.Symlink("sticky/link", top+"/outer"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir + "/link", dir + "/away/victim", dir + "/dangling", top + "/outer"} {
		if _, err := Create(path); !errors.Is(err, errStickyLink) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Open(dir + "/away"); !errors.Is(err, errStickyLink) {
		t.Error(err)
	}
	if _, err := Make(dir + "/away/made"); !errors.Is(err, errStickyLink) {
		t.Error(err)
	}
	if text, _ := os.ReadFile(top + "/victim"); string(text) != "mine" {
		t.Errorf("%q", text)
	}
	if names, _ := os.ReadDir(top); len(names) != 3 {
		t.Error(names)
	}
	create(t, dir+"/own", "x")
	create(t, dir+"/own", "y")
}

// TestStickyForeign: a file or a pipe that somebody else has made ahead is refused, and nobody waits for it.
func TestStickyForeign(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of another user")
	}
	dir := t.TempDir()
	err := errors.Join(os.Chmod(dir, 0o777|os.ModeSticky), os.WriteFile(dir+"/file", nil, 0o666), unix.Mkfifo(dir+"/pipe", 0o666),
		os.Lchown(dir+"/file", stranger, stranger), os.Lchown(dir+"/pipe", stranger, stranger))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/file", "/pipe"} {
		if _, err := Create(dir + name); !errors.Is(err, errStickyFile) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
