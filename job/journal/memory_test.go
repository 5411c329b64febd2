package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// noteOf writes what a worker would note before and after it makes a file.
func (b *memory) noteOf(t *testing.T, epoch, pe int, path string, size int64) {
	t.Helper()
	st, err := statx(path)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(b.file, "%d.%d:1 %d:%d %d %d.%d %d %s\x00", epoch, pe, st.Dev_major, st.Dev_minor, st.Ino, st.Btime.Sec, st.Btime.Nsec, size, path)
}

func TestMemoryJournal(t *testing.T) {
	b, err := newMemory()
	if err != nil {
		t.Fatal(err)
	}
	defer b.file.Close()
	dir := t.TempDir()
	made := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	old, grown, fresh := made("old", "1"), made("grown", "12345"), made("fresh", "1")
	b.noteOf(t, 0, 0, old, -1)
	b.noteOf(t, 1, 1, grown, 2)
	b.forget(1)
	b.noteOf(t, 2, 0, fresh, -1)
	seen := 0
	if err := b.each(func(int, string, []byte) bool { seen++; return true }); err != nil || seen != 2 {
		t.Errorf("after forget: %d notes, %v", seen, err)
	}
	if _, err := b.undo(1); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(grown); string(text) != "12" {
		t.Errorf("a file that had 2 bytes has %q", text)
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("a file that was made since is there")
	}
	if _, err := os.Stat(old); err != nil {
		t.Error("a file that was made before is gone")
	}
	if st, _ := b.file.Stat(); st.Size() != 0 || b.from != 0 {
		t.Errorf("%d bytes are left", st.Size())
	}
	b.file.WriteString("nonsense\x00")
	if _, err := b.undo(0); err == nil {
		t.Error("nonsense was taken for a note")
	}
}
