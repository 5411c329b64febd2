package kernels

import (
	"math"
	"slices"
	"testing"
)

// Handles of the standard ABI.
const (
	sum, minimum, maximum, prod = 0x21, 0x22, 0x23, 0x24
	band, bor, bxor             = 0x28, 0x29, 0x2a
	land, lor, lxor             = 0x30, 0x31, 0x32
	minloc, maxloc              = 0x38, 0x39
	replace, noOp               = 0x3c, 0x3d
)

var (
	integers  = []int{I8, U8, I16, U16, I32, U32, I64, U64, I128}
	floats    = []int{F16, F32, F64, F80, F128}
	complexes = []int{C16, C32, C64, C80, C128}
	logicals  = []int{Bool, L8, L16, L32, L64, L128}
	truthful  = slices.Concat(integers, floats, logicals)
	pairs     = []int{F32I32, F64I32, I64I32, I32I32, I16I32, F80I32, F32F32, F64F64}
)

// allowed is MPI 5.0 section 6.9.2, by kind of element; and logic of floating-point numbers, as MPICH has it.
var allowed = map[uint64][]int{
	sum: slices.Concat(integers, floats, complexes), prod: slices.Concat(integers, floats, complexes),
	minimum: slices.Concat(integers, floats), maximum: slices.Concat(integers, floats),
	land: truthful, lor: truthful, lxor: truthful,
	band: append([]int{Byte}, integers...), bor: append([]int{Byte}, integers...), bxor: append([]int{Byte}, integers...),
	minloc: pairs, maxloc: pairs, replace: nil, noOp: nil, 0x20: nil, 0x25: nil, 0x1f: nil, 0x3e: nil,
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// want is what an operation gives on small numbers.
func want(op uint64, a, b Element) Element {
	switch op {
	case sum:
		return Element{a.A + b.A, a.B + b.B}
	case minimum:
		return Element{min(a.A, b.A), 0}
	case maximum:
		return Element{max(a.A, b.A), 0}
	case band:
		return Element{a.A & b.A, 0}
	case bor:
		return Element{a.A | b.A, 0}
	case bxor:
		return Element{a.A ^ b.A, 0}
	case land:
		return Element{truth(a.A != 0 && b.A != 0), 0}
	case lor:
		return Element{truth(a.A != 0 || b.A != 0), 0}
	case lxor:
		return Element{truth((a.A != 0) != (b.A != 0)), 0}
	}
	return wantOrdered(op, a, b)
}

func wantOrdered(op uint64, a, b Element) Element {
	switch {
	case op == prod:
		return Element{a.A*b.A - a.B*b.B, a.A*b.B + a.B*b.A}
	case a.A == b.A:
		return Element{a.A, min(a.B, b.B)}
	case (a.A < b.A) == (op == minloc):
		return a
	}
	return b
}

// vectors gives n numbers a side that no operation takes out of the range of any kind; only kinds with a second part get one.
func vectors(kind, n int) (in, inout []Element) {
	second := slices.Contains(complexes, kind) || slices.Contains(pairs, kind)
	for i := range n {
		a, b := Element{A: int64(i*5%9 + i%2)}, Element{A: int64(i * 7 % 8)}
		if second {
			a.B, b.B = int64(i%4), int64(i*3%5)
		}
		in, inout = append(in, a), append(inout, b)
	}
	return in, inout
}

func TestEveryOperationOnEveryKind(t *testing.T) {
	for op, kinds := range allowed {
		for kind := range Last {
			in, inout := vectors(kind, 67)
			before := slices.Clone(inout)
			defined := Combine(op, kind, in, inout)
			if defined != slices.Contains(kinds, kind) {
				t.Errorf("op %#x on kind %d: defined is %v", op, kind, defined)
			}
			if !defined {
				continue
			}
			for i := range in {
				if w := want(op, in[i], before[i]); inout[i] != w {
					t.Errorf("op %#x on kind %d, element %d: %v op %v = %v, not %v", op, kind, i, in[i], before[i], inout[i], w)
				}
			}
		}
	}
}

func TestNoElementsChangeNothing(t *testing.T) {
	if !Combine(sum, F64, nil, nil) {
		t.Error("sum of doubles is not defined")
	}
}

func TestSignsAndExtremes(t *testing.T) {
	for _, c := range []struct {
		name       string
		op         uint64
		kind       int
		a, b, want int64
	}{
		{"signed bytes are compared signed", minimum, I8, -128, 1, -128},
		{"unsigned bytes are compared unsigned", maximum, U8, 200, 100, 200},
		{"signed shorts", maximum, I16, -5, -7, -5},
		{"unsigned shorts", maximum, U16, 65535, 1, 65535},
		{"unsigned ints", minimum, U32, math.MaxUint32, 3, 3},
		{"least long", minimum, I64, math.MinInt64, math.MaxInt64, math.MinInt64},
		{"greatest unsigned long", maximum, U64, -1, 1, -1},
		{"signed sums wrap", sum, I32, math.MaxInt32, 1, math.MinInt32},
		{"short products wrap", prod, U16, 65535, 65535, 1},
		{"byte sums wrap", sum, I8, 127, 1, -128},
		{"negative doubles", minimum, F64, -1 << 60, 1, -1 << 60},
		{"negative long doubles", maximum, F80, -3, -2, -2},
		{"any value but zero is true", land, I32, -1, 256, 1},
		{"and is made one in both", lor, I64, 1 << 40, 0, 1},
		{"of two true values neither", lxor, L32, -1, 1, 0},
		{"true in a bool of another byte", land, Bool, 2, 4, 1},
		{"high bits", bxor, U64, math.MinInt64, -1, math.MaxInt64},
	} {
		inout := []Element{{A: c.b}}
		if !Combine(c.op, c.kind, []Element{{A: c.a}}, inout) || inout[0].A != c.want {
			t.Errorf("%s: %d, not %d", c.name, inout[0].A, c.want)
		}
	}
}

func TestLocationOfTies(t *testing.T) {
	for _, kind := range pairs {
		for _, op := range []uint64{minloc, maxloc} {
			for _, swap := range []bool{false, true} {
				a, b := Element{-4, 9}, Element{-4, 2}
				if swap {
					a, b = b, a
				}
				inout := []Element{b}
				if !Combine(op, kind, []Element{a}, inout) || inout[0] != (Element{-4, 2}) {
					t.Errorf("op %#x on kind %d: of %v and %v it took %v", op, kind, a, b, inout[0])
				}
			}
		}
	}
}
