package checkpoint

import (
	"bytes"
	"io"
	"math/rand/v2"
	"testing"
)

// tracked is memory that says what it was told of changes, true or not.
type tracked struct {
	Memory
	changed map[uint64]bool // pages
}

func (m *tracked) HasChanged(at, size uint64) bool { return m.changed[at/size] }

// TestUnchangedPagesAreNotRead: pages are taken for what they were, if memory says so.
func TestUnchangedPagesAreNotRead(t *testing.T) {
	s := openQuick(t, t.TempDir(), Options{})
	m := &tracked{Memory: random(1, 600)}
	save(t, s, m, whole(m.Memory))
	want := bytes.Clone(m.Memory)
	m.changed = map[uint64]bool{17: true, 500: true}
	for _, p := range []int{17, 18, 500, 501} { // the memory does not tell of two of them
		m.Memory[p*page]++
	}
	want[17*page]++
	want[500*page]++
	if r := save(t, s, m, whole(m.Memory)); r.Written != 2 || r.Kept != 598 {
		t.Errorf("%+v", r.Counts)
	}
	holds(t, latest(t, s), want)
}

// unread is memory of which nothing has changed and nothing can be read.
type unread struct{ t *testing.T }

func (m unread) ReadAt([]byte, int64) (int, error) { return 0, io.ErrUnexpectedEOF }
func (m unread) HasChanged(uint64, uint64) bool    { return false }

// TestNothingHasChanged needs no byte of the memory: zero pages and those that are there twice included.
func TestNothingHasChanged(t *testing.T) {
	s := openQuick(t, t.TempDir(), Options{})
	m := random(1, 600)
	clear(m[100*page : 200*page])
	copy(m[300*page:400*page], m)
	save(t, s, m, whole(m))
	r := save(t, s, unread{t}, whole(m))
	if r.Zero != 100 || r.Kept != 500 {
		t.Errorf("%+v", r.Counts)
	}
	holds(t, latest(t, s), m)
}

// TestChangesOfOtherTimes: what memory says of changes since the last Save helps only a Save that builds upon that one.
func TestChangesOfOtherTimes(t *testing.T) {
	silent := func(seed uint64) *tracked { return &tracked{Memory: random(seed, 300)} } // of its changes
	t.Run("opened anew", func(t *testing.T) {
		dir := t.TempDir()
		s := openQuick(t, dir, Options{})
		save(t, s, silent(1), Extent{0, 300 * page})
		s.Close()
		s = openQuick(t, dir, Options{})
		save(t, s, silent(2), Extent{0, 300 * page})
		holds(t, latest(t, s), random(2, 300))
	})
	t.Run("after an error", func(t *testing.T) {
		s := openQuick(t, t.TempDir(), Options{})
		save(t, s, silent(1), Extent{0, 300 * page})
		f := &faulty{}
		f.left.Store(3)
		s.disk = f
		if _, err := s.Save(testJob(), &tracked{random(2, 300), map[uint64]bool{0: true}}, []Extent{{0, 300 * page}}); err == nil {
			t.Fatal("nothing has failed")
		}
		s.disk = quick{}
		save(t, s, silent(3), Extent{0, 300 * page})
		holds(t, latest(t, s), random(3, 300))
	})
	t.Run("another chain", func(t *testing.T) {
		s := openQuick(t, t.TempDir(), Options{Chains: 2})
		for seed := range uint64(5) {
			save(t, s, silent(seed), Extent{0, 300 * page})
			holds(t, latest(t, s), random(seed, 300))
		}
	})
	t.Run("other pages", func(t *testing.T) {
		s := openQuick(t, t.TempDir(), Options{})
		save(t, s, silent(1), Extent{0, 300 * page})
		job := testJob()
		job.PageSize = 2 * page
		if _, err := s.Save(job, silent(2), []Extent{{0, 300 * page}}); err != nil {
			t.Fatal(err)
		}
		holds(t, latest(t, s), random(2, 300))
	})
	t.Run("other extents", func(t *testing.T) {
		s := openQuick(t, t.TempDir(), Options{})
		m := silent(1)
		save(t, s, m, Extent{0, 100 * page}, Extent{200 * page, 50 * page})
		copy(m.Memory[100*page:200*page], random(2, 100))
		save(t, s, m, Extent{50 * page, 250 * page})
		clear(m.Memory[:50*page])
		holds(t, latest(t, s), m.Memory)
	})
}

// TestTrackedAtRandom changes memory and what of it exists, in Saves that may fail, and looks whether each that did not has what there was.
func TestTrackedAtRandom(t *testing.T) {
	const pages, steps = 1200, 60
	for _, options := range []Options{{Keep: 2}, {Keep: 3, Chains: 2}, {Keep: 1, Compression: CompressAlways}} {
		dir := t.TempDir()
		s := openQuick(t, dir, options)
		m := &tracked{Memory: make(Memory, pages*page), changed: map[uint64]bool{}}
		exists := make([]bool, pages)
		failures, kept := 0, 0
		for range steps {
			m.changeAtRandom(exists)
			f := &faulty{}
			if rand.IntN(3) == 0 {
				f.left.Store(1 + rand.Int64N(20))
			}
			s.disk = f
			r, err := s.Save(testJob(), m, extentsOf(exists))
			s.disk = quick{}
			if err != nil {
				failures++
			} else {
				clear(m.changed)
				kept += r.Kept
				holds(t, latest(t, s), m.Memory)
			}
			if rand.IntN(20) == 0 {
				s.Close()
				s = openQuick(t, dir, options)
			}
		}
		if failures == 0 || failures > steps/2 || kept == 0 {
			t.Errorf("%d of %d failed, %d pages kept", failures, steps, kept)
		}
	}
}

// changeAtRandom changes pages, takes some away and has others come, as in the copy of a region: what is not there is zero.
func (m *tracked) changeAtRandom(exists []bool) {
	for range rand.IntN(8) {
		first := rand.IntN(len(exists))
		for p := first; p < min(len(exists), first+1+rand.IntN(60)); p++ {
			memory := m.Memory[p*page : (p+1)*page]
			if what := rand.IntN(10); what == 0 {
				clear(memory)
				exists[p] = false
				continue
			} else if what < 3 {
				copy(memory, m.Memory[rand.IntN(len(exists))*page:][:page]) // maybe that of a page which has changed as well
			} else {
				memory[rand.IntN(page)]++
			}
			exists[p] = true
			m.changed[uint64(p)] = true
		}
	}
}

func extentsOf(exists []bool) (list []Extent) {
	for p, e := range exists {
		if e {
			list = append(list, Extent{uint64(p) * page, page})
		}
	}
	return list
}
