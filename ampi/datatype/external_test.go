package datatype_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"math/rand"
	"slices"
	"testing"

	. "ampirun/ampi/datatype"
	"ampirun/ampi/mpi"
)

func external(t *testing.T, l *Layout, packed []byte) []byte {
	t.Helper()
	out := make([]byte, int64(len(packed))/l.Size*l.ExternalSize())
	if err := l.ToExternal(packed, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestExternalBytesOfBasicTypes(t *testing.T) {
	for _, c := range []struct {
		handle       uint64
		native, want []byte
	}{
		{mpi.TypeInt, []byte{1, 2, 3, 4}, []byte{4, 3, 2, 1}},
		{mpi.TypeLong, []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, []byte{0xff, 0xff, 0xff, 0xfe}},
		{mpi.TypeUnsignedLong, []byte{0xfe, 0xff, 0xff, 0xff, 0, 0, 0, 0}, []byte{0xff, 0xff, 0xff, 0xfe}},
		{mpi.TypeWchar, []byte{0xac, 0x20, 0, 0}, []byte{0x20, 0xac}},
		{mpi.TypeChar, []byte("x"), []byte("x")},
		{mpi.TypeComplex, []byte{1, 2, 3, 4, 5, 6, 7, 8}, []byte{4, 3, 2, 1, 8, 7, 6, 5}},
		{mpi.TypeShortInt, []byte{1, 2, 3, 4, 5, 6}, []byte{2, 1, 6, 5, 4, 3}},
	} {
		l := Predefined(c.handle)
		got := external(t, l, c.native)
		if !bytes.Equal(got, c.want) {
			t.Errorf("%s %x: %x, want %x", PredefinedName(c.handle), c.native, got, c.want)
		}
		back := make([]byte, len(c.native))
		if err := l.FromExternal(got, back); err != nil || !bytes.Equal(back, c.native) {
			t.Errorf("%s %x came back as %x (%v)", PredefinedName(c.handle), c.native, back, err)
		}
	}
}

func TestExternalRefusesWhatDoesNotFit(t *testing.T) {
	out := make([]byte, 4)
	for h, native := range map[uint64][]byte{
		mpi.TypeLong:         {0, 0, 0, 0x80, 0, 0, 0, 0},
		mpi.TypeUnsignedLong: {0, 0, 0, 0, 1, 0, 0, 0},
	} {
		var f *mpi.Fault
		if err := Predefined(h).ToExternal(native, out); !errors.As(err, &f) || f.Class != mpi.ErrConversion {
			t.Errorf("%s %x: %v", PredefinedName(h), native, err)
		}
	}
}

// The numbers come from gcc's conversions between long double and __float128. Most significant byte first.
func TestLongDoubleIsBinary128(t *testing.T) {
	l := Predefined(mpi.TypeLongDouble)
	for _, c := range []struct{ x87, quad, back string }{
		{"00000000000000000000", "00000000000000000000000000000000", ""},
		{"80000000000000000000", "80000000000000000000000000000000", ""},
		{"c000a000000000000000", "c0004000000000000000000000000000", ""},
		{"4000c90fdaa22168c235", "4000921fb54442d1846a000000000000", ""},
		{"7fff8000000000000000", "7fff0000000000000000000000000000", ""},
		{"7ffeffffffffffffffff", "7ffefffffffffffffffe000000000000", ""},
		{"00018000000000000000", "00010000000000000000000000000000", ""},
		{"00000000000663278e62", "00000000000cc64f1cc4000000000000", ""},
		{"00000000000000000001", "00000000000000000002000000000000", ""},
		{"", "3fffffffffffffffffffffffffffffff", "40008000000000000000"},
		{"", "3fff0000000000000001000000000000", "3fff8000000000000000"},
		{"", "3fff0000000000000003000000000000", "3fff8000000000000002"},
		{"", "3fff0000000000000001000000000001", "3fff8000000000000001"},
		{"", "7ffeffffffffffffffffffffffffffff", "7fff8000000000000000"},
		{"", "0000ffffffffffffffffffffffffffff", "00018000000000000000"},
		{"", "00000000000000000003000000000000", "00000000000000000002"},
		{"", "c000921fb54442d18469898cc51701b8", "c000c90fdaa22168c235"},
		{"", "7fff0000000000000000000000000001", "7fffc000000000000000"},
	} {
		quad, _ := hex.DecodeString(c.quad)
		want := c.back
		if c.x87 != "" {
			native, _ := hex.DecodeString(c.x87)
			slices.Reverse(native)
			if got := external(t, l, append(native, make([]byte, 6)...)); !bytes.Equal(got, quad) {
				t.Errorf("%s became %x, want %s", c.x87, got, c.quad)
			}
			want = c.x87
		}
		back := make([]byte, 16)
		if err := l.FromExternal(quad, back); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(back[:10])
		if got := hex.EncodeToString(back[:10]); got != want {
			t.Errorf("%s came back as %s, want %s", c.quad, got, want)
		}
	}
}

func TestExternalRoundTripOfRandomTypes(t *testing.T) {
	for seed := range int64(300) {
		r := &maker{Rand: rand.New(rand.NewSource(seed))}
		m, l := r.make(2)
		if len(m) > 500 || l.Size == 0 || containsBasic(m, mpi.TypeLongDouble) {
			continue
		}
		native := make([]byte, 3*l.Size)
		r.Read(native)
		back := make([]byte, len(native))
		if err := l.FromExternal(external(t, l, native), back); err != nil || !bytes.Equal(native, back) {
			t.Fatalf("%s: %x came back as %x (%v)", r.text, native, back, err)
		}
	}
}

func containsBasic(m model, handle uint64) bool {
	return slices.ContainsFunc(m, func(e entry) bool { return e.basic == handle })
}
