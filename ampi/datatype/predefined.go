package datatype

import "ampirun/ampi/mpi"

// Kind says what a type that is made of one predefined type holds: enum vr_kind of vrank/p2p/type.h.
type Kind uint32

// The kinds, in the order of the C enumeration.
const (
	KindNone Kind = iota
	KindI8
	KindU8
	KindI16
	KindU16
	KindI32
	KindU32
	KindI64
	KindU64
	KindI128
	KindF32
	KindF64
	KindF80
	KindF128
	KindF16
	KindC16
	KindC32
	KindC64
	KindC80
	KindC128
	KindBool8
	KindL8
	KindL16
	KindL32
	KindL64
	KindL128
	KindChar
	KindByte
	KindF32I32
	KindF64I32
	KindI64I32
	KindI32I32
	KindI16I32
	KindF80I32
	KindF32F32
	KindF64F64
)

// form is how the bytes of a number are to be read when it goes to another representation.
type form uint8

const (
	formRaw form = iota
	formSigned
	formUnsigned
	formFloat
	formX87 // 80 bits in 16 bytes
)

// Basic is a predefined type that is one value.
type Basic struct {
	Name     string
	Size     int64
	Align    int64
	Kind     Kind
	External int64 // bytes in external32 (MPI 5.0 section 14.5.2)
	form     form
	parts    int64 // 2 for complex numbers
}

func number(name string, size int64, k Kind, f form) Basic {
	return Basic{Name: name, Size: size, Align: size, Kind: k, External: size, form: f, parts: 1}
}

func signed(name string, size int64) Basic {
	return number(name, size, map[int64]Kind{1: KindI8, 2: KindI16, 4: KindI32, 8: KindI64, 16: KindI128}[size], formSigned)
}

func unsigned(name string, size int64) Basic {
	return number(name, size, map[int64]Kind{1: KindU8, 2: KindU16, 4: KindU32, 8: KindU64}[size], formUnsigned)
}

func logical(name string, size int64) Basic {
	return number(name, size, map[int64]Kind{1: KindL8, 2: KindL16, 4: KindL32, 8: KindL64, 16: KindL128}[size], formSigned)
}

func float(name string, size int64, k Kind) Basic { return number(name, size, k, formFloat) }

func complexOf(name string, part Basic, k Kind) Basic {
	return Basic{Name: name, Size: 2 * part.Size, Align: part.Align, Kind: k, External: 2 * part.External, form: part.form, parts: 2}
}

// narrow is a type whose external32 form has fewer bytes.
func narrow(b Basic, external int64) Basic {
	b.External = external
	return b
}

var (
	f16  = float("", 2, KindF16)
	f32  = float("", 4, KindF32)
	f64  = float("", 8, KindF64)
	f80  = number("", 16, KindF80, formX87)
	f128 = float("", 16, KindF128)
)

// basics are the predefined types of one value by handle; the C core has the same in vrank/p2p/type_predefined.c.
var basics = map[uint64]Basic{
	mpi.TypeAint:                 signed("MPI_AINT", 8),
	mpi.TypeCount:                signed("MPI_COUNT", 8),
	mpi.TypeOffset:               signed("MPI_OFFSET", 8),
	mpi.TypePacked:               number("MPI_PACKED", 1, KindByte, formRaw),
	mpi.TypeShort:                signed("MPI_SHORT", 2),
	mpi.TypeInt:                  signed("MPI_INT", 4),
	mpi.TypeLong:                 narrow(signed("MPI_LONG", 8), 4),
	mpi.TypeLongLong:             signed("MPI_LONG_LONG_INT", 8),
	mpi.TypeUnsignedShort:        unsigned("MPI_UNSIGNED_SHORT", 2),
	mpi.TypeUnsigned:             unsigned("MPI_UNSIGNED", 4),
	mpi.TypeUnsignedLong:         narrow(unsigned("MPI_UNSIGNED_LONG", 8), 4),
	mpi.TypeUnsignedLongLong:     unsigned("MPI_UNSIGNED_LONG_LONG", 8),
	mpi.TypeFloat:                float("MPI_FLOAT", 4, KindF32),
	mpi.TypeCFloatComplex:        complexOf("MPI_C_COMPLEX", f32, KindC32),
	mpi.TypeCxxFloatComplex:      complexOf("MPI_CXX_FLOAT_COMPLEX", f32, KindC32),
	mpi.TypeDouble:               float("MPI_DOUBLE", 8, KindF64),
	mpi.TypeCDoubleComplex:       complexOf("MPI_C_DOUBLE_COMPLEX", f64, KindC64),
	mpi.TypeCxxDoubleComplex:     complexOf("MPI_CXX_DOUBLE_COMPLEX", f64, KindC64),
	mpi.TypeLogical:              logical("MPI_LOGICAL", 4),
	mpi.TypeInteger:              signed("MPI_INTEGER", 4),
	mpi.TypeReal:                 float("MPI_REAL", 4, KindF32),
	mpi.TypeComplex:              complexOf("MPI_COMPLEX", f32, KindC32),
	mpi.TypeDoublePrecision:      float("MPI_DOUBLE_PRECISION", 8, KindF64),
	mpi.TypeDoubleComplex:        complexOf("MPI_DOUBLE_COMPLEX", f64, KindC64),
	mpi.TypeCharacter:            number("MPI_CHARACTER", 1, KindChar, formRaw),
	mpi.TypeLongDouble:           number("MPI_LONG_DOUBLE", 16, KindF80, formX87),
	mpi.TypeCLongDoubleComplex:   complexOf("MPI_C_LONG_DOUBLE_COMPLEX", f80, KindC80),
	mpi.TypeCxxLongDoubleComplex: complexOf("MPI_CXX_LONG_DOUBLE_COMPLEX", f80, KindC80),
	mpi.TypeCBool:                number("MPI_C_BOOL", 1, KindBool8, formRaw),
	mpi.TypeCxxBool:              number("MPI_CXX_BOOL", 1, KindBool8, formRaw),
	mpi.TypeWchar:                narrow(number("MPI_WCHAR", 4, KindChar, formUnsigned), 2),
	mpi.TypeInt8T:                signed("MPI_INT8_T", 1),
	mpi.TypeUint8T:               unsigned("MPI_UINT8_T", 1),
	mpi.TypeChar:                 number("MPI_CHAR", 1, KindI8, formRaw),
	mpi.TypeSignedChar:           signed("MPI_SIGNED_CHAR", 1),
	mpi.TypeUnsignedChar:         unsigned("MPI_UNSIGNED_CHAR", 1),
	mpi.TypeByte:                 number("MPI_BYTE", 1, KindByte, formRaw),
	mpi.TypeInt16T:               signed("MPI_INT16_T", 2),
	mpi.TypeUint16T:              unsigned("MPI_UINT16_T", 2),
	mpi.TypeInt32T:               signed("MPI_INT32_T", 4),
	mpi.TypeUint32T:              unsigned("MPI_UINT32_T", 4),
	mpi.TypeInt64T:               signed("MPI_INT64_T", 8),
	mpi.TypeUint64T:              unsigned("MPI_UINT64_T", 8),
	mpi.TypeLogical1:             logical("MPI_LOGICAL1", 1),
	mpi.TypeInteger1:             signed("MPI_INTEGER1", 1),
	mpi.TypeLogical2:             logical("MPI_LOGICAL2", 2),
	mpi.TypeInteger2:             signed("MPI_INTEGER2", 2),
	mpi.TypeReal2:                float("MPI_REAL2", 2, KindF16),
	mpi.TypeLogical4:             logical("MPI_LOGICAL4", 4),
	mpi.TypeInteger4:             signed("MPI_INTEGER4", 4),
	mpi.TypeReal4:                float("MPI_REAL4", 4, KindF32),
	mpi.TypeComplex4:             complexOf("MPI_COMPLEX4", f16, KindC16),
	mpi.TypeLogical8:             logical("MPI_LOGICAL8", 8),
	mpi.TypeInteger8:             signed("MPI_INTEGER8", 8),
	mpi.TypeReal8:                float("MPI_REAL8", 8, KindF64),
	mpi.TypeComplex8:             complexOf("MPI_COMPLEX8", f32, KindC32),
	mpi.TypeLogical16:            logical("MPI_LOGICAL16", 16),
	mpi.TypeInteger16:            signed("MPI_INTEGER16", 16),
	mpi.TypeReal16:               float("MPI_REAL16", 16, KindF128),
	mpi.TypeComplex16:            complexOf("MPI_COMPLEX16", f64, KindC64),
	mpi.TypeComplex32:            complexOf("MPI_COMPLEX32", f128, KindC128),
}

// pair is a predefined type of two values, as a C struct of them lies in memory.
type pair struct {
	name          string
	first, second uint64
	kind          Kind
}

var pairs = map[uint64]pair{
	mpi.TypeFloatInt:              {"MPI_FLOAT_INT", mpi.TypeFloat, mpi.TypeInt, KindF32I32},
	mpi.TypeDoubleInt:             {"MPI_DOUBLE_INT", mpi.TypeDouble, mpi.TypeInt, KindF64I32},
	mpi.TypeLongInt:               {"MPI_LONG_INT", mpi.TypeLong, mpi.TypeInt, KindI64I32},
	mpi.TypeIntInt:                {"MPI_2INT", mpi.TypeInt, mpi.TypeInt, KindI32I32},
	mpi.TypeShortInt:              {"MPI_SHORT_INT", mpi.TypeShort, mpi.TypeInt, KindI16I32},
	mpi.TypeLongDoubleInt:         {"MPI_LONG_DOUBLE_INT", mpi.TypeLongDouble, mpi.TypeInt, KindF80I32},
	mpi.TypeRealReal:              {"MPI_2REAL", mpi.TypeReal, mpi.TypeReal, KindF32F32},
	mpi.TypeDoubleDoublePrecision: {"MPI_2DOUBLE_PRECISION", mpi.TypeDoublePrecision, mpi.TypeDoublePrecision, KindF64F64},
	mpi.TypeIntegerInteger:        {"MPI_2INTEGER", mpi.TypeInteger, mpi.TypeInteger, KindI32I32},
}

var predefined = layouts()

func layouts() map[uint64]*Layout {
	all := map[uint64]*Layout{}
	for h, b := range basics {
		all[h] = b.layout(h)
	}
	for h, p := range pairs {
		all[h] = p.layout()
	}
	all[mpi.TypeLB] = &Layout{LowMark: true}
	all[mpi.TypeUB] = &Layout{HighMark: true}
	return all
}

func (b Basic) layout(handle uint64) *Layout {
	return &Layout{
		Size: b.Size, Data: Span{0, b.Size}, Natural: Span{0, b.Size}, Align: b.Align, Kind: b.Kind, KindSize: b.Size,
		Loops: []Loop{{Count: 1, Bytes: b.Size}}, Sig: []Run{basicRun(handle, b.Size)},
	}
}

func (p pair) layout() *Layout {
	first, second := basics[p.first], basics[p.second]
	var b builder
	b.add(first.layout(p.first), 0)
	b.add(second.layout(p.second), roundUp(first.Size, second.Align))
	l := b.layout().padded()
	l.Kind, l.KindSize = p.kind, l.Extent()
	return l
}

// Predefined is the layout of the predefined type with this handle, nil when there is none. It must not be changed.
func Predefined(handle uint64) *Layout { return predefined[handle] }

// PredefinedName is the name of a predefined type, "" when there is none with this handle.
func PredefinedName(handle uint64) string {
	if p, ok := pairs[handle]; ok {
		return p.name
	}
	switch handle {
	case mpi.TypeLB:
		return "MPI_LB"
	case mpi.TypeUB:
		return "MPI_UB"
	}
	return basics[handle].Name
}

// PairOf is the handle of the predefined type of a value and an index, 0 when there is none (MPI_Type_get_value_index).
func PairOf(value, index uint64) uint64 {
	for h, p := range pairs {
		if p.first == value && p.second == index {
			return h
		}
	}
	return 0
}
