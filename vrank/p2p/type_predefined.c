/* The predefined datatypes: handles of the standard ABI (MPI 5.0 section 20, datatype constants) on x86-64 Linux. */
#include "vrank/p2p/type.h"

#include <wchar.h>

#define FIRST VR_TYPE_FIRST
#define PLAIN(handle_, bytes_, kind_)                                                                                               \
	[handle_ - FIRST] = {.size = bytes_, .extent = bytes_, .true_extent = bytes_, .kind = kind_, .kind_size = bytes_,             \
			     .handle = handle_, .refs = 1, .nloops = 1,                                                               \
			     .flags = VR_TYPE_CONTIGUOUS | VR_TYPE_DENSE | VR_TYPE_PREDEFINED | VR_TYPE_COMMITTED,                    \
			     .loops = &(struct vr_loop){.count = 1, .bytes = bytes_}}
/* A value and an int after it: a gap may follow either. */
#define PAIR(handle_, value_, extent_, kind_)                                                                                       \
	[handle_ - FIRST] = {.size = value_ + 4, .extent = extent_, .true_extent = value_ + 4, .kind = kind_, .kind_size = extent_,   \
			     .handle = handle_, .refs = 1, .nloops = 1,                                                               \
			     .flags = (value_ + 4 == extent_ ? VR_TYPE_CONTIGUOUS : 0) | VR_TYPE_DENSE | VR_TYPE_PREDEFINED |         \
				      VR_TYPE_COMMITTED,                                                                             \
			     .loops = &(struct vr_loop){.count = 1, .bytes = value_ + 4}}

const struct vr_type vr_predefined[VR_TYPE_PREDEFINED_COUNT] = {
	PLAIN(0x201, 8, VR_KIND_I64), /* MPI_AINT */
	PLAIN(0x202, 8, VR_KIND_I64), /* MPI_COUNT */
	PLAIN(0x203, 8, VR_KIND_I64), /* MPI_OFFSET */
	PLAIN(0x207, 1, VR_KIND_BYTE), /* MPI_PACKED */
	PLAIN(0x208, 2, VR_KIND_I16), /* MPI_SHORT */
	PLAIN(0x209, 4, VR_KIND_I32), /* MPI_INT */
	PLAIN(0x20a, 8, VR_KIND_I64), /* MPI_LONG */
	PLAIN(0x20b, 8, VR_KIND_I64), /* MPI_LONG_LONG */
	PLAIN(0x20c, 2, VR_KIND_U16), /* MPI_UNSIGNED_SHORT */
	PLAIN(0x20d, 4, VR_KIND_U32), /* MPI_UNSIGNED */
	PLAIN(0x20e, 8, VR_KIND_U64), /* MPI_UNSIGNED_LONG */
	PLAIN(0x20f, 8, VR_KIND_U64), /* MPI_UNSIGNED_LONG_LONG */
	PLAIN(0x210, 4, VR_KIND_F32), /* MPI_FLOAT */
	PLAIN(0x212, 8, VR_KIND_C32), /* MPI_C_FLOAT_COMPLEX */
	PLAIN(0x213, 8, VR_KIND_C32), /* MPI_CXX_FLOAT_COMPLEX */
	PLAIN(0x214, 8, VR_KIND_F64), /* MPI_DOUBLE */
	PLAIN(0x216, 16, VR_KIND_C64), /* MPI_C_DOUBLE_COMPLEX */
	PLAIN(0x217, 16, VR_KIND_C64), /* MPI_CXX_DOUBLE_COMPLEX */
	PLAIN(0x218, 4, VR_KIND_L32), /* MPI_LOGICAL */
	PLAIN(0x219, 4, VR_KIND_I32), /* MPI_INTEGER */
	PLAIN(0x21a, 4, VR_KIND_F32), /* MPI_REAL */
	PLAIN(0x21b, 8, VR_KIND_C32), /* MPI_COMPLEX */
	PLAIN(0x21c, 8, VR_KIND_F64), /* MPI_DOUBLE_PRECISION */
	PLAIN(0x21d, 16, VR_KIND_C64), /* MPI_DOUBLE_COMPLEX */
	PLAIN(0x21e, 1, VR_KIND_CHAR), /* MPI_CHARACTER */
	PLAIN(0x220, 16, VR_KIND_F80), /* MPI_LONG_DOUBLE */
	PLAIN(0x224, 32, VR_KIND_C80), /* MPI_C_LONG_DOUBLE_COMPLEX */
	PLAIN(0x225, 32, VR_KIND_C80), /* MPI_CXX_LONG_DOUBLE_COMPLEX */
	PAIR(0x228, 4, 8, VR_KIND_F32_I32), /* MPI_FLOAT_INT */
	PAIR(0x229, 8, 16, VR_KIND_F64_I32), /* MPI_DOUBLE_INT */
	PAIR(0x22a, 8, 16, VR_KIND_I64_I32), /* MPI_LONG_INT */
	PAIR(0x22b, 4, 8, VR_KIND_I32_I32), /* MPI_2INT */
	[0x22c - FIRST] = {.size = 6, .extent = 8, .true_extent = 8, .kind = VR_KIND_I16_I32, .kind_size = 8, /* MPI_SHORT_INT */
			   .handle = 0x22c, .refs = 1, .nloops = 1, .flags = VR_TYPE_PREDEFINED | VR_TYPE_COMMITTED,
			   .loops = &(struct vr_loop){.count = 1, .bytes = 6, .nchild = 2, .block = VR_BLOCKS_DIFFER},
			   .table = (const int64_t[]){0, 2, 4, 6}},
	PAIR(0x22d, 16, 32, VR_KIND_F80_I32), /* MPI_LONG_DOUBLE_INT */
	PLAIN(0x230, 8, VR_KIND_F32_F32), /* MPI_2REAL */
	PLAIN(0x231, 16, VR_KIND_F64_F64), /* MPI_2DOUBLE_PRECISION */
	PLAIN(0x232, 8, VR_KIND_I32_I32), /* MPI_2INTEGER */
	PLAIN(0x238, 1, VR_KIND_BOOL8), /* MPI_C_BOOL */
	PLAIN(0x239, 1, VR_KIND_BOOL8), /* MPI_CXX_BOOL */
	PLAIN(0x23c, sizeof(wchar_t), VR_KIND_CHAR), /* MPI_WCHAR */
	PLAIN(0x240, 1, VR_KIND_I8), /* MPI_INT8_T */
	PLAIN(0x241, 1, VR_KIND_U8), /* MPI_UINT8_T */
	PLAIN(0x243, 1, VR_KIND_I8), /* MPI_CHAR: no number in the standard, but programs add it up, and MPICH lets them */
	PLAIN(0x244, 1, VR_KIND_I8), /* MPI_SIGNED_CHAR */
	PLAIN(0x245, 1, VR_KIND_U8), /* MPI_UNSIGNED_CHAR */
	PLAIN(0x247, 1, VR_KIND_BYTE), /* MPI_BYTE */
	PLAIN(0x248, 2, VR_KIND_I16), /* MPI_INT16_T */
	PLAIN(0x249, 2, VR_KIND_U16), /* MPI_UINT16_T */
	PLAIN(0x250, 4, VR_KIND_I32), /* MPI_INT32_T */
	PLAIN(0x251, 4, VR_KIND_U32), /* MPI_UINT32_T */
	PLAIN(0x258, 8, VR_KIND_I64), /* MPI_INT64_T */
	PLAIN(0x259, 8, VR_KIND_U64), /* MPI_UINT64_T */
	PLAIN(0x2c0, 1, VR_KIND_L8), /* MPI_LOGICAL1 */
	PLAIN(0x2c1, 1, VR_KIND_I8), /* MPI_INTEGER1 */
	PLAIN(0x2c8, 2, VR_KIND_L16), /* MPI_LOGICAL2 */
	PLAIN(0x2c9, 2, VR_KIND_I16), /* MPI_INTEGER2 */
	PLAIN(0x2ca, 2, VR_KIND_F16), /* MPI_REAL2 */
	PLAIN(0x2d0, 4, VR_KIND_L32), /* MPI_LOGICAL4 */
	PLAIN(0x2d1, 4, VR_KIND_I32), /* MPI_INTEGER4 */
	PLAIN(0x2d2, 4, VR_KIND_F32), /* MPI_REAL4 */
	PLAIN(0x2d3, 4, VR_KIND_C16), /* MPI_COMPLEX4 */
	PLAIN(0x2d8, 8, VR_KIND_L64), /* MPI_LOGICAL8 */
	PLAIN(0x2d9, 8, VR_KIND_I64), /* MPI_INTEGER8 */
	PLAIN(0x2da, 8, VR_KIND_F64), /* MPI_REAL8 */
	PLAIN(0x2db, 8, VR_KIND_C32), /* MPI_COMPLEX8 */
	PLAIN(0x2e0, 16, VR_KIND_L128), /* MPI_LOGICAL16 */
	PLAIN(0x2e1, 16, VR_KIND_I128), /* MPI_INTEGER16 */
	PLAIN(0x2e2, 16, VR_KIND_F128), /* MPI_REAL16 */
	PLAIN(0x2e3, 16, VR_KIND_C64), /* MPI_COMPLEX16 */
	PLAIN(0x2eb, 32, VR_KIND_C128), /* MPI_COMPLEX32 */
};
