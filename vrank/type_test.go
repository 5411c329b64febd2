package vrank_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"testing"

	"ampirun/vrank/internal/coretest"
)

// randomType makes a tree of loops, parents before children. Sizes with a fast path of the core are as likely as others.
func randomType(random *rand.Rand) *coretest.Type {
	t := &coretest.Type{Loops: make([]coretest.Loop, 1)}
	growLoop(random, t, 0, 3)
	for _, n := range naiveOffsets(t) {
		t.Size += n.bytes
	}
	t.Extent = random.Int64N(600) - 200
	return t
}

func growLoop(random *rand.Rand, t *coretest.Type, at, depth int) {
	l := coretest.Loop{Disp: random.Int64N(80) - 40, Count: random.Int64N(5), Stride: random.Int64N(60) - 20}
	if depth == 0 || random.IntN(3) == 0 {
		l.Bytes = []int64{1, 2, 3, 4, 8, 16, 5, 24, 100, 0}[random.IntN(10)]
		t.Loops[at] = l
		return
	}
	l.Child, l.Children = len(t.Loops), 1+random.IntN(3)
	t.Loops[at] = l
	t.Loops = append(t.Loops, make([]coretest.Loop, l.Children)...)
	for k := range l.Children {
		growLoop(random, t, l.Child+k, depth-1)
	}
}

type piece struct{ at, bytes int64 }

// naiveOffsets lists the pieces of one element in order.
func naiveOffsets(t *coretest.Type) (all []piece) {
	var walk func(l coretest.Loop, base int64)
	walk = func(l coretest.Loop, base int64) {
		for i := range l.Count {
			at := base + l.Disp + i*l.Stride
			if l.Children == 0 {
				all = append(all, piece{at, l.Bytes})
			}
			for k := range l.Children {
				walk(t.Loops[l.Child+k], at)
			}
		}
	}
	walk(t.Loops[0], 0)
	return all
}

// naiveBytes lists where each byte of count elements lies, in packed order.
func naiveBytes(t *coretest.Type, count int64) (all []int64) {
	element := naiveOffsets(t)
	for i := range count {
		for _, p := range element {
			for b := range p.bytes {
				all = append(all, i*t.Extent+p.at+b)
			}
		}
	}
	return all
}

const (
	typeMemory = 1 << 14
	typeOrigin = typeMemory / 2
)

func randomBytes(random *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	return b
}

// checkType packs and unpacks with one limit and compares with the naive walk; what lies behind must stay untouched.
func checkType(t *testing.T, random *rand.Rand, typ *coretest.Type, places []int64, count, limit int64) {
	t.Helper()
	want := min(limit, int64(len(places)))
	memory := randomBytes(random, typeMemory)
	packed := randomBytes(random, len(places)+64)
	wantPacked := bytes.Clone(packed)
	for i, at := range places[:want] {
		wantPacked[i] = memory[typeOrigin+at]
	}
	if got := typ.Pack(count, memory, typeOrigin, packed, limit); got != want {
		t.Fatalf("%+v: %d elements, limit %d: packed %d bytes, not %d", typ, count, limit, got, want)
	}
	if !bytes.Equal(packed, wantPacked) {
		t.Fatalf("%+v: %d elements, limit %d: packed wrongly", typ, count, limit)
	}

	packed = randomBytes(random, len(places)+64)
	wantMemory := bytes.Clone(memory)
	for i, at := range places[:want] {
		wantMemory[typeOrigin+at] = packed[i]
	}
	if got := typ.Unpack(count, memory, typeOrigin, packed, limit); got != want {
		t.Fatalf("%+v: %d elements, limit %d: unpacked %d bytes, not %d", typ, count, limit, got, want)
	}
	if !bytes.Equal(memory, wantMemory) {
		t.Fatalf("%+v: %d elements, limit %d: unpacked wrongly", typ, count, limit)
	}
}

// fits tells whether the test's memory holds all bytes.
func fits(places []int64) bool {
	for _, at := range places {
		if at < -typeOrigin || at >= typeMemory-typeOrigin {
			return false
		}
	}
	return true
}

// Random loops, with limits at either end, on both sides of every element's end, and anywhere.
func TestTypeWalk(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 5))
	tried, spread := 0, 0
	for range 1500 {
		typ := randomType(random)
		count := random.Int64N(6)
		places := naiveBytes(typ, count)
		if len(places) > 4000 || !fits(places) {
			continue
		}
		tried++
		if len(typ.Loops) > 3 && typ.Size > 0 {
			spread++
		}
		total := int64(len(places))
		limits := []int64{0, 1, total, total + 50, random.Int64N(total + 1), random.Int64N(total + 1), random.Int64N(total + 1)}
		if count > 0 {
			e := typ.Size * random.Int64N(count)
			limits = append(limits, e, e+1, max(e-1, 0))
		}
		for _, limit := range limits {
			checkType(t, random, typ, places, count, limit)
		}
	}
	if tried < 1000 || spread < 300 {
		t.Fatalf("only %d types, %d of them of several loops", tried, spread)
	}
}

// A short loop is walked to its end at every limit.
func TestTypeEveryLimit(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	for _, n := range []int64{1, 3, 4, 8, 16, 17} {
		typ := &coretest.Type{Size: 3*n + 2*2, Extent: 200, Loops: []coretest.Loop{
			{Count: 1, Child: 1, Children: 2}, {Disp: -3, Count: 3, Stride: n + 5, Bytes: n}, {Disp: 100, Count: 2, Stride: -7, Bytes: 2}}}
		places := naiveBytes(typ, 3)
		for limit := range int64(len(places)) + 2 {
			checkType(t, random, typ, places, 3, limit)
		}
	}
}

// Contiguous types are moved in one piece from their true lower bound.
func TestTypeContiguous(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	typ := &coretest.Type{Size: 24, Extent: 24, TrueLB: -8, Contiguous: true, Loops: []coretest.Loop{{Disp: -8, Count: 1, Bytes: 24}}}
	for count := range int64(4) {
		places := naiveBytes(typ, count)
		for limit := range 24*count + 2 {
			checkType(t, random, typ, places, count, limit)
		}
	}
}

// The table knows every datatype of the header (not the markers MPI_LB and MPI_UB), and agrees with itself.
func TestTypePredefined(t *testing.T) {
	absent := map[string]bool{"MPI_DATATYPE_NULL": true}
	header, err := os.ReadFile("../shim/include/mpi.h")
	if err != nil {
		t.Fatal(err)
	}
	constants := regexp.MustCompile(`#define (MPI_\w+) \(\(MPI_Datatype\)0x000002([0-9a-f]{2})\)`).FindAllStringSubmatch(string(header), -1)
	if len(constants) < 60 {
		t.Fatalf("only %d datatypes in mpi.h", len(constants))
	}
	for _, c := range constants {
		handle, err := strconv.ParseUint("2"+c[2], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		size, extent, moved, ok := coretest.Predefined(handle)
		if ok == absent[c[1]] {
			t.Errorf("%s is in the table: %v", c[1], ok)
		}
		if ok && (size <= 0 || size > extent || moved != size) {
			t.Errorf("%s has size %d, extent %d, its loops move %d bytes", c[1], size, extent, moved)
		}
	}
	for _, handle := range []uint64{0, 0x1ff, 0x300, 0x301, 1 << 32, 1<<32 + 0x209} {
		if _, _, _, ok := coretest.Predefined(handle); ok {
			t.Errorf("%#x is said to be a predefined type", handle)
		}
	}
}
