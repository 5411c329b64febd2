package datatype_test

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"
	"time"

	. "ampirun/ampi/datatype"
	"ampirun/ampi/internal/typeexec"
	"ampirun/ampi/mpi"
)

// someType is a random type, what its type map says of count elements, and room for them.
type someType struct {
	text    string
	c       typeexec.Type
	count   int64
	offsets []int64 // of each byte of data, relative to memory
	origin  int
	memory  []byte
}

func randomTyped(r *rand.Rand, seed int64, count int64) *someType {
	mk := &maker{Rand: rand.New(rand.NewSource(seed))}
	m, l := mk.make(1 + int(seed%4))
	if len(m) == 0 || m.size() == 0 || m.size() > 4000 {
		return nil
	}
	s := &someType{text: mk.text, c: typeexec.New(l), count: count, offsets: m.pack(count)}
	lo, hi := slices.Min(s.offsets), slices.Max(s.offsets)+1
	s.origin, s.memory = int(-lo), make([]byte, hi-lo)
	for i := range s.offsets {
		s.offsets[i] -= lo
	}
	r.Read(s.memory)
	return s
}

// overlaps tells whether some byte is there twice: nothing can be received into such a type.
func (s *someType) overlaps() bool {
	sorted := slices.Sorted(slices.Values(s.offsets))
	return len(slices.Compact(sorted)) < len(s.offsets)
}

// gathered is the packed data by the type map.
func (s *someType) gathered() []byte {
	out := make([]byte, len(s.offsets))
	for i, o := range s.offsets {
		out[i] = s.memory[o]
	}
	return out
}

// The data of any type can be packed and unpacked from any byte on, in pieces of any size.
func TestPackingInPieces(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for seed := range int64(1500) {
		s := randomTyped(r, seed, 1+seed%13)
		if s == nil {
			continue
		}
		want, fresh := s.gathered(), make([]byte, len(s.memory))
		for done := 0; done < len(want); {
			n := min(1+r.Intn(1+r.Intn(200)), len(want)-done)
			piece := make([]byte, n)
			if got := s.c.PackFrom(s.count, s.memory, s.origin, int64(done), piece); got != int64(n) || !bytes.Equal(piece, want[done:done+n]) {
				t.Fatalf("%s: %d elements from byte %d on: packed %d bytes %v, want %v", s.text, s.count, done, got, piece, want[done:done+n])
			}
			if got := s.c.UnpackFrom(s.count, fresh, s.origin, int64(done), piece); got != int64(n) {
				t.Fatalf("%s: %d elements from byte %d on: unpacked %d bytes of %d", s.text, s.count, done, got, n)
			}
			done += n
		}
		expect := make([]byte, len(s.memory))
		for i, o := range s.offsets {
			expect[o] = want[i]
		}
		if s.overlaps() {
			continue
		}
		if !bytes.Equal(fresh, expect) {
			t.Fatalf("%s: %d elements unpacked in pieces gave %v, want %v", s.text, s.count, fresh, expect)
		}
		s.c.Free()
	}
}

// Data goes from any type to any other, whole or a part, also when it is more than the core moves at a time.
func TestCopyBetweenTypes(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	for seed := range int64(800) {
		from, to := randomTyped(r, seed, 1+seed%200), randomTyped(r, seed+5000, 1+seed%150)
		if from == nil || to == nil || to.overlaps() {
			continue
		}
		n := min(len(from.offsets), len(to.offsets))
		n -= r.Intn(n+1) * r.Intn(2)
		expect := slices.Clone(to.memory)
		for i := range n {
			expect[to.offsets[i]] = from.memory[from.offsets[i]]
		}
		typeexec.Copy(to.c, to.count, to.memory, to.origin, from.c, from.count, from.memory, from.origin, int64(n))
		if !bytes.Equal(to.memory, expect) {
			t.Fatalf("%d bytes from %d of %s to %d of %s arrived wrongly", n, from.count, from.text, to.count, to.text)
		}
		from.c.Free()
		to.c.Free()
	}
}

func programSize(l *Layout) (steps, table int) {
	p := l.Program()
	return len(p.Steps), len(p.Table)
}

func TestProgramsStaySmall(t *testing.T) {
	double, char := Predefined(mpi.TypeDouble), Predefined(mpi.TypeChar)
	deep, twice := double, double
	for range 30 {
		both := must(Struct([]int64{1, 1}, []int64{0, deep.Extent() + 4}, []*Layout{deep, char}))
		deep = must(Hvector(2, 1, both.Extent()+8, both))
		twice = must(Struct([]int64{1, 1, 1}, []int64{0, twice.Extent(), twice.Extent() + 3}, []*Layout{twice, char, twice}))
	}
	four := []int64{100, 100, 100, 100}
	inner := must(Subarray(four, []int64{98, 98, 98, 98}, []int64{1, 1, 1, 1}, mpi.OrderFortran, double))
	vector := must(Vector(1e6, 3, 7, double))
	record := must(Struct([]int64{1, 1, 2}, []int64{0, 16, 1 << 33}, []*Layout{char, double, vector}))
	for _, c := range []struct {
		name         string
		l            *Layout
		steps, table int
	}{
		{"vector", vector, 1, 0},
		{"4-D subarray", inner, 3, 0},
		{"struct of vectors", record, 5, 4},
		{"30 times nested", deep, 150, 150},
		{"twice in itself, 30 times", twice, 1000, 1000},
	} {
		if steps, table := programSize(c.l); steps > c.steps || table > c.table {
			t.Errorf("%s: %d steps and %d words of table, want at most %d and %d", c.name, steps, table, c.steps, c.table)
		}
	}
	if got, whole := twice.Elements(twice.Size); !whole || got != 2<<30-1 {
		t.Errorf("twice in itself, 30 times: %d elements", got)
	}
}

// A million blocks without a rule take a word or two each, and not long.
func TestMillionBlocks(t *testing.T) {
	const n = 1000000
	r := rand.New(rand.NewSource(1))
	double := Predefined(mpi.TypeDouble)
	displs, lengths, ones := make([]int64, n), make([]int64, n), make([]int64, n)
	for i := range displs {
		displs[i], lengths[i], ones[i] = int64(i)*100+r.Int63n(90), 1+r.Int63n(3), 1
	}
	for _, c := range []struct {
		name    string
		lengths []int64
		words   int
	}{{"blocks of one size", ones, n}, {"blocks of many sizes", lengths, 2 * n}} {
		start := time.Now()
		l := must(Indexed(Blocks{Count: n, Length: list(c.lengths), Disp: list(displs), Unit: 8}, double))
		steps, table := programSize(l)
		if steps > 1 || table > c.words {
			t.Errorf("%s: %d steps and %d words", c.name, steps, table)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s: took %v", c.name, took)
		} else {
			t.Logf("%s: %v", c.name, took)
		}
	}
}
