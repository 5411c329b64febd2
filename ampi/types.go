package ampi

import (
	"ampirun/ampi/datatype"
	"ampirun/ampi/mpi"
)

// Types are the derived datatypes of a rank. A handle leads to a type; types live as long as a handle or another type that
// was made of them needs them, because MPI_Type_get_contents may ask.
type Types struct {
	ByHandle *Table[TypeHandle] // by the index in the handle, which C's table gives out
	Made     *Table[*Type]      // by what TypeHandle.ID and Type.Inputs hold
	Names    map[uint64]string  // that the program gave, by handle
	F90      map[F90Key]uint64  // handles of the unnamed predefined types
}

// TypeHandle is what a datatype handle stands for.
type TypeHandle struct {
	ID    uint64
	Fixed bool // predefined, though without a handle of the standard: not to be freed
}

// Type is a derived datatype and how it was made (MPI 5.0 section 5.1.13). It never changes.
type Type struct {
	Combiner      int
	Ints          []int64
	Addrs, Counts []int64
	Inputs        []uint64 // IDs
	Large         bool     // made by a _c function
	Layout        *datatype.Layout
	Uses          int // handles and types made of it
}

// idBit tells the ID of a derived type from the handle of a predefined one, which is its own ID.
const idBit = 1 << 32

func newTypes() Types {
	return Types{ByHandle: NewTable[TypeHandle](), Made: NewTable[*Type](), Names: map[uint64]string{}, F90: map[F90Key]uint64{}}
}

func (t *Types) made(id uint64) *Type {
	m, _ := t.Made.Get(uint32(id))
	return m
}

func (t *Types) layout(id uint64) *datatype.Layout {
	if id&idBit == 0 {
		return datatype.Predefined(id)
	}
	return t.made(id).Layout
}

// find is the ID of a handle; false when it is none of a datatype.
func (t *Types) find(handle uint64) (uint64, bool) {
	if handle>>handleShift == kindType {
		h, ok := t.ByHandle.Get(uint32(handle & handleIndex))
		return h.ID, ok
	}
	return handle, datatype.Predefined(handle) != nil
}

// hold counts a use of a type.
func (t *Types) hold(id uint64) {
	if id&idBit != 0 {
		t.made(id).Uses++
	}
}

// release ends a use; the last one frees the type and what it held.
func (t *Types) release(id uint64) {
	for pending := []uint64{id}; len(pending) > 0; {
		id, pending = pending[len(pending)-1], pending[:len(pending)-1]
		if id&idBit == 0 {
			continue
		}
		m := t.made(id)
		if m.Uses--; m.Uses == 0 {
			pending = append(pending, m.Inputs...)
			t.Made.Remove(uint32(id))
		}
	}
}

// add enters a type that a constructor made and counts its inputs as used; the first use is the caller's.
func (t *Types) add(m *Type) uint64 {
	for _, id := range m.Inputs {
		t.hold(id)
	}
	m.Uses = 1
	return uint64(t.Made.Add(m)) | idBit
}

// typeRef is a datatype among the arguments of a call.
type typeRef struct {
	handle, id uint64
	layout     *datatype.Layout
}

// datatype reads a datatype argument.
func (c *call) datatype(i int, name string) typeRef { return c.typeOf(c.Args[i], name) }

func (c *call) typeOf(handle uint64, name string) typeRef {
	id, ok := c.state.Types.find(handle)
	switch {
	case ok:
		return typeRef{handle, id, c.state.Types.layout(id)}
	case handle == mpi.DatatypeNull:
		c.fault(mpi.ErrType, "%s is MPI_DATATYPE_NULL", name)
	default:
		c.fault(mpi.ErrType, "%s (handle %#x) is not a datatype, or was freed", name, handle)
	}
	return typeRef{layout: &datatype.Layout{}}
}

// recipe collects how a type is made, in the order of the tables of MPI 5.0 section 5.1.13.
type recipe struct{ *Type }

func (c *call) recipe(combiner int, inputs ...typeRef) recipe {
	r := recipe{&Type{Combiner: combiner, Large: c.wide}}
	for _, t := range inputs {
		r.Inputs = append(r.Inputs, t.id)
	}
	return r
}

// ints adds numbers that are int in both forms of the constructor.
func (r recipe) ints(n ...int64) recipe {
	r.Ints = append(r.Ints, n...)
	return r
}

// counts adds numbers that are MPI_Count in the _c form and int in the other.
func (r recipe) counts(n ...int64) recipe {
	if !r.Large {
		return r.ints(n...)
	}
	r.Counts = append(r.Counts, n...)
	return r
}

// addrs adds numbers that are MPI_Count in the _c form and MPI_Aint in the other.
func (r recipe) addrs(n ...int64) recipe {
	if r.Large {
		return r.counts(n...)
	}
	r.Addrs = append(r.Addrs, n...)
	return r
}

// define gives the program a handle to a type that a constructor made, unless something was wrong.
func (c *call) define(i int, l *datatype.Layout, err error, r recipe) error {
	newtype := out[uint64](c, i, "newtype")
	if c.err != nil {
		return c.err
	}
	if err != nil {
		return err
	}
	r.Layout = l
	id := c.state.Types.add(r.Type)
	h, err := c.handleTo(id)
	if err != nil {
		c.state.Types.release(id)
		return err
	}
	*newtype = h
	return nil
}

// handleTo makes a handle to a derived type, which takes over a use of it.
func (c *call) handleTo(id uint64) (uint64, error) {
	h := enterType(c.Call, c.state.Types.layout(id))
	if h == 0 {
		return 0, mpi.Errorf(mpi.ErrNoMem, "the rank's slice is full: see +slice")
	}
	c.state.Types.ByHandle.Put(uint32(h&handleIndex), TypeHandle{ID: id})
	return h, nil
}
