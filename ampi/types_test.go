package ampi

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ampirun/ampi/mpi"
	"ampirun/shim"
	"ampirun/vrank"
)

// made is a datatype that a test had made, and what is to be found out about it again.
type made struct {
	fn       shim.Function
	args     []any // up to newtype
	combiner int
	ints     []int32
	addrs    []int64
	counts   []int64
	types    []uint64
}

func constructors(c *client) []made {
	const i, d = uint64(mpi.TypeInt), uint64(mpi.TypeDouble)
	two, aints := c.ints(2, 1), c.words(0, 48)
	big, neg := c.words(2, 1), c.words(8, ^uint64(7))
	grid := [5]*array{c.ints(6, 8), c.ints(mpi.DistributeBlock, mpi.DistributeCyclic), c.ints(mpi.DistributeDfltDarg, 2), c.ints(2, 2), c.words(6, 8)}
	darray := []int32{4, 1, 2, 6, 8, mpi.DistributeBlock, mpi.DistributeCyclic, mpi.DistributeDfltDarg, 2, 2, 2, mpi.OrderC}
	return []made{
		{shim.FnTypeContiguous, []any{3, i}, mpi.CombinerContiguous, []int32{3}, nil, nil, []uint64{i}},
		{shim.FnTypeContiguousC, []any{3, i}, mpi.CombinerContiguous, nil, nil, []int64{3}, []uint64{i}},
		{shim.FnTypeVector, []any{3, 2, -4, i}, mpi.CombinerVector, []int32{3, 2, -4}, nil, nil, []uint64{i}},
		{shim.FnTypeVectorC, []any{3, 2, -4, i}, mpi.CombinerVector, nil, nil, []int64{3, 2, -4}, []uint64{i}},
		{shim.FnTypeCreateHvector, []any{3, 2, 40, i}, mpi.CombinerHvector, []int32{3, 2}, []int64{40}, nil, []uint64{i}},
		{shim.FnTypeCreateHvectorC, []any{3, 2, 40, i}, mpi.CombinerHvector, nil, nil, []int64{3, 2, 40}, []uint64{i}},
		{shim.FnTypeIndexed, []any{2, two, c.ints(5, -1), i}, mpi.CombinerIndexed, []int32{2, 2, 1, 5, -1}, nil, nil, []uint64{i}},
		{shim.FnTypeIndexedC, []any{2, big, neg, i}, mpi.CombinerIndexed, nil, nil, []int64{2, 2, 1, 8, -8}, []uint64{i}},
		{shim.FnTypeCreateHindexed, []any{2, two, aints, i}, mpi.CombinerHindexed, []int32{2, 2, 1}, []int64{0, 48}, nil, []uint64{i}},
		{shim.FnTypeCreateHindexedC, []any{2, big, neg, i}, mpi.CombinerHindexed, nil, nil, []int64{2, 2, 1, 8, -8}, []uint64{i}},
		{shim.FnTypeCreateIndexedBlock, []any{2, 3, c.ints(4, 0), i}, mpi.CombinerIndexedBlock, []int32{2, 3, 4, 0}, nil, nil, []uint64{i}},
		{shim.FnTypeCreateIndexedBlockC, []any{2, 3, neg, i}, mpi.CombinerIndexedBlock, nil, nil, []int64{2, 3, 8, -8}, []uint64{i}},
		{shim.FnTypeCreateHindexedBlock, []any{2, 3, aints, i}, mpi.CombinerHindexedBlock, []int32{2, 3}, []int64{0, 48}, nil, []uint64{i}},
		{shim.FnTypeCreateHindexedBlockC, []any{2, 3, neg, i}, mpi.CombinerHindexedBlock, nil, nil, []int64{2, 3, 8, -8}, []uint64{i}},
		{shim.FnTypeCreateStruct, []any{2, two, aints, c.words(i, d)}, mpi.CombinerStruct, []int32{2, 2, 1}, []int64{0, 48}, nil, []uint64{i, d}},
		{shim.FnTypeCreateStructC, []any{2, big, neg, c.words(d, i)}, mpi.CombinerStruct, nil, nil, []int64{2, 2, 1, 8, -8}, []uint64{d, i}},
		{shim.FnTypeCreateSubarray, []any{2, c.ints(4, 5), c.ints(2, 2), c.ints(1, 1), mpi.OrderC, i}, mpi.CombinerSubarray,
			[]int32{2, 4, 5, 2, 2, 1, 1, mpi.OrderC}, nil, nil, []uint64{i}},
		{shim.FnTypeCreateSubarrayC, []any{2, c.words(4, 5), c.words(2, 2), c.words(1, 1), mpi.OrderFortran, i}, mpi.CombinerSubarray,
			[]int32{2, mpi.OrderFortran}, nil, []int64{4, 5, 2, 2, 1, 1}, []uint64{i}},
		{shim.FnTypeCreateDarray, []any{4, 1, 2, grid[0], grid[1], grid[2], grid[3], mpi.OrderC, d}, mpi.CombinerDarray, darray, nil, nil, []uint64{d}},
		{shim.FnTypeCreateDarrayC, []any{4, 1, 2, grid[4], grid[1], grid[2], grid[3], mpi.OrderC, d}, mpi.CombinerDarray,
			slices.Concat(darray[:3], darray[5:]), nil, []int64{6, 8}, []uint64{d}},
		{shim.FnTypeCreateResized, []any{i, -4, 12}, mpi.CombinerResized, nil, []int64{-4, 12}, nil, []uint64{i}},
		{shim.FnTypeCreateResizedC, []any{i, -4, 12}, mpi.CombinerResized, nil, nil, []int64{-4, 12}, []uint64{i}},
		{shim.FnTypeDup, []any{i}, mpi.CombinerDup, nil, nil, nil, []uint64{i}},
		{shim.FnTypeCreateF90Real, []any{15, 300}, mpi.CombinerF90Real, []int32{15, 300}, nil, nil, nil},
		{shim.FnTypeCreateF90Complex, []any{6, mpi.Undefined}, mpi.CombinerF90Complex, []int32{6, mpi.Undefined}, nil, nil, nil},
		{shim.FnTypeCreateF90Integer, []any{9}, mpi.CombinerF90Integer, []int32{9}, nil, nil, nil},
	}
}

// equal compares arrays, of which an empty one may be nil.
func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestEnvelopeAndContents(t *testing.T) {
	c := newClient(t)
	for _, m := range constructors(c) {
		name := m.fn.String()
		h := c.handle(m.fn, m.args...)
		n, combiner := c.words(0, 0, 0, 0), c.ints(0)
		at := func(i uint64) uint64 { return n.addr() + 8*i }
		c.do(shim.FnTypeGetEnvelopeC, h, at(0), at(1), at(2), at(3), combiner)
		equal(t, name+": envelope", []uint64{n.word(0), n.word(1), n.word(2), n.word(3), uint64(combiner.int(0))},
			[]uint64{uint64(len(m.ints)), uint64(len(m.addrs)), uint64(len(m.counts)), uint64(len(m.types)), uint64(m.combiner)})
		ints, addrs, counts, types := c.room(4*len(m.ints)), c.room(8*len(m.addrs)), c.room(8*len(m.counts)), c.room(8*len(m.types))
		c.do(shim.FnTypeGetContentsC, h, len(m.ints), len(m.addrs), len(m.counts), len(m.types), ints, addrs, counts, types)
		equal(t, name+": integers", ints.ints(), m.ints)
		equal(t, name+": addresses", view[int64](addrs.addr(), int64(len(m.addrs))), m.addrs)
		equal(t, name+": large counts", view[int64](counts.addr(), int64(len(m.counts))), m.counts)
		equal(t, name+": datatypes", view[uint64](types.addr(), int64(len(m.types))), m.types)
		class, _ := c.try(shim.FnTypeGetEnvelope, h, c.ints(0), c.ints(0), c.ints(0), combiner)
		if (class == mpi.ErrType) != (len(m.counts) > 0) {
			t.Errorf("%s: MPI_Type_get_envelope gives class %d", name, class)
		}
		if len(m.ints) > 0 {
			c.refuse(mpi.ErrArg, fmt.Sprintf("max_integers is 0, the datatype has %d", len(m.ints)), shim.FnTypeGetContentsC,
				h, 0, 9, 9, 9, ints, addrs, counts, types)
		}
	}
}

// What Debian's MPICH says of the same types.
func TestExtentsAsMpich(t *testing.T) {
	c := newClient(t)
	resized := c.handle(shim.FnTypeCreateResized, mpi.TypeInt, -4, 12)
	darray := func(rank int) uint64 {
		return c.handle(shim.FnTypeCreateDarray, 4, rank, 2, c.ints(5, 7), c.ints(mpi.DistributeBlock, mpi.DistributeCyclic),
			c.ints(mpi.DistributeDfltDarg, 2), c.ints(2, 2), mpi.OrderFortran, mpi.TypeInt)
	}
	for _, k := range []struct {
		name string
		h    uint64
		want []int64 // size, lb, extent, true lb, true extent
	}{
		{"struct", c.handle(shim.FnTypeCreateStruct, 2, c.ints(1, 1), c.words(0, 8), c.words(mpi.TypeDouble, mpi.TypeInt)), []int64{12, 0, 16, 0, 12}},
		{"hvector of nothing", c.handle(shim.FnTypeCreateHvector, 0, 1, 6, mpi.TypeInt), []int64{0, 0, 0, 0, 0}},
		{"resized", resized, []int64{4, -4, 12, 0, 4}},
		{"contiguous resized", c.handle(shim.FnTypeContiguous, 3, resized), []int64{12, -4, 36, 0, 28}},
		{"no resized", c.handle(shim.FnTypeContiguous, 0, resized), []int64{0, 0, 0, 0, 0}},
		{"subarray", c.handle(shim.FnTypeCreateSubarray, 2, c.ints(4, 5), c.ints(2, 2), c.ints(1, 1), mpi.OrderC, mpi.TypeInt), []int64{16, 0, 80, 24, 28}},
		{"darray 0", darray(0), []int64{48, 0, 140, 0, 112}},
		{"darray 1", darray(1), []int64{36, 0, 140, 40, 92}},
		{"darray 2", darray(2), []int64{32, 0, 140, 12, 108}},
		{"darray 3", darray(3), []int64{24, 0, 140, 52, 88}},
		{"double of 300 exponents", c.handle(shim.FnTypeCreateF90Real, 15, 300), []int64{8, 0, 8, 0, 8}},
	} {
		l := c.layout(k.h)
		equal(t, k.name, []int64{l.Size, l.LB(), l.Extent(), l.TrueLB(), l.TrueExtent()}, k.want)
	}
}

func TestContentsOutliveTheirHandles(t *testing.T) {
	c := newClient(t)
	inner := c.handle(shim.FnTypeVector, 2, 1, 3, mpi.TypeInt)
	outer := c.handle(shim.FnTypeContiguous, 4, inner)
	p := c.words(inner)
	c.do(shim.FnTypeFree, p)
	if p.word(0) != mpi.DatatypeNull {
		t.Errorf("MPI_Type_free leaves %#x", p.word(0))
	}
	c.refuse(mpi.ErrType, fmt.Sprintf("datatype (handle %#x) is not a datatype, or was freed", inner), shim.FnTypeGetName, inner, c.room(128), c.ints(0))
	c.do(shim.FnTypeGetContents, outer, 1, 0, 1, c.ints(0), 0, p)
	n, combiner := c.ints(0), c.ints(0)
	c.do(shim.FnTypeGetEnvelope, p.word(0), n, c.ints(0), c.ints(0), combiner)
	if combiner.int(0) != mpi.CombinerVector || n.int(0) != 3 {
		t.Errorf("the inner type came back with combiner %d and %d integers", combiner.int(0), n.int(0))
	}
}

func TestPredefinedTypesCannotBeFreed(t *testing.T) {
	c := newClient(t)
	f90 := c.handle(shim.FnTypeCreateF90Integer, 4)
	if again := c.handle(shim.FnTypeCreateF90Integer, 4); again != f90 {
		t.Errorf("the same Fortran type has handles %#x and %#x", f90, again)
	}
	for _, h := range []uint64{mpi.TypeInt, f90} {
		c.refuse(mpi.ErrType, "datatype is predefined and cannot be freed", shim.FnTypeFree, c.words(h))
	}
	c.refuse(mpi.ErrType, "datatype is MPI_DATATYPE_NULL", shim.FnTypeFree, c.words(mpi.DatatypeNull))
	c.refuse(mpi.ErrArg, "no kind of the Fortran compiler has range r = 40", shim.FnTypeCreateF90Integer, 40, c.words(0))
}

func TestNamesMatchesAndPairs(t *testing.T) {
	c := newClient(t)
	text, n := c.room(mpi.MaxObjectName), c.ints(0)
	h := c.handle(shim.FnTypeContiguous, 2, mpi.TypeInt)
	name := func(h uint64) string {
		c.do(shim.FnTypeGetName, h, text, n)
		return fmt.Sprint(text.text(), " ", n.int(0))
	}
	equal(t, "names", []string{name(h), name(mpi.TypeIntInt)}, []string{" 0", "MPI_2INT 8"})
	c.do(shim.FnTypeSetName, h, c.string(strings.Repeat("long", 100)))
	if got := name(h); got != strings.Repeat("long", 100)[:mpi.MaxObjectName-1]+" 127" {
		t.Errorf("a long name became %s", got)
	}
	equal(t, "matches", []uint64{c.handle(shim.FnTypeMatchSize, mpi.TypeclassReal, 8), c.handle(shim.FnTypeGetValueIndex, mpi.TypeDouble, mpi.TypeInt),
		c.handle(shim.FnTypeGetValueIndex, mpi.TypeInt, mpi.TypeDouble)}, []uint64{mpi.TypeReal8, mpi.TypeDoubleInt, mpi.DatatypeNull})
	c.refuse(mpi.ErrArg, "no datatype of this class has 3 bytes", shim.FnTypeMatchSize, mpi.TypeclassReal, 3, c.words(0))
}

func TestConstructorsNameTheWrongArgument(t *testing.T) {
	c := newClient(t)
	out := c.words(0)
	c.refuse(mpi.ErrCount, "count is negative: -1", shim.FnTypeVector, -1, 1, 1, mpi.TypeInt, out)
	c.refuse(mpi.ErrCount, "count is negative: -1", shim.FnTypeIndexed, -1, 0, 0, mpi.TypeInt, out)
	c.refuse(mpi.ErrCount, "blocklength is negative: -5", shim.FnTypeCreateIndexedBlock, 0, -5, 0, mpi.TypeInt, out)
	c.refuse(mpi.ErrCount, "array_of_blocklengths is negative at [1]: -2", shim.FnTypeIndexed, 2, c.ints(1, -2), c.ints(0, 0), mpi.TypeInt, out)
	c.refuse(mpi.ErrType, "oldtype is MPI_DATATYPE_NULL", shim.FnTypeContiguous, 1, mpi.DatatypeNull, out)
	c.refuse(mpi.ErrType, "array_of_types[1] (handle 0x3) is not a datatype, or was freed", shim.FnTypeCreateStruct, 2,
		c.ints(1, 1), c.words(0, 8), c.words(mpi.TypeInt, 3), out)
	c.refuse(mpi.ErrDims, "ndims is 0, must be at least 1", shim.FnTypeCreateSubarray, 0, 0, 0, 0, mpi.OrderC, mpi.TypeInt, out)
	if out.word(0) != 0 {
		t.Errorf("a refused call set newtype to %#x", out.word(0))
	}
}

func TestElementsForC(t *testing.T) {
	c := newClient(t)
	h := c.handle(shim.FnTypeCreateStruct, 2, c.ints(1, 2), c.words(0, 8), c.words(mpi.TypeInt, mpi.TypeDouble))
	n := c.words(0)
	for bytes, want := range map[int]int64{0: 0, 4: 1, 12: 2, 20: 3, 24: 4, 13: mpi.Undefined} {
		c.do(fnTypeElements, h, bytes, n)
		if int64(n.word(0)) != want {
			t.Errorf("%d bytes hold %d elements, want %d", bytes, int64(n.word(0)), want)
		}
	}
}

func TestExternalPacking(t *testing.T) {
	c := newClient(t)
	p := c.words(c.handle(shim.FnTypeVector, 2, 1, 2, mpi.TypeInt))
	h, rep, size := p.word(0), c.string("external32"), c.words(0)
	c.refuse(mpi.ErrType, "datatype is not committed", shim.FnPackExternalSize, rep, 1, h, size)
	c.do(shim.FnTypeCommit, p)
	c.do(shim.FnPackExternalSize, rep, 2, h, size)
	in, buf, position, back := c.ints(1, 0, 2, 3, 0, 4), c.room(24), c.words(4), c.ints(0, 9, 0, 0, 9, 0)
	c.do(shim.FnPackExternal, rep, in, 2, h, buf, 24, position)
	want := []byte{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 0}
	if size.word(0) != 16 || position.word(0) != 20 || !bytes.Equal(buf.all(), want) {
		t.Errorf("size %d, position %d, bytes %v", size.word(0), position.word(0), buf.all())
	}
	c.do(shim.FnUnpackExternalC, rep, buf, 24, c.words(4), back, 2, h)
	equal(t, "unpacked", back.ints(), []int32{1, 9, 2, 3, 9, 4})
	c.refuse(mpi.ErrTruncate, "16 bytes do not fit outbuf at position 20 of 24", shim.FnPackExternal, rep, in, 2, h, buf, 24, position)
	c.refuse(mpi.ErrUnsupportedDatarep, `datarep is "native", only "external32" is known`, shim.FnPackExternalSize, c.string("native"), 1, h, size)
}

func TestFullSliceLeavesNothingBehind(t *testing.T) {
	c := newClient(t)
	h := c.handle(shim.FnTypeContiguous, 2, mpi.TypeInt)
	out := c.words(0)
	used := c.rank.Used()
	for left := range 2 {
		args := []uint64{3, h, out.addr()}
		call := vrank.NewCall(c.id, int(shim.FnTypeContiguous), args, &fullSlice{c.rank, left})
		c.server.Serve(call)
		_, class, _, text := call.Result()
		types := c.server.state(c.id).Types
		if class != mpi.ErrNoMem || out.word(0) != 0 || c.rank.Used() != used || types.Made.Len() != 1 || types.made(idBit).Uses != 1 {
			t.Errorf("after %d allocations: class %d %q, newtype %#x, %d bytes and %d types left", left, class, text, out.word(0),
				c.rank.Used()-used, types.Made.Len()-1)
		}
	}
}
