package safefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func open(t *testing.T, path string) *Dir {
	t.Helper()
	d, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// TestModes: what is made has its mode whatever the umask is.
func TestModes(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o277, 0o777} {
		top := t.TempDir()
		before := syscall.Umask(mask)
		d, err := Make(top + "/a/b")
		if err != nil {
			syscall.Umask(before)
			t.Fatalf("umask %o: %v", mask, err)
		}
		sub, err := d.Mkdir("sub")
		file, err2 := d.Create("file", 0, false)
		program, err3 := d.Create("program", 0, true)
		shared, err4 := d.OpenShared("shared")
		syscall.Umask(before)
		if err := errors.Join(err, err2, err3, err4); err != nil {
			t.Fatalf("umask %o: %v", mask, err)
		}
		for _, c := range []interface{ Close() error }{d, sub, file, program, shared} {
			c.Close()
		}
		for name, want := range map[string]fs.FileMode{"a": 0o700, "a/b": 0o700, "a/b/sub": 0o700, "a/b/file": 0o600, "a/b/program": 0o700, "a/b/shared": 0o600} {
			if got := mode(t, filepath.Join(top, name)); got != want {
				t.Errorf("umask %o: %s has mode %o, want %o", mask, name, got, want)
			}
		}
	}
}

// TestMakeSubKeepsOthersOut takes the rights of others from a directory that an older version made.
func TestMakeSubKeepsOthersOut(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Mkdir(dir+"/sub", 0o700), os.Chmod(dir+"/sub", 0o777)); err != nil {
		t.Fatal(err)
	}
	if _, err := open(t, dir).MakeSub("sub"); err != nil || mode(t, dir+"/sub") != 0o700 {
		t.Errorf("%o, %v", mode(t, dir+"/sub"), err)
	}
}

// hostile is a directory with what may be put in the way of a name, and a file outside of it.
func hostile(t *testing.T) (dir, victim string) {
	t.Helper()
	top := t.TempDir()
	dir, victim = top+"/dir", top+"/victim"
	err := errors.Join(os.MkdirAll(dir+"/sub", 0o700), os.WriteFile(victim, []byte("mine"), 0o600),
		os.WriteFile(dir+"/file", []byte("x"), 0o600), os.Symlink("file", dir+"/inside"), os.Symlink(victim, dir+"/link"),
		os.Symlink("../victim", dir+"/up"), os.Symlink(top, dir+"/away"), os.Symlink("sub", dir+"/subs"), unix.Mkfifo(dir+"/pipe", 0o600),
		os.Link(victim, dir+"/hard"))
	if err != nil {
		t.Fatal(err)
	}
	return dir, victim
}

// refusesAll tries all names that lead elsewhere or are no files.
func refusesAll(t *testing.T, dir, victim string) {
	t.Helper()
	d := open(t, dir)
	for _, name := range []string{"inside", "link", "up", "away/victim", "../victim", victim, "pipe", "sub", "..", "", "subs/x"} {
		if f, err := d.Open(name); err == nil {
			t.Errorf("%q was opened: %s", name, f.Name())
		}
		if f, err := d.OpenShared(name); err == nil {
			t.Errorf("%q was opened to be written: %s", name, f.Name())
		}
		if f, err := d.Create(name, 0, false); err == nil {
			t.Errorf("%q was made: %s", name, f.Name())
		}
	}
	if _, err := d.OpenShared("hard"); err == nil {
		t.Error("a file of two names was opened to be written")
	}
	for _, name := range []string{"away", "subs", "..", "/tmp", "file", "pipe"} {
		if _, err := d.Sub(name); err == nil {
			t.Errorf("%q was taken as a directory", name)
		}
	}
	for _, name := range []string{"file", "sub/new"} {
		f, err := d.OpenShared(name)
		if err != nil {
			t.Errorf("%q: %v", name, err)
			continue
		}
		f.Close()
	}
	if _, err := d.Sub("sub"); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

func TestNothingLeadsOut(t *testing.T) {
	dir, victim := hostile(t)
	refusesAll(t, dir, victim)
}

// TestRemoveAll removes links, and not what they stand for.
func TestRemoveAll(t *testing.T) {
	dir, victim := hostile(t)
	if err := errors.Join(open(t, filepath.Dir(dir)).RemoveAll("dir")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestRenamedMeanwhile: names are looked up in the directory that was opened, whatever has its path now.
func TestRenamedMeanwhile(t *testing.T) {
	top := t.TempDir()
	if err := errors.Join(os.Mkdir(top+"/a", 0o700), os.Mkdir(top+"/b", 0o700)); err != nil {
		t.Fatal(err)
	}
	d := open(t, top+"/a")
	if err := errors.Join(os.Rename(top+"/a", top+"/c"), os.Symlink("b", top+"/a")); err != nil {
		t.Fatal(err)
	}
	f, err := d.Create("x", 0, false)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := os.Stat(top + "/c/x"); err != nil {
		t.Error(err)
	}
}

const stranger = 54321 // a user that no system has

// TestNotOwned refuses what belongs to somebody else.
func TestNotOwned(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can make files of another user")
	}
	dir, _ := hostile(t)
	if err := errors.Join(os.Lchown(dir+"/file", stranger, stranger), os.Lchown(dir+"/sub", stranger, stranger)); err != nil {
		t.Fatal(err)
	}
	d := open(t, dir)
	var other *NotOwned
	_, err := d.Open("file")
	if !errors.As(err, &other) || other.Owner != stranger || other.Wants != 0 || other.Error() != dir+"/file: it belongs to user 54321 and not to root" {
		t.Error(err)
	}
	if _, err := d.OpenShared("file"); !errors.As(err, &other) {
		t.Error(err)
	}
	if _, err := d.Size("file"); !errors.As(err, &other) {
		t.Error(err)
	}
	for _, open := range []func(string) (*Dir, error){d.Sub, d.MakeSub} {
		if _, err := open("sub"); !errors.As(err, &other) || other.Path != dir+"/sub" {
			t.Error(err)
		}
	}
	if d.Owns("file") || !d.Owns("link") {
		t.Error("whose is it?")
	}
}
