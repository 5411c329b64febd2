package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ampirun/vrank"
)

// holding is files of a directory that are retained, as ranks would have had them open.
type holding struct {
	*retained
	t     *testing.T
	dir   string
	state Files
}

func newHolding(t *testing.T) *holding {
	h := &holding{retained: newRetained(2), t: t, dir: t.TempDir(), state: make(Files, 1)}
	t.Cleanup(h.close)
	return h
}

func (h *holding) path(name string) string { return filepath.Join(h.dir, name) }

// hold makes a file and has it retained.
func (h *holding) hold(name, text string) {
	h.t.Helper()
	path := h.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		h.t.Fatal(err)
	}
	f := vrank.File{Path: path, Kind: vrank.FileRegular, Object: h.object(name)}
	h.state[0] = append(h.state[0], f)
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		h.t.Fatal(err)
	}
	key, _ := f.Retained()
	if line := h.add([]vrank.Retained{key}, []int{fd}); line != "" {
		h.t.Fatal(line)
	}
}

func (h *holding) object(name string) vrank.Object {
	h.t.Helper()
	st, err := statx(h.path(name))
	if err != nil {
		h.t.Fatal(err)
	}
	return objectOf(&st)
}

func (h *holding) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// expect checks what is at a path.
func (h *holding) expect(name, want string) {
	h.t.Helper()
	if text, err := os.ReadFile(h.path(name)); err != nil || string(text) != want {
		h.t.Errorf("%s: %q, %v; want %q", name, text, err, want)
	}
}

func (h *holding) expectGone(name string) {
	h.t.Helper()
	if _, err := os.Lstat(h.path(name)); err == nil {
		h.t.Errorf("%s is there", name)
	}
}

// TestRestoreRetained gives files their names again that were removed, renamed and replaced; twice, as if the job went back to the same copy again.
func TestRestoreRetained(t *testing.T) {
	h := newHolding(t)
	names := []string{"there", "removed", "deep/er/removed", "renamed", "linked", "moved/in/side", "replaced", "taken"}
	for _, name := range names {
		h.hold(name, name)
	}
	h.must(os.Link(h.path("linked"), h.path("other link")))
	then := time.Unix(1e9, 5e8)
	h.must(os.Chtimes(h.path("removed"), then, then))
	h.must(os.Chmod(h.path("removed"), 0o604))
	h.must(os.WriteFile(h.path("moved/too"), []byte("too"), 0o600))
	there, renamed, linked, moved := h.object("there"), h.object("renamed"), h.object("linked"), h.object("moved/in/side")
	for range 2 {
		made := map[string]bool{}
		h.must(os.Remove(h.path("removed")))
		h.must(os.RemoveAll(h.path("deep")))
		h.must(os.Rename(h.path("renamed"), h.path("has another name")))
		h.must(os.Remove(h.path("linked")))
		h.must(os.Rename(h.path("moved"), h.path("elsewhere")))
		for _, name := range []string{"replaced", "taken"} {
			h.must(os.WriteFile(h.path("new"), []byte("another"), 0o600))
			if st, err := statx(h.path("new")); err == nil && name == "replaced" {
				made[identity(&st)] = true
			}
			h.must(os.Rename(h.path("new"), h.path(name)))
		}
		said := h.restore(h.state, made)
		if len(said) != 1 || !strings.Contains(said[0], "taken, which ranks had open, cannot be put back: another file has its name") {
			t.Errorf("says %q", said)
		}
		for _, name := range names[:7] {
			h.expect(name, name)
		}
		h.expect("taken", "another")
		h.expectGone("has another name")
		h.expect("moved/too", "too")
		h.expectGone("elsewhere")
		if h.object("there") != there || h.object("renamed") != renamed || h.object("linked") != linked || h.object("moved/in/side") != moved {
			t.Error("a file that was not removed is another one")
		}
		info, err := os.Stat(h.path("removed"))
		h.must(err)
		if !info.ModTime().Equal(then) || info.Mode() != 0o604 {
			t.Errorf("a file is made again with mode %v, time %v", info.Mode(), info.ModTime())
		}
		for _, f := range h.state[0] {
			if (f.Other != "") != (f.Path == h.path("taken")) {
				t.Errorf("%s is opened as %q", f.Path, f.Other)
			}
			if text, err := os.ReadFile(f.Other); f.Other != "" && (err != nil || string(text) != "taken") {
				t.Errorf("%s holds %q, %v", f.Other, text, err)
			}
		}
		h.must(os.Remove(h.path("taken")))
		if said := h.restore(h.state, nil); len(said) != 0 || h.state[0][7].Other != "" {
			t.Errorf("says %q of a file whose name is free", said)
		}
	}
}

// TestRestoreRetainedSparse leaves holes what they were.
func TestRestoreRetainedSparse(t *testing.T) {
	h := newHolding(t)
	h.hold("sparse", "begin")
	file, err := os.OpenFile(h.path("sparse"), os.O_RDWR, 0)
	h.must(err)
	defer file.Close()
	const size = 64 << 20
	_, err = file.WriteAt([]byte("middle"), size/2)
	h.must(err)
	h.must(file.Truncate(size))
	h.must(os.Remove(h.path("sparse")))
	if said := h.restore(h.state, nil); len(said) != 0 {
		t.Fatal(said)
	}
	info, err := os.Stat(h.path("sparse"))
	h.must(err)
	if blocks := info.Sys().(*syscall.Stat_t).Blocks; info.Size() != size || blocks > 4096 {
		t.Errorf("%d bytes in %d blocks of 512", info.Size(), blocks)
	}
	text, err := os.ReadFile(h.path("sparse"))
	h.must(err)
	if string(text[:5]) != "begin" || string(text[size/2:size/2+6]) != "middle" {
		t.Error("it holds something else")
	}
}

// TestRetainedSweep lets go of files that belong to no state, and keeps no more than it may.
func TestRetainedSweep(t *testing.T) {
	h := newHolding(t)
	h.hold("a", "a")
	old := h.state
	h.state = make(Files, 1)
	h.hold("b", "b")
	h.recent = h.state
	h.sweep(old)
	if len(h.files) != 2 {
		t.Errorf("%d files are retained, want 2", len(h.files))
	}
	h.sweep(nil)
	if len(h.files) != 1 {
		t.Errorf("%d files are retained, want 1", len(h.files))
	}
	h.most = 1
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		h.must(err)
		return len(entries)
	}
	before := open()
	for i := range 3 {
		fd, err := unix.Open(h.path("a"), unix.O_PATH|unix.O_CLOEXEC, 0)
		h.must(err)
		line := h.add([]vrank.Retained{{Path: fmt.Sprint(i)}}, []int{fd})
		if want := i == 0; strings.HasPrefix(line, "ranks have more files open than the 1 that ampirun can keep") != want {
			t.Errorf("says %q for file %d too many", line, i+1)
		}
	}
	if n := open(); n != before {
		t.Errorf("%d descriptors are left of files that are not retained", n-before)
	}
}
