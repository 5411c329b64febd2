package datatype_test

import (
	"bytes"
	"math/rand"
	"slices"
	"testing"

	. "ampirun/ampi/datatype"
	"ampirun/ampi/internal/typeexec"
	"ampirun/ampi/mpi"
)

func TestPredefinedTypesAreThoseOfTheCore(t *testing.T) {
	for h := uint64(0x200); h < 0x300; h++ {
		l := Predefined(h)
		c, known := typeexec.Lookup(h)
		if (l != nil) != known {
			t.Errorf("%#x %s: ours %v, the core's %v", h, PredefinedName(h), l != nil, known)
		}
		if l == nil || !known {
			continue
		}
		ours := []int64{l.Size, l.LB(), l.Extent(), l.TrueLB(), l.TrueExtent(), int64(l.Kind), l.KindSize, int64(l.Flags())}
		core := []int64{c.Size, c.LB, c.Extent, c.TrueLB, c.TrueExtent, int64(c.Kind), int64(c.KindSize), int64(c.Flags & 3)}
		if !slices.Equal(ours, core) {
			t.Errorf("%s: ours %d, the core's %d", PredefinedName(h), ours, core)
		}
		var pieces [][2]int64
		p := l.Program()
		for _, s := range p.Steps {
			if s.Children == 0 {
				pieces = append(pieces, [2]int64{s.Disp, s.Bytes})
			}
		}
		begin := int64(0)
		for k := 0; k < len(p.Table); k += 2 {
			pieces = append(pieces, [2]int64{p.Table[k], p.Table[k+1] - begin})
			begin = p.Table[k+1]
		}
		if !slices.Equal(pieces, c.Pieces) {
			t.Errorf("%s: pieces %d, the core's %d", PredefinedName(h), pieces, c.Pieces)
		}
	}
}

// checkAgainstModel compares bounds, flags and the bytes that the C core moves with the type map.
func checkAgainstModel(t *testing.T, text string, m model, l *Layout) {
	t.Helper()
	lb, extent := m.bounds(true)
	tlb, textent := m.bounds(false)
	got := []int64{l.Size, l.LB(), l.Extent(), l.TrueLB(), l.TrueExtent()}
	want := []int64{m.size(), lb, extent, tlb, textent}
	if !slices.Equal(got, want) {
		t.Fatalf("%s:\nsize, lb, extent, true lb, true extent are %d, want %d", text, got, want)
	}
	for count := range int64(4) {
		checkMoves(t, text, m, l, count)
	}
	checkFlags(t, text, m, l)
}

func checkMoves(t *testing.T, text string, m model, l *Layout, count int64) {
	t.Helper()
	offsets := m.pack(count)
	lo, hi := int64(0), int64(0)
	if len(offsets) > 0 {
		lo, hi = slices.Min(offsets), slices.Max(offsets)+1
	}
	buf := make([]byte, hi-lo+1)
	rand.New(rand.NewSource(count)).Read(buf)
	want := make([]byte, len(offsets))
	for i, o := range offsets {
		want[i] = buf[o-lo]
	}
	c := typeexec.New(l)
	defer c.Free()
	out := make([]byte, len(offsets))
	if n := c.Pack(count, buf, int(-lo), out); n != int64(len(out)) || !bytes.Equal(out, want) {
		t.Fatalf("%s: packing %d elements gave %d bytes %v, want %v", text, count, n, out, want)
	}
	fresh, expect := make([]byte, len(buf)), make([]byte, len(buf))
	for i, o := range offsets {
		expect[o-lo] = want[i]
	}
	c.Unpack(count, fresh, int(-lo), want)
	if !bytes.Equal(fresh, expect) {
		t.Fatalf("%s: unpacking %d elements gave %v, want %v", text, count, fresh, expect)
	}
}

// checkFlags holds the flags against the definition: the bytes in packing order are one ascending piece from true_lb.
func checkFlags(t *testing.T, text string, m model, l *Layout) {
	t.Helper()
	inOnePiece := func(count int64) bool {
		for i, o := range m.pack(count) {
			if o != l.TrueLB()+int64(i) {
				return false
			}
		}
		return true
	}
	var want uint32
	if inOnePiece(1) {
		want |= FlagDense
		if inOnePiece(3) {
			want |= FlagContiguous
		}
	}
	if l.Flags() != want {
		t.Fatalf("%s: flags %d, want %d, loops %+v", text, l.Flags(), want, l.Loops)
	}
}

func checkSignature(t *testing.T, text string, m model, l *Layout) {
	t.Helper()
	var ends []int64
	n := int64(0)
	for _, e := range slices.Concat(m.withoutBounds(), m.withoutBounds()) {
		n += entrySizes[e.basic]
		ends = append(ends, n)
	}
	whole := int64(0)
	for b := range n {
		if slices.Contains(ends, b) {
			whole++
		}
		got, exact := l.Elements(b)
		if got != whole || exact != (b == 0 || slices.Contains(ends, b)) {
			t.Fatalf("%s: %d bytes hold %d elements (whole %v), want %d", text, b, got, exact, whole)
		}
		if size, fits := l.BytesOf(got); exact && (!fits || size != b) {
			t.Fatalf("%s: %d elements are %d bytes, want %d", text, got, size, b)
		}
	}
}

func TestRandomTypesAgainstTypeMap(t *testing.T) {
	for seed := range int64(3000) {
		r := &maker{Rand: rand.New(rand.NewSource(seed))}
		m, l := r.make(1 + int(seed%4))
		if len(m) > 4000 {
			continue
		}
		checkAgainstModel(t, r.text, m, l)
		if len(m) < 60 {
			checkSignature(t, r.text, m, l)
		}
	}
}

func FuzzTypesAgainstTypeMap(f *testing.F) {
	f.Add(int64(1), 3)
	f.Fuzz(func(t *testing.T, seed int64, depth int) {
		r := &maker{Rand: rand.New(rand.NewSource(seed))}
		if m, l := r.make(depth & 3); len(m) < 4000 {
			checkAgainstModel(t, r.text, m, l)
		}
	})
}

func TestRegularTypesAreFewLoops(t *testing.T) {
	double := Predefined(mpi.TypeDouble)
	column := must(Vector(1000, 1, 1000, double))
	mixed := must(Struct([]int64{1, 3}, []int64{0, 8}, []*Layout{Predefined(mpi.TypeInt), double}))
	every := func(n, step int64) Blocks {
		return Blocks{Count: n, Length: func(int64) int64 { return 1 }, Disp: func(i int64) int64 { return i * step }, Unit: 1}
	}
	rows := Blocks{Count: 1000, Length: func(int64) int64 { return 2 }, Disp: func(i int64) int64 { return i/10*8000 + i%10*40 }, Unit: 1}
	cube := []int64{1000, 1000, 1000}
	for _, c := range []struct {
		name string
		l    *Layout
		most int
	}{
		{"contiguous", must(Contiguous(1e9, double)), 1},
		{"column", column, 1},
		{"adjacent vector", must(Vector(1000, 7, 7, double)), 1},
		{"transposed matrix", must(Contiguous(1000, must(Resized(column, 0, 8)))), 2},
		{"3-D subarray", must(Subarray(cube, []int64{998, 998, 998}, []int64{1, 1, 1}, mpi.OrderC, double)), 2},
		{"3-D face", must(Subarray(cube, []int64{998, 1, 998}, []int64{1, 1, 1}, mpi.OrderFortran, double)), 1},
		{"whole array", must(Subarray(cube, cube, []int64{0, 0, 0}, mpi.OrderC, double)), 1},
		{"uniform indexed", must(Indexed(every(100000, 24), double)), 1},
		{"adjacent indexed", must(Indexed(every(100000, 8), double)), 1},
		{"indexed of vectors", must(Indexed(every(1000, 16e6), column)), 2},
		{"two-level indexed", must(Indexed(rows, double)), 2},
		{"struct in a row", must(Contiguous(1e6, mixed)), 3},
		{"cyclic array", must((&Darray{Size: 4, Rank: 1, Gsizes: []int64{4096, 4096}, Psizes: []int64{2, 2}, Order: mpi.OrderC,
			Distribs: []int64{mpi.DistributeCyclic, mpi.DistributeCyclic}, Dargs: []int64{16, 16}}).Build(double)), 3},
	} {
		if n := CountLoops(c.l.Loops); n > c.most {
			t.Errorf("%s: %d loops, want at most %d: %+v", c.name, n, c.most, c.l.Loops)
		}
	}
}

func TestKindOfDerivedTypes(t *testing.T) {
	double, integer := Predefined(mpi.TypeDouble), Predefined(mpi.TypeInt)
	pair := must(Contiguous(3, Predefined(mpi.TypeDoubleInt)))
	if pair.Kind != KindF64I32 || pair.KindSize != 16 {
		t.Errorf("pairs: kind %d of %d bytes", pair.Kind, pair.KindSize)
	}
	one := must(Struct([]int64{1, 2}, []int64{0, 16}, []*Layout{double, Predefined(mpi.TypeReal8)}))
	if one.Kind != KindF64 || one.KindSize != 8 {
		t.Errorf("doubles under two names: kind %d of %d bytes", one.Kind, one.KindSize)
	}
	if two := must(Struct([]int64{1, 1}, []int64{0, 8}, []*Layout{double, integer})); two.Kind != KindNone || two.KindSize != 0 {
		t.Errorf("double and int: kind %d of %d bytes", two.Kind, two.KindSize)
	}
	if only := must(Struct([]int64{0, 1}, []int64{0, 8}, []*Layout{double, integer})); only.Kind != KindI32 {
		t.Errorf("no doubles and an int: kind %d", only.Kind)
	}
}

func TestRefusals(t *testing.T) {
	double := Predefined(mpi.TypeDouble)
	d := func(change func(*Darray)) error {
		a := Darray{Size: 4, Rank: 1, Gsizes: []int64{8, 8}, Psizes: []int64{2, 2}, Order: mpi.OrderC,
			Distribs: []int64{mpi.DistributeBlock, mpi.DistributeCyclic}, Dargs: []int64{4, 1}}
		change(&a)
		_, err := a.Build(double)
		return err
	}
	err := func(_ *Layout, err error) error { return err }
	one := []int64{1}
	for want, got := range map[string]error{
		"count is negative: -1":                                       err(Contiguous(-1, double)),
		"blocklength is negative: -2":                                 err(Hvector(1, -2, 0, double)),
		"array_of_blocklengths is negative at [1]: -3":                err(Struct([]int64{1, -3}, []int64{0, 0}, []*Layout{double, double})),
		"order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN: 3":       err(Subarray(one, one, []int64{0}, 3, double)),
		"array_of_sizes[0] is 0, must be at least 1":                  err(Subarray([]int64{0}, one, []int64{0}, mpi.OrderC, double)),
		"array_of_subsizes[0] is 2, must be between 1 and the size 1": err(Subarray(one, []int64{2}, []int64{0}, mpi.OrderC, double)),
		"array_of_starts[0] is 1, must be between 0 and 0":            err(Subarray(one, one, one, mpi.OrderC, double)),
		"the datatype reaches beyond 2^60 bytes":                      err(Contiguous(1<<60, double)),
		"rank is 4, must be between 0 and 3":                          d(func(a *Darray) { a.Rank = 4 }),
		"the product of array_of_psizes is not the size 4":            d(func(a *Darray) { a.Psizes = []int64{2, 1} }),
		"array_of_dargs[0] is 3: 2 blocks of it do not cover 8":       d(func(a *Darray) { a.Dargs = []int64{3, 1} }),
		"array_of_psizes[1] is 2, must be 1 for MPI_DISTRIBUTE_NONE":  d(func(a *Darray) { a.Distribs = []int64{mpi.DistributeBlock, mpi.DistributeNone} }),
		"array_of_distribs[1] is no distribution: 7":                  d(func(a *Darray) { a.Distribs = []int64{mpi.DistributeBlock, 7} }),
	} {
		if got == nil || got.Error() != want {
			t.Errorf("got %v, want %s", got, want)
		}
	}
}
