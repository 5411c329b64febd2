package datatype

import (
	"math/big"
	"slices"

	"ampirun/ampi/mpi"
)

// ExternalSize is the bytes of one element in the data representation "external32" (MPI 5.0 section 14.5.2).
func (l *Layout) ExternalSize() int64 { return externalBytes(l.Sig) }

func externalBytes(runs []Run) int64 {
	var n int64
	for i := range runs {
		one := basics[runs[i].Basic].External
		if runs[i].Body != nil {
			one = externalBytes(runs[i].Body)
		}
		n += runs[i].Count * one
	}
	return n
}

// ToExternal converts packed elements of the type to external32. out has room for them.
func (l *Layout) ToExternal(packed, out []byte) error {
	return l.convert(packed, out, (*Basic).toExternal)
}

// FromExternal converts elements of the type from external32 to packed ones. out has room for them.
func (l *Layout) FromExternal(in, packed []byte) error {
	return l.convert(packed, in, (*Basic).fromExternal)
}

// converter carries one element over between its native and its external form.
type converter func(b *Basic, native, external []byte) error

func (l *Layout) convert(native, external []byte, f converter) error {
	if l.Size == 0 {
		return nil
	}
	_, _, err := convertRuns([]Run{{Count: int64(len(native)) / l.Size, Body: l.Sig}}, native, external, f)
	return err
}

func convertRuns(runs []Run, native, external []byte, f converter) (_, _ []byte, err error) {
	for i := range runs {
		b := basics[runs[i].Basic]
		for range runs[i].Count {
			if runs[i].Body != nil {
				native, external, err = convertRuns(runs[i].Body, native, external, f)
			} else {
				err = f(&b, native[:b.Size], external[:b.External])
				native, external = native[b.Size:], external[b.External:]
			}
			if err != nil {
				return nil, nil, err
			}
		}
	}
	return native, external, nil
}

func (b *Basic) toExternal(native, external []byte) error {
	n, x := b.Size/b.parts, b.External/b.parts
	for ; len(native) > 0; native, external = native[n:], external[x:] {
		part := native[:n]
		if b.form == formX87 {
			part = quadOf(part)
		}
		if !b.fits(part, x) {
			return mpi.Errorf(mpi.ErrConversion, "a value of type %s does not fit the %d bytes it has in external32", b.Name, x)
		}
		copy(external[:x], part[:x])
		reverse(external[:x])
	}
	return nil
}

func (b *Basic) fromExternal(native, external []byte) error {
	n, x := b.Size/b.parts, b.External/b.parts
	for ; len(native) > 0; native, external = native[n:], external[x:] {
		part := slices.Clone(external[:x])
		reverse(part)
		if b.form == formX87 {
			part = x87Of(part)
		}
		fill := byte(0)
		if b.form == formSigned && part[len(part)-1]&0x80 != 0 {
			fill = 0xff
		}
		for i := copy(native[:n], part); i < int(n); i++ {
			native[i] = fill
		}
	}
	return nil
}

func reverse(b []byte) { slices.Reverse(b) }

// fits tells whether a little-endian integer keeps its value in its first x bytes.
func (b *Basic) fits(part []byte, x int64) bool {
	fill := byte(0)
	if b.form == formSigned && part[x-1]&0x80 != 0 {
		fill = 0xff
	}
	return !slices.ContainsFunc(part[x:], func(v byte) bool { return v != fill })
}

// The two wide floating-point formats share sign and exponent (15 bits). x87 stores the leading 1 of its 64 bits of
// mantissa, IEEE binary128 does not store that of its 113.
const (
	exponentMask = 0x7fff
	quadBits     = 112
	x87Bits      = 63
)

func load(b []byte) *big.Int {
	be := slices.Clone(b)
	reverse(be)
	return new(big.Int).SetBytes(be)
}

func store(v *big.Int, n int) []byte {
	out := v.FillBytes(make([]byte, n))
	reverse(out)
	return out
}

// quadOf makes the 16 bytes of a binary128 from those of an x87 number: always exact, but for denormal numbers, whose
// exponents count from 1 in both formats, so that their mantissa is moved as it is.
func quadOf(x87 []byte) []byte {
	signExp := load(x87[8:10])
	mantissa := load(x87[:8])
	mantissa.SetBit(mantissa, x87Bits, 0)
	mantissa.Lsh(mantissa, quadBits-x87Bits)
	return store(mantissa.Or(mantissa, signExp.Lsh(signExp, quadBits)), 16)
}

// x87Of is the reverse of quadOf, rounded to nearest, ties to even.
func x87Of(quad []byte) []byte {
	v := load(quad)
	signExp := new(big.Int).Rsh(v, quadBits).Uint64()
	fraction := new(big.Int).And(v, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), quadBits), big.NewInt(1)))
	cut := new(big.Int).And(fraction, big.NewInt(1<<(quadBits-x87Bits)-1)).Uint64()
	mantissa := new(big.Int).Rsh(fraction, quadBits-x87Bits).Uint64()
	exponent := signExp & exponentMask
	if exponent != exponentMask {
		const half = 1 << (quadBits - x87Bits - 1)
		if cut > half || (cut == half && mantissa&1 == 1) {
			mantissa++
		}
		if mantissa>>x87Bits != 0 { // rounded up to the next power of two
			mantissa = 0
			signExp++
			exponent++
		}
	} else if fraction.Sign() != 0 && mantissa == 0 {
		mantissa = 1 << (x87Bits - 1) // a NaN whose bits were all cut must not become infinity
	}
	if exponent != 0 {
		mantissa |= 1 << x87Bits
	}
	out := make([]byte, 10)
	for i := range 8 {
		out[i] = byte(mantissa >> (8 * i))
	}
	out[8], out[9] = byte(signExp), byte(signExp>>8)
	return out
}
