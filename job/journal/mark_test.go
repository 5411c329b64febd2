package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ampirun/internal/safefile"
)

// TestUndoOpened makes undone what ranks have opened in an epoch and later, and nothing else.
func TestUndoOpened(t *testing.T) {
	dir := t.TempDir()
	root, err := safefile.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	folder, err := root.MakeSub(Folder)
	if err != nil {
		t.Fatal(err)
	}
	o, epoch := newMark(), 3
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	noted := func(number int, path string, size int64) string {
		st, err := statx(path)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%d %d:%d %d %d.%d %d %s\x00", number, st.Dev_major, st.Dev_minor, st.Ino, st.Btime.Sec, st.Btime.Nsec, size, path)
	}
	announced := func(number int, path string, at time.Time) string {
		return fmt.Sprintf("%d 0:0 0 %d.%d -1 %s\x00", number, at.Unix(), at.Nanosecond(), path)
	}
	before := time.Now().Add(-time.Second)
	grown, fresh, earlier, empty, full, old := file("grown", "0123456789"), file("fresh", "x"), file("earlier", "x"), file("empty", ""), file("full", "x"), file("old", "")
	torn := file("noted after one that is torn", "01234")
	notes := map[string]string{
		fmt.Sprintf("%s.%d.0", o.Job, epoch): noted(1, grown, 7) + announced(2, fresh, before) + noted(2, fresh, -1) + noted(9, earlier, 1) + "10 8:1 4\x00" + noted(11, torn, 3) + "12 cut off",
		fmt.Sprintf("%s.%d.1", o.Job, epoch): announced(3, empty, before) + announced(4, full, before) + announced(5, old, before.Add(time.Hour)),
		fmt.Sprintf("%s.%d.0", o.Job, 4):     noted(6, grown, 4),
		fmt.Sprintf("%s.%d.0", o.Job, 2):     noted(7, earlier, -1),
		"other.3.0":                          noted(8, earlier, -1),
	}
	for name, text := range notes {
		file(filepath.Join(Folder, name), text)
	}
	o.Epoch = epoch
	for range 2 { // it may be done again
		if _, _, err := o.undo(folder); err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]int64{grown: 4, fresh: -1, earlier: 1, empty: -1, full: 1, old: 0, torn: 3} {
			size := int64(-1)
			if info, err := os.Stat(path); err == nil {
				size = info.Size()
			}
			if size != want {
				t.Errorf("%s has %d bytes, want %d", path, size, want)
			}
		}
	}
	if left, _ := os.ReadDir(filepath.Join(dir, Folder)); len(left) != 2 {
		t.Errorf("notes that are left: %v", left)
	}
}
