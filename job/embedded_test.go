package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ampirun/checkpoint"
	"ampirun/internal/wire"
)

// savedImages is a Restart of a job with these images, which a checkpoint has copies of if that is wanted.
func savedImages(t *testing.T, embed bool, images ...checkpoint.Image) *Restart {
	t.Helper()
	dir := t.TempDir()
	store, err := checkpoint.Open(dir, checkpoint.Options{Embed: embed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	job, p := sampleJob(images[0].Path)
	job.Version, job.Images, job.Launcher = "7.8", images, images[0].Path
	job.Opaque = map[string][]byte{metadataKey: wire.Encode(p)}
	if _, err := store.Save(job, checkpoint.Memory(nil), nil); err != nil {
		t.Fatal(err)
	}
	r, err := OpenRestart(dir, false, 0, func(*DamagedCheckpoint) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

// imageOf writes a file and describes it.
func imageOf(t *testing.T, text string) checkpoint.Image {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	image, err := checkpoint.Identify(path)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

// TestCopies reads a file that is gone from the checkpoint, once, and knows what it is.
func TestCopies(t *testing.T) {
	program := imageOf(t, "the program")
	r := savedImages(t, true, program)
	if err := os.Remove(program.Path); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.checkFiles(); err != nil {
			t.Fatal(err)
		}
	}
	name := r.namedCopies()[program.Path]
	if text, err := os.ReadFile(name); string(text) != "the program" || len(r.copies.files) != 1 {
		t.Fatalf("%s has %q, %v; %d copies", name, text, err, len(r.copies.files))
	}
	if err := os.WriteFile(name, []byte("another"), 0); err == nil {
		t.Error("the copy can be changed")
	}
	image, err := r.identify(program.Path)
	if err != nil || !image.IsSame(&program) || image.Path != program.Path || image.Source != name || image.Embedded {
		t.Errorf("it is known as %+v, %v", image, err)
	}
}

// TestNoCopies uses the files at their paths as long as they are the same.
func TestNoCopies(t *testing.T) {
	program := imageOf(t, "the program")
	r := savedImages(t, true, program)
	if err := r.checkFiles(); err != nil || len(r.namedCopies()) != 0 {
		t.Errorf("%v, copies %v", err, r.namedCopies())
	}
}

// TestOtherHost refuses files that ampirun itself would need, by name, also if the checkpoint has them.
func TestOtherHost(t *testing.T) {
	program, library := imageOf(t, "the program"), imageOf(t, "a C library")
	library.Host = true
	r := savedImages(t, true, program, library)
	if err := r.checkFiles(); err == nil || !strings.Contains(err.Error(), "ampirun runs with another "+library.Path+" here") {
		t.Errorf("another C library: %v", err)
	}
	r.job.Launcher = library.Path
	if err := r.checkFiles(); err == nil || !strings.Contains(err.Error(), "saved by another ampirun ("+library.Path+": version 7.8") {
		t.Errorf("another ampirun: %v", err)
	}
}

// TestOwnFiles finds this program first, and calls files as they were called when a job was saved.
func TestOwnFiles(t *testing.T) {
	own, err := identifyOwn()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if own[0].Path != program || own[0].Source != ownProgram || !own[0].Host || len(own) < 2 {
		t.Fatalf("own files: %+v", own)
	}
	was := own[0]
	was.Path = "/somewhere/else"
	r := savedImages(t, false, imageOf(t, "the program"), was)
	if named := r.named(own); named[0].Path != was.Path || named[0].Source != ownProgram || named[1].Path != own[1].Path {
		t.Errorf("named %+v", named)
	}
}

// TestOwnProgram: a process does not become what it is already, whatever a checkpoint says of that.
func TestOwnProgram(t *testing.T) {
	for path, want := range map[string]bool{ownProgram: true, os.Args[0]: true, "/dev/null": false} {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if isOwnProgram(f) != want {
			t.Errorf("%s: %v", path, !want)
		}
		f.Close()
	}
}
