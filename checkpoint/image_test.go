package checkpoint

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestEmbeddedElsewhere embeds a file that is read somewhere else than at its path, and copies it out again.
func TestEmbeddedElsewhere(t *testing.T) {
	dir := t.TempDir()
	source, want := filepath.Join(dir, "source"), []byte("a program")
	if err := os.WriteFile(source, want, 0o600); err != nil {
		t.Fatal(err)
	}
	image, err := Identify(source)
	if err != nil {
		t.Fatal(err)
	}
	image.Path, image.Source = filepath.Join(dir, "gone"), source
	s, err := Open(filepath.Join(dir, "store"), Options{Embed: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	job := testJob()
	job.Images = []Image{image}
	m := random(1, 3)
	if _, err := s.Save(job, m, []Extent{{0, uint64(len(m))}}); err != nil {
		t.Fatal(err)
	}
	g, err := s.Latest()
	if err != nil {
		t.Fatal(err)
	}
	back, err := g.Job()
	if err != nil {
		t.Fatal(err)
	}
	if got := back.Images[0]; !got.Embedded || got.Path != image.Path || got.Source != "" || !got.IsSame(&image) || !got.Resembles(source) {
		t.Errorf("comes back as %+v", got)
	}
	var out bytes.Buffer
	if err := g.CopyImage(&back.Images[0], &out); err != nil || !bytes.Equal(out.Bytes(), want) {
		t.Errorf("copied %q, %v", out.Bytes(), err)
	}
	refuseBadCopies(t, g, &back.Images[0])
}

// refuseBadCopies changes the embedded file, and removes it.
func refuseBadCopies(t *testing.T, g *Generation, image *Image) {
	t.Helper()
	path := imagePath(t, g, image)
	if err := os.WriteFile(path, []byte("a bad one"), 0o700); err != nil {
		t.Fatal(err)
	}
	var damage *Damage
	if err := g.CopyImage(image, &bytes.Buffer{}); !errors.As(err, &damage) || damage.File != path {
		t.Errorf("a changed copy: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := g.CopyImage(image, &bytes.Buffer{}); !errors.As(err, &damage) {
		t.Errorf("a missing copy: %v", err)
	}
}

// imagePath is where the embedded copy of an image is, which is good.
func imagePath(t *testing.T, g *Generation, image *Image) string {
	t.Helper()
	f, err := g.OpenImage(image)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	return f.Name()
}
