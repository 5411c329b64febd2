package vrank

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"ampirun/isomalloc"
)

// snapshotted is a region that is mapped nowhere, with its snapshot.
type snapshotted struct {
	t      *testing.T
	region *isomalloc.Region
	*snapshot
}

var snapshottedConfig = isomalloc.Config{Base: 1 << 30, Control: 1 << 20, SliceSize: 4 << 20, Slices: 2}

func newSnapshotted(t *testing.T) *snapshotted {
	t.Helper()
	region, err := isomalloc.Create(snapshottedConfig)
	if err != nil {
		t.Fatal(err)
	}
	made, err := isomalloc.CreateSnapshot(region.Config())
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Dup(made.FD())
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSnapshot(region, fd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.from.Close()
		s.to.Close()
		s.Close()
		made.Close()
		region.Close()
	})
	return &snapshotted{t, region, s}
}

func (s *snapshotted) whole() isomalloc.Range {
	c := s.region.Config()
	return isomalloc.Range{Lo: uintptr(c.Base), Hi: uintptr(c.Base + c.Size())}
}

func (s *snapshotted) content(r *isomalloc.Region) []byte {
	all := make([]byte, r.Config().Size())
	if _, err := unix.Pread(r.FD(), all, 0); err != nil {
		s.t.Fatal(err)
	}
	return all
}

func (s *snapshotted) extents(r *isomalloc.Region) []isomalloc.Range {
	list, err := r.Extents(s.whole().Lo, s.whole().Hi)
	if err != nil {
		s.t.Fatal(err)
	}
	return list
}

// change writes to pages at random, and gives some back.
func (s *snapshotted) change() {
	pages := rand.Int64N(int64(s.region.Config().Size() / page))
	for range rand.IntN(12) {
		first, n := rand.Int64N(pages+1), 1+rand.Int64N(40)
		n = min(n, int64(s.region.Config().Size()/page)-first)
		lo := s.whole().Lo + uintptr(first)*page
		if rand.IntN(3) == 0 {
			if err := s.region.Punch(lo, lo+uintptr(n)*page); err != nil {
				s.t.Fatal(err)
			}
			continue
		}
		for i := range n {
			if _, err := s.region.WriteAt([]byte{byte(rand.Int())}, (first+i)*page+rand.Int64N(page)); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}

// TestSnapshotFollows changes a region and has its snapshot follow: then both are equal, the same exists, and the pages that have changed
// are marked. All that, however the memory can be reached, and also when what is known of the snapshot is old.
func TestSnapshotFollows(t *testing.T) {
	for name, without := range map[string]func(*snapshot){
		"views":    func(*snapshot) {},
		"no view":  func(s *snapshot) { s.from.Close(); s.to.Close() },
		"one view": func(s *snapshot) { s.from.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSnapshotted(t)
			without(s.snapshot)
			before := s.content(s.region)
			var had []isomalloc.Range
			for step := range 40 {
				s.change()
				if rand.IntN(2) == 0 { // and changes again before it is frozen
					if err := s.prepare(s.region, s.whole(), isomalloc.Range{}, func() bool { return rand.IntN(20) == 0 }); err != nil && err != errBegun {
						t.Fatal(err)
					}
					s.change()
				}
				if step%9 == 8 {
					clear(s.known)
				}
				s.begin()
				copied, err := s.follow(s.whole(), isomalloc.Range{}, s.copy)
				if err != nil {
					t.Fatal(err)
				}
				now := s.content(s.region)
				if !bytes.Equal(now, s.content(s.Region)) || !slices.Equal(s.extents(s.region), s.extents(s.Region)) {
					t.Fatalf("step %d: the snapshot is not like the region", step)
				}
				if least, most := s.checkMarks(before, now, had); copied < least || copied > most {
					t.Fatalf("step %d: %d bytes copied, %d to %d have changed", step, copied, least, most)
				}
				has := s.extents(s.region)
				if s.same && !slices.Equal(had, has) {
					t.Fatalf("step %d: it exists as before, says the snapshot: %v, %v", step, had, has)
				}
				before, had = now, has
				s.Forget(had)
			}
		})
	}
}

// checkMarks looks whether all pages with other contents are marked, and no others but those that have come or gone. It gives the bytes of
// what exists of both kinds.
func (s *snapshotted) checkMarks(before, now []byte, had []isomalloc.Range) (least, most uint64) {
	s.t.Helper()
	has := s.extents(s.region)
	for i := uint64(0); i < uint64(len(now)); i += page {
		changed := !bytes.Equal(before[i:i+page], now[i:i+page])
		was, is := contains(had, s.whole().Lo+uintptr(i)), contains(has, s.whole().Lo+uintptr(i))
		marked := s.HasChanged(i, page)
		if changed && !marked || marked && !changed && is && was {
			s.t.Fatalf("page at offset %#x: changed %v, marked %v", i, changed, marked)
		}
		if is && changed {
			least += page
		}
		if is && (changed || !was) {
			most += page
		}
	}
	return least, most
}

func contains(list []isomalloc.Range, at uintptr) bool {
	return slices.ContainsFunc(list, func(r isomalloc.Range) bool { return r.Lo <= at && at < r.Hi })
}

// TestSnapshotExistsAsBefore: that is said from the second freeze on, unless something has come or gone.
func TestSnapshotExistsAsBefore(t *testing.T) {
	s := newSnapshotted(t)
	for step, want := range []bool{false, true, true, false, true, false, true} {
		switch step {
		case 0, 2:
			s.write(5, byte(step))
		case 3:
			s.write(6, 1)
		case 5:
			if err := s.region.Punch(s.whole().Lo+5*page, s.whole().Lo+6*page); err != nil {
				t.Fatal(err)
			}
		}
		if s.followed(); s.same != want {
			t.Errorf("step %d: as before: %v", step, s.same)
		}
	}
	if s = s.anew(); s.same {
		t.Error("another worker knows what existed")
	}
	if s.followed(); s.same {
		t.Error("another worker knows what existed, after the first freeze")
	}
}

// TestSnapshotKnowsNothingOfOthers: a rank that was elsewhere at the last freeze has been copied by another worker then.
func TestSnapshotKnowsNothingOfOthers(t *testing.T) {
	s := newSnapshotted(t)
	slice := s.region.Slice(1)
	follow := func() {
		t.Helper()
		s.begin()
		if _, err := s.follow(slice, isomalloc.Range{}, s.copy); err != nil {
			t.Fatal(err)
		}
	}
	write := func(r *isomalloc.Region, at uintptr) {
		t.Helper()
		if _, err := r.WriteAt([]byte{1}, int64(at-r.Base())); err != nil {
			t.Fatal(err)
		}
	}
	write(s.region, slice.Lo)
	follow()
	s.begin() // here the other one copies
	write(s.Region, slice.Lo+page)
	follow()
	if got := s.extents(s.Region); len(got) != 1 || got[0].Len() != page {
		t.Errorf("the snapshot has %v", got)
	}
}

// TestSnapshotLeavesOut: what is useless of a region is a hole in its snapshot.
func TestSnapshotLeavesOut(t *testing.T) {
	s := newSnapshotted(t)
	slice := s.region.Slice(0)
	if _, err := s.region.WriteAt(bytes.Repeat([]byte{1}, 10*page), int64(slice.Lo-s.whole().Lo)); err != nil {
		t.Fatal(err)
	}
	for _, useless := range []isomalloc.Range{{}, {Lo: slice.Lo + 3*page, Hi: slice.Lo + 5*page}, {Lo: slice.Lo, Hi: slice.Hi}, {}} {
		s.begin()
		if _, err := s.follow(slice, useless, s.copy); err != nil {
			t.Fatal(err)
		}
		if got, want := s.extents(s.Region), without(s.extents(s.region), useless); !slices.Equal(got, want) {
			t.Errorf("without %v: the snapshot has %v, not %v", useless, got, want)
		}
	}
}
