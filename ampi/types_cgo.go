package ampi

/*
#include "ampi/ampi.h"

static struct vr_type *type_of(struct vr_rank *r, uint64_t handle)
{
	struct ampi_rank *m = r->mpi;
	return AMPI_IS(AMPI_TYPE, handle) ? ampi_lookup(&m->types, AMPI_TYPE, handle) : (struct vr_type *)vr_type_predefined(handle);
}

static uint64_t enter(struct vr_rank *r, struct vr_type *t)
{
	struct ampi_rank *m = r->mpi;
	t->handle = ampi_enter(r, &m->types, AMPI_TYPE, t);
	return t->handle;
}

static void commit(struct vr_rank *r, uint64_t handle)
{
	type_of(r, handle)->flags |= VR_TYPE_COMMITTED;
}

static int is_committed(struct vr_rank *r, uint64_t handle)
{
	return !!(type_of(r, handle)->flags & VR_TYPE_COMMITTED);
}

static void leave(struct vr_rank *r, uint64_t handle)
{
	struct ampi_rank *m = r->mpi;
	struct vr_type *t = type_of(r, handle);
	ampi_remove(&m->types, handle);
	vr_type_release(t, r);
}

static int64_t pack(struct vr_rank *r, uint64_t handle, int64_t count, uint64_t buf, void *out, int64_t bytes)
{
	return vr_type_pack(type_of(r, handle), count, (void *)buf, out, bytes);
}

static int64_t unpack(struct vr_rank *r, uint64_t handle, int64_t count, uint64_t buf, void *in, int64_t bytes)
{
	return vr_type_unpack(type_of(r, handle), count, (void *)buf, in, bytes);
}
*/
import "C"

import (
	"unsafe"

	"ampirun/ampi/datatype"
	"ampirun/vrank"
)

// What a handle is made of: AMPI_HANDLE.
const (
	handleShift = 24
	handleIndex = 1<<handleShift - 1
	kindComm    = C.AMPI_COMM
	kindGroup   = C.AMPI_GROUP
	kindInfo    = C.AMPI_INFO
	kindType    = C.AMPI_TYPE
)

func rankOf(c *vrank.Call) *C.struct_vr_rank { return (*C.struct_vr_rank)(c.Memory().Rank()) }

// enterType writes a type into the rank's slice for the C core; its handle, or 0 when the slice is full.
func enterType(c *vrank.Call, l *datatype.Layout) uint64 {
	t := (*C.struct_vr_type)(c.Memory().Alloc(C.sizeof_struct_vr_type))
	if t == nil {
		return 0
	}
	*t = C.struct_vr_type{
		size: C.int64_t(l.Size), lb: C.int64_t(l.LB()), extent: C.int64_t(l.Extent()),
		true_lb: C.int64_t(l.TrueLB()), true_extent: C.int64_t(l.TrueExtent()), flags: C.uint32_t(l.Flags()),
		kind: C.uint32_t(l.Kind), kind_size: C.uint32_t(l.KindSize), refs: 1,
	}
	if enterLoops(c, t, l.Program()) {
		if h := uint64(C.enter(rankOf(c), t)); h != 0 {
			return h
		}
		c.Memory().Free(unsafe.Pointer(t.loops))
	}
	c.Memory().Free(unsafe.Pointer(t))
	return 0
}

func enterLoops(c *vrank.Call, t *C.struct_vr_type, p datatype.Program) bool {
	size := C.sizeof_struct_vr_loop * uintptr(len(p.Steps))
	loops := (*C.struct_vr_loop)(c.Memory().Alloc(size + 8*uintptr(len(p.Table))))
	if loops == nil {
		return false
	}
	for i, s := range p.Steps {
		unsafe.Slice(loops, len(p.Steps))[i] = C.struct_vr_loop{
			disp: C.int64_t(s.Disp), count: C.int64_t(s.Count), stride: C.int64_t(s.Stride), bytes: C.int64_t(s.Bytes),
			at: C.int64_t(s.At), child: C.uint32_t(s.Child), nchild: C.uint32_t(s.Children), block: C.uint32_t(s.Block),
		}
	}
	table := unsafe.Add(unsafe.Pointer(loops), size)
	copy(unsafe.Slice((*int64)(table), len(p.Table)), p.Table)
	t.loops, t.nloops, t.table = loops, C.uint32_t(len(p.Steps)), (*C.int64_t)(table)
	return true
}

// commitType lets the C core use a derived type.
func commitType(c *vrank.Call, handle uint64) { C.commit(rankOf(c), C.uint64_t(handle)) }

func isCommitted(c *vrank.Call, handle uint64) bool {
	return C.is_committed(rankOf(c), C.uint64_t(handle)) != 0
}

// leaveType ends a handle; the C core keeps the type while operations use it.
func leaveType(c *vrank.Call, handle uint64) { C.leave(rankOf(c), C.uint64_t(handle)) }

// packType packs count elements at address buf into out, which has room for them.
func packType(c *vrank.Call, handle uint64, count int64, buf uint64, out []byte) {
	C.pack(rankOf(c), C.uint64_t(handle), C.int64_t(count), C.uint64_t(buf), unsafe.Pointer(unsafe.SliceData(out)), C.int64_t(len(out)))
}

// unpackType is the reverse of packType.
func unpackType(c *vrank.Call, handle uint64, count int64, buf uint64, in []byte) {
	C.unpack(rankOf(c), C.uint64_t(handle), C.int64_t(count), C.uint64_t(buf), unsafe.Pointer(unsafe.SliceData(in)), C.int64_t(len(in)))
}
