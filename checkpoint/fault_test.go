package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"ampirun/internal/safefile"
)

// faulty is a disk on which one operation, counted from now, fails; or that one and all later ones, as if the process had died.
type faulty struct {
	quick
	left   atomic.Int64
	dead   bool
	failed atomic.Bool
}

var errFault = &os.PathError{Op: "write", Path: "somewhere", Err: unix.ENOSPC}

func (f *faulty) step() error {
	left := f.left.Add(-1)
	if left == 0 || left < 0 && f.dead {
		f.failed.Store(true)
		return errFault
	}
	return nil
}

func do(f *faulty, op func() error) error {
	if err := f.step(); err != nil {
		return err
	}
	return op()
}

func (f *faulty) Mkdir(in *safefile.Dir, name string) (d *safefile.Dir, err error) {
	err = do(f, func() error { d, err = f.quick.Mkdir(in, name); return err })
	return d, err
}
func (f *faulty) Link(from *safefile.Dir, name string, to *safefile.Dir) error {
	return do(f, func() error { return f.quick.Link(from, name, to) })
}
func (f *faulty) Rename(in *safefile.Dir, a, b string) error {
	return do(f, func() error { return f.quick.Rename(in, a, b) })
}
func (f *faulty) RemoveAll(in *safefile.Dir, name string) error {
	return do(f, func() error { return f.quick.RemoveAll(in, name) })
}
func (f *faulty) SyncDir(d *safefile.Dir) error {
	return do(f, func() error { return f.quick.SyncDir(d) })
}

func (f *faulty) Create(in *safefile.Dir, name string, program bool) (output, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	out, err := f.quick.Create(in, name, program)
	return &faultyOutput{out, f}, err
}

type faultyOutput struct {
	output
	f *faulty
}

// Write writes half of what it should when it fails.
func (o *faultyOutput) Write(p []byte) (int, error) {
	if err := o.f.step(); err != nil {
		n, _ := o.output.Write(p[:len(p)/2])
		return n, err
	}
	return o.output.Write(p)
}

func (o *faultyOutput) Sync() error { return do(o.f, o.output.Sync) }

// TestEveryOperationMayFail lets each operation of a Save fail in turn, alone and with all that come after it. Whatever is visible
// then is whole, and it is what Save said: the new one without an error, the old one after an error.
func TestEveryOperationMayFail(t *testing.T) {
	for _, dead := range []bool{false, true} {
		t.Run(fmt.Sprintf("dead=%v", dead), func(t *testing.T) {
			dir := t.TempDir()
			s := open(t, dir, Options{Keep: 1})
			m := random(1, 600)
			save(t, s, m, whole(m))
			before := bytes.Clone(m)
			failures := 0
			for k := int64(1); ; k++ {
				f := &faulty{dead: dead}
				f.left.Store(k)
				s.disk = f
				touch(m, 0.3)
				_, err := s.Save(testJob(), m, []Extent{whole(m)})
				s.disk = quick{}
				if err == nil {
					before = bytes.Clone(m)
				} else if failures++; !errors.Is(err, unix.ENOSPC) {
					t.Fatalf("operation %d: %v", k, err)
				}
				if dead {
					s.Close()
					s = open(t, dir, Options{Keep: 1})
				}
				before = visible(t, s, before, m, err, dead)
				if !f.failed.Load() {
					break
				}
			}
			if failures < 10 {
				t.Errorf("only %d failures", failures)
			}
			save(t, s, m, whole(m))
			holds(t, latest(t, s), m)
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
				t.Errorf("left behind: %v, %v", entries, err)
			}
		})
	}
}

// visible checks all generations, and gives the memory in the newest: what it was before if Save failed, unless everything fails
// after the rename.
func visible(t *testing.T, s *Store, before, m Memory, saved error, dead bool) Memory {
	t.Helper()
	numbers, err := s.Numbers()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		g, err := s.Generation(n)
		if err == nil {
			err = g.Verify()
		}
		if err != nil {
			t.Fatalf("%v (after %v)", err, saved)
		}
	}
	got := make(Memory, len(m))
	if err := latest(t, s).Restore(got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, before) && (!dead || !bytes.Equal(got, m)) {
		t.Fatalf("the newest checkpoint is not what it should be (after %v)", saved)
	}
	return got
}

// TestWithoutHardLinks copies packs where the file system cannot link them.
func TestWithoutHardLinks(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	s.disk = unlinked{}
	m := random(1, 600)
	for range 4 {
		save(t, s, m, whole(m))
		holds(t, latest(t, s), m)
		touch(m, 0.1)
	}
}

type unlinked struct{ quick }

func (unlinked) Link(_ *safefile.Dir, name string, _ *safefile.Dir) error {
	return &os.PathError{Op: "link", Path: name, Err: unix.EPERM}
}

// TestDamage changes one file at a time: what is restored is right, or it is an error about that file, and the
// checkpoint before is whole.
func TestDamage(t *testing.T) {
	s := openQuick(t, t.TempDir(), Options{Keep: 3})
	m := random(9, 400)
	for i := range m[:len(m)/2] {
		m[i] &= 3
	}
	first := bytes.Clone(m)
	save(t, s, m, whole(m))
	m = random(10, 400) // nothing in common
	save(t, s, m, whole(m))
	files, err := filepath.Glob(s.root.Path(folderName(2) + "/*"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		good, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for what, bad := range damages(good) {
			rewrite(t, file, bad)
			got := make(Memory, len(m))
			g, err := s.Latest()
			if err == nil {
				err = g.Restore(got)
			}
			var d *Damage
			if !errors.As(err, &d) || d.File != file {
				t.Errorf("%s %s: %v", file, what, err)
			}
			g, worse, err := latestGood(s)
			if err != nil || g.Number != 1 || len(worse) != 1 {
				t.Fatal(g, worse, err)
			}
		}
		rewrite(t, file, good)
	}
	holds(t, latest(t, s), m)
	g, err := s.Generation(1)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, g, first)
}

// damages are files made of a good one; nil is none.
func damages(good []byte) map[string][]byte {
	all := map[string][]byte{"missing": nil, "empty": {}, "longer": append(bytes.Clone(good), 0), "zeros": make([]byte, len(good)),
		"cut in half": good[:len(good)/2], "short of a byte": good[:len(good)-1]}
	for i := range 60 {
		bit := (i*7919*len(good)/60 + i) % (8 * len(good))
		flipped := bytes.Clone(good)
		flipped[bit/8] ^= 1 << (bit % 8)
		all[fmt.Sprintf("with bit %d flipped", bit)] = flipped
	}
	return all
}

func rewrite(t *testing.T, file string, data []byte) {
	t.Helper()
	_ = os.Remove(file)
	if data == nil {
		return
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestChains: with two, the loss of all files of the newest checkpoint, shared ones too, costs only that one.
func TestChains(t *testing.T) {
	s := openQuick(t, t.TempDir(), Options{Chains: 2})
	m := random(1, 500)
	var before Memory
	for i := range 6 {
		before = bytes.Clone(m)
		touch(m, 0.1)
		if r := save(t, s, m, whole(m)); (r.Kept > 0) != (i >= 2) {
			t.Fatalf("checkpoint %d: %+v", i+1, r.Counts)
		}
		holds(t, latest(t, s), m)
	}
	files, err := filepath.Glob(s.root.Path(folderName(6) + "/*"))
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(file, 10); err != nil { // in place: others that share it see it
			t.Fatal(err)
		}
	}
	g, worse, err := latestGood(s)
	if err != nil || g.Number != 5 || len(worse) != 1 {
		t.Fatal(g, worse, err)
	}
	holds(t, g, before)
	if _, err := Open(t.TempDir(), Options{Keep: 1, Chains: 2}); err == nil {
		t.Error("two chains in one generation")
	}
}

// TestDamagedNeighbour: a Save does not build upon a checkpoint that it cannot read, and says so.
func TestDamagedNeighbour(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, Options{})
	m := random(1, 100)
	save(t, s, m, whole(m))
	s.Close()
	packs, err := filepath.Glob(filepath.Join(dir, "*", "*"+packExt))
	if err != nil || len(packs) == 0 {
		t.Fatal(packs, err)
	}
	rewrite(t, packs[0], nil)
	s = open(t, dir, Options{})
	r, err := s.Save(testJob(), m, []Extent{whole(m)})
	if err != nil || len(r.Warnings) != 1 || r.Kept != 0 {
		t.Fatal(r, err)
	}
	holds(t, latest(t, s), m)
}

// latestGood is the newest generation in which every byte is as it was written, and what is wrong with those that are newer.
func latestGood(s *Store) (g *Generation, worse []error, err error) {
	numbers, err := s.Numbers()
	for _, number := range slices.Backward(numbers) {
		if g, err = s.Generation(number); err == nil {
			err = g.Verify()
		}
		if err == nil {
			return g, worse, nil
		}
		worse = append(worse, err)
	}
	return nil, worse, errors.Join(err, ErrNone)
}
