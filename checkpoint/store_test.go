package checkpoint

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

const page = 4096

func testJob() *Job { return &Job{Program: "./heat", Ranks: 4, PEs: 2, PageSize: page} }

func random(seed uint64, pages int) Memory {
	m := make(Memory, pages*page)
	src := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)})
	src.Read(m)
	return m
}

func TestSaveAndRestore(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Latest(); !errors.Is(err, ErrNone) {
		t.Fatal(err)
	}
	m := random(1, 100)
	clear(m[10*page : 20*page])
	extents := []Extent{{0, 50 * page}, {60 * page, 40 * page}}
	for range 4 {
		if _, err := s.Save(testJob(), m, extents); err != nil {
			t.Fatal(err)
		}
	}
	clear(m[50*page : 60*page])
	g, err := s.Latest()
	if err != nil {
		t.Fatal(err)
	}
	job, err := s.Load(g)
	if err != nil || job.Program != "./heat" || g.Number != 4 {
		t.Fatal(job, err)
	}
	got := make(Memory, len(m))
	if err := g.Restore(got); err != nil || !bytes.Equal(got, m) {
		t.Fatal(err)
	}
	if numbers, _ := s.Numbers(); len(numbers) != 2 {
		t.Fatal(numbers)
	}
	if _, err := Open(s.Dir(), Options{}); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
}
