package isomalloc

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

func newSnapshotOf(t testing.TB, r *Region) *Snapshot {
	t.Helper()
	s, err := CreateSnapshot(r.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// takenAgain is the same snapshot as another process has it.
func takenAgain(t *testing.T, s *Snapshot) *Snapshot {
	t.Helper()
	fd, err := unix.Dup(s.FD())
	if err != nil {
		t.Fatal(err)
	}
	other, err := TakeSnapshot(fd, s.Config())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	return other
}

// TestSnapshotMarks compares the bits with a list of what was marked, in two processes' places: the snapshot and the same taken from its descriptor.
func TestSnapshotMarks(t *testing.T) {
	r := newRegion(t, 1<<20, 3<<20, 5)
	s := newSnapshotOf(t, r)
	other := takenAgain(t, s)
	pages := r.Config().Size() / pageSize
	marked := make([]bool, pages)
	check := func() {
		t.Helper()
		for range 2000 {
			at, size := rand.Uint64N(pages), 1+rand.Uint64N(3)
			if at+size > pages {
				continue
			}
			want := false
			for _, m := range marked[at : at+size] {
				want = want || m
			}
			if s.HasChanged(at*pageSize, size*pageSize) != want || other.HasChanged(at*pageSize, size*pageSize) != want {
				t.Fatalf("%d pages from page %d: %v is wrong", size, at, !want)
			}
		}
	}
	for range 2 {
		check()
		for range 50 {
			first := rand.Uint64N(pages)
			last := min(pages, first+rand.Uint64N(200))
			for i := first; i < last; i++ {
				marked[i] = true
			}
			[]*Snapshot{s, other}[rand.IntN(2)].Mark(r.Base()+uintptr(first*pageSize), r.Base()+uintptr(last*pageSize))
			check()
		}
		s.Forget([]Range{{r.Base(), r.Base() + uintptr(r.Config().Size())}})
		clear(marked)
	}
	check()
	s.Mark(r.Base(), r.Base()+300*pageSize)
	s.Forget([]Range{{r.Base() + 128*pageSize, r.Base() + 192*pageSize}})
	for _, page := range []uint64{0, 127, 128, 191, 192, 299} {
		if s.HasChanged(page*pageSize, pageSize) == (page >= 128 && page < 192) {
			t.Errorf("page %d is wrong", page)
		}
	}
	if e, err := s.Extents(r.Base(), r.Base()+uintptr(r.Config().Size())); err != nil || len(e) > 0 {
		t.Errorf("marks made %v, %v", e, err)
	}
	fd, err := unix.Dup(s.FD())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Take(fd, r.Config()); err == nil {
		t.Error("a snapshot is taken for a region")
	}
}

// TestView reads and writes what the mapping at the base does not show, with a second mapping and without one.
func TestView(t *testing.T) {
	r := newRegion(t, 0, 1<<20, 2)
	s := r.Slice(1)
	for i := range uintptr(4) {
		copy(mem(s.Lo+i*pageSize, pageSize), bytes.Repeat([]byte{byte(i + 1)}, pageSize))
	}
	if err := r.Guard(s.Lo, s.Lo+2*pageSize); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 4*pageSize)
	for _, mapped := range []bool{true, false} {
		v := r.View(true)
		if v.mapped == 0 {
			t.Fatal("there is no room for a view")
		}
		if !mapped {
			v.Close()
		}
		got, err := v.Bytes(s.Lo, s.Lo+4*pageSize, buffer)
		if err != nil || len(got) != 4*pageSize || got[0] != 1 || got[3*pageSize] != 4 {
			t.Fatalf("mapped %v: %v", mapped, err)
		}
		if err := v.Write(s.Lo+2*pageSize, []byte{77}); err != nil || mem(s.Lo+2*pageSize, 1)[0] != 77 {
			t.Errorf("mapped %v: nothing written: %v", mapped, err)
		}
		if err := v.Make(s.Lo+9*pageSize, []byte{78}); err != nil || mem(s.Lo+9*pageSize, 1)[0] != 78 {
			t.Errorf("mapped %v: nothing made: %v", mapped, err)
		}
		clear(mem(s.Lo+2*pageSize, pageSize))
		if err := r.Punch(s.Lo+9*pageSize, s.Lo+10*pageSize); err != nil {
			t.Fatal(err)
		}
		v.Close()
	}
}

// TestViewExtents lists what exists with hints that are right, old, or of no use.
func TestViewExtents(t *testing.T) {
	r := newRegion(t, 0, 4<<20, 1)
	v := r.View(false)
	defer v.Close()
	s := r.Slice(0)
	var before []Range
	for range 500 {
		for range rand.IntN(6) {
			lo := s.Lo + uintptr(rand.IntN(1024))*pageSize
			hi := min(s.Hi, lo+uintptr(1+rand.IntN(100))*pageSize)
			if rand.IntN(2) == 0 {
				if err := r.Punch(lo, hi); err != nil {
					t.Fatal(err)
				}
				continue
			}
			for at := lo; at < hi; at += pageSize {
				mem(at, 1)[0] = 1
			}
		}
		want, err := r.Extents(s.Lo, s.Hi)
		if err != nil {
			t.Fatal(err)
		}
		got, err := v.Extents(s, before)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("after %v: %v, not %v: %v", before, got, want, err)
		}
		if rand.IntN(3) > 0 { // sometimes the hint gets older
			before = want
		}
	}
}

// TestAllExtents lists what exists of a region of several slices, with what existed some time ago as a hint.
func TestAllExtents(t *testing.T) {
	r := newRegion(t, 1<<20, 1<<20, 6)
	v := r.View(false)
	defer v.Close()
	whole := Range{r.Base(), r.Base() + r.size()}
	pages := int(r.size() / pageSize)
	var before []Range
	for range 200 {
		for range rand.IntN(6) {
			lo := whole.Lo + uintptr(rand.IntN(pages))*pageSize
			hi := min(whole.Hi, lo+uintptr(1+rand.IntN(400))*pageSize)
			if rand.IntN(2) == 0 {
				if err := r.Punch(lo, hi); err != nil {
					t.Fatal(err)
				}
				continue
			}
			for at := lo; at < hi; at += pageSize {
				mem(at, 1)[0] = 1
			}
		}
		got, err := v.AllExtents(before)
		if err != nil {
			t.Fatal(err)
		}
		want, err := r.Extents(whole.Lo, whole.Hi)
		if err != nil {
			t.Fatal(err)
		}
		if joined := joined(got); !slices.Equal(joined, want) {
			t.Fatalf("after %v: %v, not %v", before, joined, want)
		}
		if rand.IntN(3) > 0 { // sometimes the hint gets older
			before = got
		}
	}
	v.Close()
	if got, err := v.AllExtents(before); err != nil || v.Memory() != nil || len(got) == 0 {
		t.Errorf("without a mapping: %v, %v", got, err)
	}
}

// joined makes one range of those that touch.
func joined(list []Range) (out []Range) {
	for _, r := range list {
		if n := len(out); n > 0 && out[n-1].Hi == r.Lo {
			out[n-1].Hi = r.Hi
		} else {
			out = append(out, r)
		}
	}
	return out
}

// TestSnapshotTakesOver: what a snapshot gets or loses other than by those that mark has changed all the same.
func TestSnapshotTakesOver(t *testing.T) {
	r := newRegion(t, 0, 1<<20, 1)
	s := newSnapshotOf(t, r)
	mem(r.Base()+2*pageSize, 1)[0] = 1
	if _, err := s.WriteAt([]byte{2}, 5*pageSize); err != nil {
		t.Fatal(err)
	}
	if err := s.CopyFrom(r); err != nil {
		t.Fatal(err)
	}
	for page := range uint64(8) {
		if want := page == 2 || page == 5; s.HasChanged(page*pageSize, pageSize) != want {
			t.Errorf("page %d changed: %v", page, !want)
		}
	}
	s.Forget([]Range{r.Slice(0)})
	if err := s.Clear(); err != nil {
		t.Fatal(err)
	}
	if !s.HasChanged(2*pageSize, pageSize) || s.HasChanged(5*pageSize, pageSize) {
		t.Error("what was given back has not changed")
	}
}

// TestSnapshotHashes: what a page holds is known in all processes once one has learned it, and not any more when anything may have been written to it.
func TestSnapshotHashes(t *testing.T) {
	r := newRegion(t, 0, 1<<20, 1)
	s := newSnapshotOf(t, r)
	other := takenAgain(t, s)
	content, wrong := bytes.Repeat([]byte{7}, pageSize), bytes.Repeat([]byte{8}, pageSize)
	at, beside := r.Base()+3*pageSize, r.Base()+200*pageSize
	learn := func() {
		t.Helper()
		for _, page := range []uintptr{at, beside} {
			if _, err := s.WriteAt(content, int64(page-r.Base())); err != nil {
				t.Fatal(err)
			}
			s.Learn(page, content)
		}
		for _, s := range []*Snapshot{s, other} {
			if same, known := s.Compare(at, content); !same || !known {
				t.Fatalf("what was learned: same %v, known %v", same, known)
			}
			if same, known := s.Compare(at, wrong); same || !known {
				t.Fatalf("something else: same %v, known %v", same, known)
			}
		}
	}
	for name, write := range map[string]func() error{
		"marked":       func() error { s.Mark(at, at+pageSize); return nil },
		"given back":   func() error { return other.Punch(at, at+pageSize) },
		"cleared":      s.Clear,
		"copied to":    func() error { return s.CopyFrom(r) },
		"marked there": func() error { other.Mark(at-pageSize, at+pageSize); return nil },
	} {
		if _, known := s.Compare(at, content); known {
			t.Fatalf("before it is %s something is known", name)
		}
		learn()
		if err := write(); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Snapshot{s, other} {
			if _, known := s.Compare(at, content); known {
				t.Errorf("a page that was %s is known", name)
			}
			if _, known := s.Compare(beside, content); known != (name != "cleared" && name != "copied to") {
				t.Errorf("a page beside one that was %s: known %v", name, known)
			}
		}
		s.Mark(beside, beside+pageSize)
	}
}
