package checkpoint

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// copyTo copies a generation into another store; spoil may change what comes. It gives the names of the files that came.
func copyTo(to *Store, f *Files, spoil func(name string, data []byte) []byte) (came []string, r *Report, err error) {
	manifest, err := f.Manifest()
	if err != nil {
		return nil, nil, err
	}
	a, err := to.Arrive(manifest)
	if err != nil {
		return nil, nil, err
	}
	for _, file := range a.Missing() {
		in, _, err := f.Open(file.Name)
		if err == nil && spoil != nil {
			var data []byte
			data, err = io.ReadAll(in)
			in = bytes.NewReader(spoil(file.Name, data))
		}
		if err == nil {
			err = a.Write(file, in)
		}
		if err != nil {
			a.Abandon()
			return nil, nil, err
		}
		came = append(came, file.Name)
	}
	r, err = a.Finish()
	return came, r, err
}

func filesOf(t testing.TB, s *Store, number uint64) *Files {
	t.Helper()
	f, err := s.Files(number)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func bring(t testing.TB, to, from *Store, number uint64) (came []string, r *Report) {
	t.Helper()
	came, r, err := copyTo(to, filesOf(t, from, number), nil)
	if err != nil || len(r.Warnings) > 0 {
		t.Fatal(err, r)
	}
	return came, r
}

// TestArrival copies one generation after the other: only what is new comes, and so many stay as are to be kept.
func TestArrival(t *testing.T) {
	from, to := openQuick(t, t.TempDir(), Options{Keep: 1, Embed: true}), openQuick(t, t.TempDir(), Options{Keep: 2})
	image := filepath.Join(t.TempDir(), "image")
	if err := os.WriteFile(image, []byte("code"), 0o600); err != nil {
		t.Fatal(err)
	}
	id, err := Identify(image)
	if err != nil {
		t.Fatal(err)
	}
	m := random(1, 500)
	for n := uint64(1); n <= 5; n++ {
		job := testJob()
		job.Images = []Image{id, id}
		if _, err := from.Save(job, m, []Extent{whole(m)}); err != nil {
			t.Fatal(err)
		}
		came, r := bring(t, to, from, n)
		for _, name := range came {
			if n > 1 && !strings.HasPrefix(name, folderName(n)) {
				t.Errorf("checkpoint %d: %s came again", n, name)
			}
		}
		if r.Generation != n || len(came) == 0 || r.Bytes == 0 {
			t.Fatalf("checkpoint %d: %v, %+v", n, came, r)
		}
		g := latest(t, to)
		holds(t, g, m)
		if info, err := os.Stat(imagePath(t, g, &id)); err != nil || info.Mode()&0o100 == 0 {
			t.Error(info, err)
		}
		touch(m, 0.05)
	}
	if numbers, err := to.Numbers(); err != nil || len(numbers) != 2 || numbers[0] != 4 {
		t.Error(numbers, err)
	}
	if came, _ := bring(t, to, from, 5); len(came) > 0 {
		t.Errorf("what is here came again: %v", came)
	}
	entries, err := os.ReadDir(to.Dir())
	if err != nil || len(entries) != 3 {
		t.Error(entries, err)
	}
}

// TestArrivalOfRemoved copies a generation that has been removed meanwhile.
func TestArrivalOfRemoved(t *testing.T) {
	from, to := openQuick(t, t.TempDir(), Options{Keep: 1}), openQuick(t, t.TempDir(), Options{})
	m := random(1, 300)
	save(t, from, m, whole(m))
	f := filesOf(t, from, 1)
	other := random(2, 300)
	save(t, from, other, whole(other))
	if numbers, _ := from.Numbers(); len(numbers) != 1 {
		t.Fatal(numbers)
	}
	if _, _, err := copyTo(to, f, nil); err != nil {
		t.Fatal(err)
	}
	holds(t, latest(t, to), m)
}

// TestArrivalNotNewer: a job that has begun anew does not replace what an earlier one has left, whose numbers are as high or higher. It goes on
// with higher ones.
func TestArrivalNotNewer(t *testing.T) {
	was, now, to := openQuick(t, t.TempDir(), Options{Keep: 5}), openQuick(t, t.TempDir(), Options{}), openQuick(t, t.TempDir(), Options{Keep: 5})
	m := random(1, 300)
	for n := range uint64(3) {
		touch(m, 0.1)
		save(t, was, m, whole(m))
		bring(t, to, was, n+1)
	}
	other := random(2, 300)
	for n := range uint64(3) {
		save(t, now, other, whole(other))
		var older *NotNewer
		if _, _, err := copyTo(to, filesOf(t, now, n+1), nil); !errors.As(err, &older) || older.Newest != 3 {
			t.Fatal(err)
		}
	}
	holds(t, latest(t, to), m)
	now.NumberAbove(7)
	now.NumberAbove(2)
	save(t, now, other, whole(other))
	bring(t, to, now, 8)
	holds(t, latest(t, to), other)
	if numbers, err := to.Numbers(); err != nil || len(numbers) != 4 {
		t.Error(numbers, err)
	}
}

// TestArrivalOfDamage lets a bit of a file be wrong, or the file be cut off: nothing is made visible, and nothing left.
func TestArrivalOfDamage(t *testing.T) {
	from, to := openQuick(t, t.TempDir(), Options{}), openQuick(t, t.TempDir(), Options{})
	m := random(1, 300)
	save(t, from, m, whole(m))
	f := filesOf(t, from, 1)
	for name, spoil := range map[string]func(string, []byte) []byte{
		"flipped": func(_ string, data []byte) []byte { data[len(data)/2] ^= 1; return data },
		"cut":     func(_ string, data []byte) []byte { return data[:len(data)-1] },
	} {
		var d *Damage
		if _, _, err := copyTo(to, f, spoil); !errors.As(err, &d) {
			t.Errorf("%s: %v", name, err)
		}
		if entries, err := os.ReadDir(to.Dir()); err != nil || len(entries) != 1 {
			t.Errorf("%s: left behind: %v, %v", name, entries, err)
		}
	}
	manifest, err := f.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	for at := range manifest {
		manifest[at] ^= 4
		if _, err := to.Arrive(manifest); err == nil {
			t.Fatalf("byte %d of the manifest is another one", at)
		}
		manifest[at] ^= 4
	}
}

// TestEveryOperationOfArrivalMayFail is TestEveryOperationMayFail for a copy.
func TestEveryOperationOfArrivalMayFail(t *testing.T) {
	from := openQuick(t, t.TempDir(), Options{Keep: 1})
	dir := t.TempDir()
	to := open(t, dir, Options{Keep: 1})
	m := random(1, 600)
	save(t, from, m, whole(m))
	to.disk = quick{}
	bring(t, to, from, 1)
	before := bytes.Clone(m)
	failures := 0
	for k, n := int64(1), uint64(2); ; k, n = k+1, n+1 {
		touch(m, 0.3)
		save(t, from, m, whole(m))
		f := &faulty{}
		f.left.Store(k)
		to.disk = f
		_, _, err := copyTo(to, filesOf(t, from, n), nil)
		to.disk = quick{}
		if err == nil {
			before = bytes.Clone(m)
		} else if failures++; !errors.Is(err, unix.ENOSPC) {
			t.Fatalf("operation %d: %v", k, err)
		}
		before = visible(t, to, before, m, err, false)
		if !f.failed.Load() {
			break
		}
	}
	if failures < 10 {
		t.Errorf("only %d failures", failures)
	}
	if err := to.clean(); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}
