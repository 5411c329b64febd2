package ampi

import (
	"fmt"

	"ampirun/ampi/datatype"
	"ampirun/ampi/mpi"
)

// The constructors of MPI 5.0 section 5.1: read the arguments, let package datatype build, remember how.

func typeContiguous(c *call) error {
	count, old := c.num(0), c.datatype(1, "oldtype")
	l, err := datatype.Contiguous(count, old.layout)
	return c.define(2, l, err, c.recipe(mpi.CombinerContiguous, old).counts(count))
}

func typeVector(c *call) error {
	count, length, stride, old := c.num(0), c.num(1), c.num(2), c.datatype(3, "oldtype")
	l, err := datatype.Vector(count, length, stride, old.layout)
	return c.define(4, l, err, c.recipe(mpi.CombinerVector, old).counts(count, length, stride))
}

func typeHvector(c *call) error {
	count, length, stride, old := c.num(0), c.num(1), c.num(2), c.datatype(3, "oldtype")
	l, err := datatype.Hvector(count, length, stride, old.layout)
	return c.define(4, l, err, c.recipe(mpi.CombinerHvector, old).counts(count, length).addrs(stride))
}

func typeIndexed(c *call) error {
	n := c.length(0, "count", mpi.ErrCount)
	lengths, displs := c.nums(1, n, "array_of_blocklengths"), c.nums(2, n, "array_of_displacements")
	old := c.datatype(3, "oldtype")
	r := c.recipe(mpi.CombinerIndexed, old).counts(n).counts(lengths...).counts(displs...)
	return c.defineIndexed(4, old, lengths, displs, old.layout.Extent(), r)
}

func typeHindexed(c *call) error {
	n := c.length(0, "count", mpi.ErrCount)
	lengths, displs := c.nums(1, n, "array_of_blocklengths"), c.addrs(2, n, "array_of_displacements")
	old := c.datatype(3, "oldtype")
	r := c.recipe(mpi.CombinerHindexed, old).counts(n).counts(lengths...).addrs(displs...)
	return c.defineIndexed(4, old, lengths, displs, 1, r)
}

func typeIndexedBlock(c *call) error {
	n, length := c.length(0, "count", mpi.ErrCount), c.num(1)
	displs, old := c.nums(2, n, "array_of_displacements"), c.datatype(3, "oldtype")
	r := c.recipe(mpi.CombinerIndexedBlock, old).counts(n, length).counts(displs...)
	return c.defineBlocks(4, old, length, displs, old.layout.Extent(), r)
}

func typeHindexedBlock(c *call) error {
	n, length := c.length(0, "count", mpi.ErrCount), c.num(1)
	displs, old := c.addrs(2, n, "array_of_displacements"), c.datatype(3, "oldtype")
	r := c.recipe(mpi.CombinerHindexedBlock, old).counts(n, length).addrs(displs...)
	return c.defineBlocks(4, old, length, displs, 1, r)
}

// defineIndexed defines a type of blocks; displacements are in units of `unit` bytes.
func (c *call) defineIndexed(i int, old typeRef, lengths, displs []int64, unit int64, r recipe) error {
	if c.err != nil {
		return c.err
	}
	l, err := datatype.Indexed(datatype.Blocks{
		Count:  int64(len(displs)),
		Length: func(i int64) int64 { return lengths[i] },
		Disp:   func(i int64) int64 { return displs[i] },
		Unit:   unit, Name: "array_of_blocklengths",
	}, old.layout)
	return c.define(i, l, err, r)
}

// defineBlocks defines a type of blocks of one length.
func (c *call) defineBlocks(i int, old typeRef, length int64, displs []int64, unit int64, r recipe) error {
	if length < 0 {
		c.fault(mpi.ErrCount, "blocklength is negative: %d", length)
	}
	if c.err != nil {
		return c.err
	}
	l, err := datatype.Indexed(datatype.Blocks{
		Count:  int64(len(displs)),
		Length: func(int64) int64 { return length },
		Disp:   func(i int64) int64 { return displs[i] },
		Unit:   unit, Name: "blocklength",
	}, old.layout)
	return c.define(i, l, err, r)
}

func typeStruct(c *call) error {
	n := c.length(0, "count", mpi.ErrCount)
	lengths, displs := c.nums(1, n, "array_of_blocklengths"), c.addrs(2, n, "array_of_displacements")
	var types []typeRef
	var layouts []*datatype.Layout
	for i, h := range c.addrs(3, n, "array_of_types") {
		t := c.typeOf(uint64(h), fmt.Sprintf("array_of_types[%d]", i))
		types, layouts = append(types, t), append(layouts, t.layout)
	}
	if c.err != nil {
		return c.err
	}
	l, err := datatype.Struct(lengths, displs, layouts)
	return c.define(4, l, err, c.recipe(mpi.CombinerStruct, types...).counts(n).counts(lengths...).addrs(displs...))
}

func typeSubarray(c *call) error {
	n := c.dimensions(0)
	sizes, subs := c.nums(1, n, "array_of_sizes"), c.nums(2, n, "array_of_subsizes")
	starts, order, old := c.nums(3, n, "array_of_starts"), c.num(4), c.datatype(5, "oldtype")
	if c.err != nil {
		return c.err
	}
	l, err := datatype.Subarray(sizes, subs, starts, order, old.layout)
	r := c.recipe(mpi.CombinerSubarray, old).ints(n).counts(sizes...).counts(subs...).counts(starts...).ints(order)
	return c.define(6, l, err, r)
}

// dimensions is the argument ndims, which must be positive.
func (c *call) dimensions(i int) int64 {
	n := c.num(i)
	if n < 1 {
		c.fault(mpi.ErrDims, "ndims is %d, must be at least 1", n)
		return 0
	}
	return n
}

func typeDarray(c *call) error {
	n := c.dimensions(2)
	d := datatype.Darray{
		Size: c.num(0), Rank: c.num(1),
		Gsizes:   c.nums(3, n, "array_of_gsizes"),
		Distribs: c.ints(4, n, "array_of_distribs"), Dargs: c.ints(5, n, "array_of_dargs"),
		Psizes: c.ints(6, n, "array_of_psizes"), Order: c.num(7),
	}
	old := c.datatype(8, "oldtype")
	if c.err != nil {
		return c.err
	}
	l, err := d.Build(old.layout)
	r := c.recipe(mpi.CombinerDarray, old).ints(d.Size, d.Rank, n).counts(d.Gsizes...)
	return c.define(9, l, err, r.ints(d.Distribs...).ints(d.Dargs...).ints(d.Psizes...).ints(d.Order))
}

func typeResized(c *call) error {
	old, lb, extent := c.datatype(0, "oldtype"), c.num(1), c.num(2)
	l, err := datatype.Resized(old.layout, lb, extent)
	return c.define(3, l, err, c.recipe(mpi.CombinerResized, old).addrs(lb, extent))
}

// typeDup also copies whether the type is committed (MPI 5.0 section 5.1.10); attributes are copied in C.
func typeDup(c *call) error {
	old := c.datatype(0, "oldtype")
	if err := c.define(1, old.layout, nil, c.recipe(mpi.CombinerDup, old)); err != nil {
		return err
	}
	if isCommitted(c.Call, old.handle) {
		commitType(c.Call, *out[uint64](c, 1, "newtype"))
	}
	return nil
}

func typeCommit(c *call) error {
	t := c.typeOf(*out[uint64](c, 0, "datatype"), "datatype")
	if c.err == nil && t.id&idBit != 0 {
		commitType(c.Call, t.handle)
	}
	return c.err
}

func typeFree(c *call) error {
	p := out[uint64](c, 0, "datatype")
	t := c.typeOf(*p, "datatype")
	if c.err != nil {
		return c.err
	}
	index := uint32(t.handle & handleIndex)
	if h, ok := c.state.Types.ByHandle.Get(index); !ok || h.Fixed || t.id&idBit == 0 {
		return mpi.Errorf(mpi.ErrType, "datatype is predefined and cannot be freed")
	}
	c.state.Types.ByHandle.Delete(index)
	delete(c.state.Types.Names, t.handle)
	leaveType(c.Call, t.handle)
	c.state.Types.release(t.id)
	*p = mpi.DatatypeNull
	return nil
}
