package shim_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestGeneratedFilesAreFresh(t *testing.T) {
	watch(t, "data", "gen")
	fresh := t.TempDir()
	command(t, "go", "run", "./gen", "-root", "..", "-out", fresh)
	files := 0
	err := filepath.WalkDir(fresh, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		rel, _ := filepath.Rel(fresh, path)
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if got, err := os.ReadFile(filepath.Join("..", rel)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is stale: run go generate ./shim", rel)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 8 {
		t.Errorf("the generator wrote only %d files", files)
	}
}
