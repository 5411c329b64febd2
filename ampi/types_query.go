package ampi

import (
	"fmt"

	"ampirun/ampi/datatype"
	"ampirun/ampi/mpi"
)

// typeElements serves C: (type handle, bytes, *count).
func typeElements(c *call) error {
	t := c.datatype(0, "datatype")
	n, whole := t.layout.Elements(c.num(1))
	if !whole {
		n = mpi.Undefined
	}
	c.put64(2, "count", n)
	return c.err
}

func typeBytes(c *call) error {
	t := c.datatype(0, "datatype")
	n, fits := t.layout.BytesOf(c.num(1))
	if c.err == nil && !fits {
		c.fault(mpi.ErrCount, "count is %d, more than any buffer holds", c.num(1))
	}
	c.put64(2, "count", n)
	return c.err
}

// ---- names ----

func typeSetName(c *call) error {
	t, name := c.datatype(0, "datatype"), c.text(1, "type_name")
	if c.err == nil {
		c.state.Types.Names[t.handle] = name[:min(len(name), mpi.MaxObjectName-1)]
	}
	return c.err
}

// typeGetName also knows the name of the null handle (MPI 5.0 section 7.8).
func typeGetName(c *call) error {
	if c.Args[0] == mpi.DatatypeNull {
		c.putInt(2, "resultlen", c.putText(1, "type_name", "MPI_DATATYPE_NULL", mpi.MaxObjectName))
		return c.err
	}
	t := c.datatype(0, "datatype")
	name, given := c.state.Types.Names[t.handle]
	if !given {
		name = datatype.PredefinedName(t.handle)
	}
	c.putInt(2, "resultlen", c.putText(1, "type_name", name, len(name)+1))
	return c.err
}

// ---- how a type was made (MPI 5.0 section 5.1.13) ----

// origin is how the datatype of an argument was made.
func (c *call) origin(i int) *Type {
	t := c.datatype(i, "datatype")
	if c.err != nil || t.id&idBit == 0 {
		return &Type{Combiner: mpi.CombinerNamed}
	}
	m := c.state.Types.made(t.id)
	if m.Large && !c.wide && len(m.Counts) > 0 {
		c.fault(mpi.ErrType, "datatype was made with large counts: call the _c form")
	}
	return m
}

func typeEnvelope(c *call) error {
	m, at := c.origin(0), 1
	put := func(name string, n int) {
		c.putNum(at, name, int64(n))
		at++
	}
	put("num_integers", len(m.Ints))
	put("num_addresses", len(m.Addrs))
	if c.wide {
		put("num_large_counts", len(m.Counts))
	}
	put("num_datatypes", len(m.Inputs))
	c.putInt(at, "combiner", m.Combiner)
	return c.err
}

// contentsArray is one of the arrays that MPI_Type_get_contents fills: where its room and its address are among the arguments.
type contentsArray struct {
	name     string
	room, to int
}

func contentsArrays(wide bool) (ints, addrs, counts, types contentsArray) {
	if wide {
		return contentsArray{"integers", 1, 5}, contentsArray{"addresses", 2, 6}, contentsArray{"large_counts", 3, 7},
			contentsArray{"datatypes", 4, 8}
	}
	return contentsArray{"integers", 1, 4}, contentsArray{"addresses", 2, 5}, contentsArray{}, contentsArray{"datatypes", 3, 6}
}

// fits makes sure that an array takes n values.
func (c *call) fits(a contentsArray, n int) {
	if n == 0 {
		return
	}
	if c.num(a.room) < int64(n) {
		c.fault(mpi.ErrArg, "max_%s is %d, the datatype has %d", a.name, c.num(a.room), n)
	}
	c.there(a.to, int64(n), "array_of_"+a.name)
}

func typeContents(c *call) error {
	m := c.origin(0)
	if m.Combiner == mpi.CombinerNamed {
		c.fault(mpi.ErrType, "datatype is a named predefined one and has no contents")
	}
	ints, addrs, counts, types := contentsArrays(c.wide)
	c.fits(ints, len(m.Ints))
	c.fits(addrs, len(m.Addrs))
	c.fits(counts, len(m.Counts))
	c.fits(types, len(m.Inputs))
	if c.err != nil {
		return c.err
	}
	for i, v := range m.Ints {
		view[int32](c.Args[ints.to], int64(len(m.Ints)))[i] = int32(v)
	}
	copy(view[int64](c.Args[addrs.to], int64(len(m.Addrs))), m.Addrs)
	if len(m.Counts) > 0 {
		copy(view[int64](c.Args[counts.to], int64(len(m.Counts))), m.Counts)
	}
	return c.putInputs(c.Args[types.to], m.Inputs)
}

// putInputs gives the program the types that one was made of: derived ones by new handles, which it must free.
func (c *call) putInputs(to uint64, ids []uint64) error {
	handles := view[uint64](to, int64(len(ids)))
	for i, id := range ids {
		if id&idBit == 0 {
			handles[i] = id
			continue
		}
		c.state.Types.hold(id)
		h, err := c.handleTo(id)
		if err != nil {
			c.state.Types.release(id)
			return err
		}
		handles[i] = h
	}
	return nil
}

// ---- types by their properties (MPI 5.0 sections 19.1.5 and 5.1.2) ----

func typeMatchSize(c *call) error {
	class, size := c.num(0), c.num(1)
	sized, ok := map[int64]map[int64]int64{
		mpi.TypeclassInteger: {1: mpi.TypeInteger1, 2: mpi.TypeInteger2, 4: mpi.TypeInteger4, 8: mpi.TypeInteger8, 16: mpi.TypeInteger16},
		mpi.TypeclassReal:    {2: mpi.TypeReal2, 4: mpi.TypeReal4, 8: mpi.TypeReal8, 16: mpi.TypeReal16},
		mpi.TypeclassComplex: {4: mpi.TypeComplex4, 8: mpi.TypeComplex8, 16: mpi.TypeComplex16, 32: mpi.TypeComplex32},
	}[class]
	if !ok {
		c.fault(mpi.ErrArg, "typeclass is none of MPI_TYPECLASS_INTEGER, _REAL and _COMPLEX: %d", class)
	}
	if sized[size] == 0 {
		c.fault(mpi.ErrArg, "no datatype of this class has %d bytes", size)
	}
	c.put64(2, "datatype", sized[size])
	return c.err
}

func typeValueIndex(c *call) error {
	value, index := c.datatype(0, "value_type"), c.datatype(1, "index_type")
	pair := datatype.PairOf(value.handle, index.handle)
	if pair == 0 {
		pair = mpi.DatatypeNull
	}
	c.put64(2, "pair_type", int64(pair))
	return c.err
}

// F90Key is what MPI_Type_create_f90_integer, _real and _complex were asked for.
type F90Key struct {
	Combiner         int
	Precision, Range int64
}

func (k F90Key) ints() []int64 {
	if k.Combiner == mpi.CombinerF90Integer {
		return []int64{k.Range}
	}
	return []int64{k.Precision, k.Range}
}

// f90Choice is a Fortran kind: decimal digits, largest decimal exponent, and the types of real and complex numbers of it.
type f90Choice struct {
	digits, exponent int64
	real, complex    uint64
}

var f90Reals = []f90Choice{
	{6, 37, mpi.TypeReal4, mpi.TypeComplex8},
	{15, 307, mpi.TypeReal8, mpi.TypeComplex16},
	{18, 4931, mpi.TypeLongDouble, mpi.TypeCLongDoubleComplex},
	{33, 4931, mpi.TypeReal16, mpi.TypeComplex32},
}

var f90Integers = []f90Choice{
	{exponent: 2, real: mpi.TypeInteger1}, {exponent: 4, real: mpi.TypeInteger2}, {exponent: 9, real: mpi.TypeInteger4},
	{exponent: 18, real: mpi.TypeInteger8}, {exponent: 38, real: mpi.TypeInteger16},
}

// choose is the smallest kind that holds what was asked for; MPI_UNDEFINED is negative and always held.
func (k F90Key) choose() (uint64, error) {
	kinds := f90Reals
	if k.Combiner == mpi.CombinerF90Integer {
		kinds = f90Integers
	}
	for _, f := range kinds {
		if k.Range > f.exponent || (k.Combiner != mpi.CombinerF90Integer && k.Precision > f.digits) {
			continue
		}
		if k.Combiner == mpi.CombinerF90Complex {
			return f.complex, nil
		}
		return f.real, nil
	}
	return 0, mpi.Errorf(mpi.ErrArg, "no kind of the Fortran compiler has %s", k)
}

func (k F90Key) String() string {
	if k.Combiner == mpi.CombinerF90Integer {
		return fmt.Sprintf("range r = %d", k.Range)
	}
	return fmt.Sprintf("precision p = %d and range r = %d", k.Precision, k.Range)
}

func typeF90Integer(c *call) error {
	return c.f90(1, F90Key{Combiner: mpi.CombinerF90Integer, Range: c.num(0)})
}

func typeF90Real(c *call) error {
	return c.f90(2, F90Key{Combiner: mpi.CombinerF90Real, Precision: c.num(0), Range: c.num(1)})
}

func typeF90Complex(c *call) error {
	return c.f90(2, F90Key{Combiner: mpi.CombinerF90Complex, Precision: c.num(0), Range: c.num(1)})
}

// f90 gives the predefined type of a Fortran kind: the same handle for the same question, committed, not to be freed.
func (c *call) f90(i int, k F90Key) error {
	types := &c.state.Types
	newtype := out[uint64](c, i, "newtype")
	if h, ok := types.F90[k]; ok {
		*newtype = h
		return c.err
	}
	basic, err := k.choose()
	if err != nil {
		return err
	}
	r := c.recipe(k.Combiner).ints(k.ints()...)
	if err := c.define(i, datatype.Predefined(basic), nil, r); err != nil {
		return err
	}
	id, _ := types.find(*newtype)
	types.ByHandle.Put(uint32(*newtype&handleIndex), TypeHandle{ID: id, Fixed: true})
	types.F90[k] = *newtype
	commitType(c.Call, *newtype)
	return nil
}
