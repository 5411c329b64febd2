package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestUndoDirectories makes directories undone that are new, unless somebody has something in them, and makes again what is gone.
func TestUndoDirectories(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	made := func(name string) string {
		if err := os.Mkdir(at(name), 0o750); err != nil {
			t.Fatal(err)
		}
		return at(name)
	}
	number := 0
	noted := func(path, what string) string {
		st, err := statx(path)
		if err != nil {
			t.Fatal(err)
		}
		number++
		return fmt.Sprintf("%d %s %s %s\x00", number, identity(&st), what, path)
	}
	announced := func(path string, when time.Time) string {
		number++
		return fmt.Sprintf("%d 0:0 0 %d.%d dir %s\x00", number, when.Unix(), when.Nanosecond(), path)
	}
	before := time.Now().Add(-time.Second)
	gone, inGone := made("gone"), made("gone/inner")
	text := noted(inGone, "gone:700") + noted(gone, "gone:751")
	text += noted(made("new"), "dir") + noted(made("new/inner"), "dir")
	text += noted(made("full"), "dir") + noted(made("kept"), "gone:700")
	short := made("short") // comes and goes
	text += noted(short, "dir") + noted(short, "gone:700")
	lost := made("moved")
	text += noted(made("moved/inner"), "gone:700")
	text += announced(made("announced"), before) + announced(made("old"), before.Add(time.Hour)) + announced(at("never"), before)
	if err := os.WriteFile(at("full/file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{inGone, gone, short, at("moved/inner"), lost} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // it may be done again
		u := newUndo()
		if err := u.read([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := u.finish(); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]os.FileMode{"gone": 0o751, "gone/inner": 0o700, "new": 0, "full": 0o750, "kept": 0o750, "short": 0, "moved": 0,
			"announced": 0, "old": 0o750, "never": 0} {
			mode := os.FileMode(0)
			if info, err := os.Stat(at(name)); err == nil && info.IsDir() {
				mode = info.Mode().Perm()
			}
			if mode != want {
				t.Errorf("%s: mode %o, want %o (0: it is not there)", name, mode, want)
			}
		}
	}
}

// TestBirth takes the last change of a file for its birth where that is not known.
func TestBirth(t *testing.T) {
	changed := unix.StatxTimestamp{Sec: 20, Nsec: 3}
	for _, c := range []struct {
		born unix.StatxTimestamp
		want time.Time
	}{{unix.StatxTimestamp{Sec: 10, Nsec: 7}, time.Unix(10, 7)}, {unix.StatxTimestamp{}, time.Unix(20, 3)}} {
		if got := birth(&unix.Statx_t{Btime: c.born, Ctime: changed}); !got.Equal(c.want) {
			t.Errorf("born %v, changed %v: %v, want %v", c.born, changed, got, c.want)
		}
	}
}
