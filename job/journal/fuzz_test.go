package journal

import (
	"errors"
	"path/filepath"
	"testing"
)

// FuzzNotes reads notes of opened files, from checkpoints and from memory. None can be undone that names no whole path.
func FuzzNotes(f *testing.F) {
	f.Add("1 8:1 4711 1700000000.5 100 /tmp/x")
	f.Add("2 0:0 0 1700000000.5 -1 /tmp/y")
	f.Add("3 8:1 4711 1700000000.5 gone:755 /tmp/d")
	f.Add("4 8:1 4711 1700000000.5 dir /tmp/d")
	f.Add("1.0:5 8:1 4711 17.5 100 /tmp/x\x001.1:6")
	f.Add("1.0 8\x00")
	f.Fuzz(func(t *testing.T, text string) {
		n, isWhole := parseNote(text)
		if isWhole && (!filepath.IsAbs(n.path) || n.size < 0 || n.mode > 0o7777) {
			t.Fatalf("%+v", n)
		}
		b, err := newMemory()
		if err != nil {
			t.Fatal(err)
		}
		defer b.file.Close()
		if _, err := b.file.WriteString(text); err != nil {
			t.Fatal(err)
		}
		err = b.each(func(epoch int, _ string, note []byte) bool {
			if len(note) == 0 || note[len(note)-1] != 0 {
				t.Fatalf("%q", note)
			}
			return true
		})
		_ = errors.Unwrap(err)
	})
}
