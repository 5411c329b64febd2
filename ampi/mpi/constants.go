// Package mpi has the numbers of the MPI 5.0 standard ABI that the server works with, and MPI errors as Go values.
package mpi

// Error classes (MPI 5.0 section 9.4).
const (
	Success                 = 0
	ErrBuffer               = 1
	ErrCount                = 2
	ErrType                 = 3
	ErrTag                  = 4
	ErrComm                 = 5
	ErrRank                 = 6
	ErrRequest              = 7
	ErrRoot                 = 8
	ErrGroup                = 9
	ErrOp                   = 10
	ErrTopology             = 11
	ErrDims                 = 12
	ErrArg                  = 13
	ErrUnknown              = 14
	ErrTruncate             = 15
	ErrOther                = 16
	ErrIntern               = 17
	ErrPending              = 18
	ErrInStatus             = 19
	ErrAccess               = 20
	ErrAmode                = 21
	ErrAssert               = 22
	ErrBadFile              = 23
	ErrBase                 = 24
	ErrConversion           = 25
	ErrDisp                 = 26
	ErrDupDatarep           = 27
	ErrFileExists           = 28
	ErrFileInUse            = 29
	ErrFile                 = 30
	ErrInfoKey              = 31
	ErrInfoNokey            = 32
	ErrInfoValue            = 33
	ErrInfo                 = 34
	ErrIo                   = 35
	ErrKeyval               = 36
	ErrLocktype             = 37
	ErrName                 = 38
	ErrNoMem                = 39
	ErrNotSame              = 40
	ErrNoSpace              = 41
	ErrNoSuchFile           = 42
	ErrPort                 = 43
	ErrQuota                = 44
	ErrReadOnly             = 45
	ErrRmaAttach            = 46
	ErrRmaConflict          = 47
	ErrRmaRange             = 48
	ErrRmaShared            = 49
	ErrRmaSync              = 50
	ErrService              = 51
	ErrSize                 = 52
	ErrSpawn                = 53
	ErrUnsupportedDatarep   = 54
	ErrUnsupportedOperation = 55
	ErrWin                  = 56
	ErrRmaFlavor            = 57
	ErrProcAborted          = 58
	ErrValueTooLarge        = 59
	ErrSession              = 60
	ErrErrhandler           = 61
	ErrAbi                  = 62
	ErrLastcode             = 16383
)

// Combiners of datatypes (MPI 5.0 section 5.1.13).
const (
	CombinerNamed         = 101
	CombinerDup           = 102
	CombinerContiguous    = 103
	CombinerVector        = 104
	CombinerHvector       = 105
	CombinerIndexed       = 106
	CombinerHindexed      = 107
	CombinerIndexedBlock  = 108
	CombinerHindexedBlock = 109
	CombinerStruct        = 110
	CombinerSubarray      = 111
	CombinerDarray        = 112
	CombinerF90Real       = 113
	CombinerF90Complex    = 114
	CombinerF90Integer    = 115
	CombinerResized       = 116
	CombinerValueIndex    = 117
)

// Handles that mean an object of their own.
const (
	CommNull          = 0x00000100
	CommWorld         = 0x00000101
	CommSelf          = 0x00000102
	GroupNull         = 0x00000108
	GroupEmpty        = 0x00000109
	InfoNull          = 0x00000130
	InfoEnv           = 0x00000131
	InfoLBSync        = 0x000003f8 // AMPI's
	InfoLBAsync       = 0x000003f9
	InfoChkptInMemory = 0x000003fa
	DatatypeNull      = 0x00000200
)

// Limits of strings, the final NUL included.
const (
	MaxErrorString          = 512
	MaxInfoKey              = 256
	MaxInfoVal              = 1024
	MaxLibraryVersionString = 8192
	MaxObjectName           = 128
)

// Other values of arguments and results.
const (
	ProcNull           = -3
	Undefined          = -32766
	OrderC             = 0xC
	OrderFortran       = 0xF
	DistributeNone     = 16
	DistributeBlock    = 17
	DistributeCyclic   = 18
	DistributeDfltDarg = 19
	TypeclassInteger   = 192
	TypeclassReal      = 193
	TypeclassComplex   = 194
	Ident              = 201
	Congruent          = 202
	Similar            = 203
	Unequal            = 204
	Version            = 5
	Subversion         = 0
)

// Handles of the predefined datatypes.
const (
	TypeAint                  = 0x00000201
	TypeCount                 = 0x00000202
	TypeOffset                = 0x00000203
	TypePacked                = 0x00000207
	TypeShort                 = 0x00000208
	TypeInt                   = 0x00000209
	TypeLong                  = 0x0000020a
	TypeLongLong              = 0x0000020b
	TypeUnsignedShort         = 0x0000020c
	TypeUnsigned              = 0x0000020d
	TypeUnsignedLong          = 0x0000020e
	TypeUnsignedLongLong      = 0x0000020f
	TypeFloat                 = 0x00000210
	TypeCFloatComplex         = 0x00000212
	TypeCxxFloatComplex       = 0x00000213
	TypeDouble                = 0x00000214
	TypeCDoubleComplex        = 0x00000216
	TypeCxxDoubleComplex      = 0x00000217
	TypeLogical               = 0x00000218
	TypeInteger               = 0x00000219
	TypeReal                  = 0x0000021a
	TypeComplex               = 0x0000021b
	TypeDoublePrecision       = 0x0000021c
	TypeDoubleComplex         = 0x0000021d
	TypeCharacter             = 0x0000021e
	TypeLongDouble            = 0x00000220
	TypeCLongDoubleComplex    = 0x00000224
	TypeCxxLongDoubleComplex  = 0x00000225
	TypeFloatInt              = 0x00000228
	TypeDoubleInt             = 0x00000229
	TypeLongInt               = 0x0000022a
	TypeIntInt                = 0x0000022b
	TypeShortInt              = 0x0000022c
	TypeLongDoubleInt         = 0x0000022d
	TypeRealReal              = 0x00000230
	TypeDoubleDoublePrecision = 0x00000231
	TypeIntegerInteger        = 0x00000232
	TypeCBool                 = 0x00000238
	TypeCxxBool               = 0x00000239
	TypeWchar                 = 0x0000023c
	TypeInt8T                 = 0x00000240
	TypeUint8T                = 0x00000241
	TypeChar                  = 0x00000243
	TypeSignedChar            = 0x00000244
	TypeUnsignedChar          = 0x00000245
	TypeByte                  = 0x00000247
	TypeInt16T                = 0x00000248
	TypeUint16T               = 0x00000249
	TypeInt32T                = 0x00000250
	TypeUint32T               = 0x00000251
	TypeInt64T                = 0x00000258
	TypeUint64T               = 0x00000259
	TypeLogical1              = 0x000002c0
	TypeInteger1              = 0x000002c1
	TypeLogical2              = 0x000002c8
	TypeInteger2              = 0x000002c9
	TypeReal2                 = 0x000002ca
	TypeLogical4              = 0x000002d0
	TypeInteger4              = 0x000002d1
	TypeReal4                 = 0x000002d2
	TypeComplex4              = 0x000002d3
	TypeLogical8              = 0x000002d8
	TypeInteger8              = 0x000002d9
	TypeReal8                 = 0x000002da
	TypeComplex8              = 0x000002db
	TypeLogical16             = 0x000002e0
	TypeInteger16             = 0x000002e1
	TypeReal16                = 0x000002e2
	TypeComplex16             = 0x000002e3
	TypeComplex32             = 0x000002eb
	TypeLB                    = 0x000003f0 // markers of MPI-1, which only struct types take
	TypeUB                    = 0x000003f1
)

// Levels of thread support.
const (
	ThreadSingle     = 0
	ThreadFunneled   = 1024
	ThreadSerialized = 2048
	ThreadMultiple   = 4096
)
