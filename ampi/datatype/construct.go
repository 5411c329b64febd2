package datatype

import "ampirun/ampi/mpi"

// The constructors take counts as MPI gives them and name the argument that is wrong by its name in the standard.

func checkCount(name string, n int64) error {
	if n < 0 {
		return mpi.Errorf(mpi.ErrCount, "%s is negative: %d", name, n)
	}
	return nil
}

// Contiguous is count elements, one extent apart.
func Contiguous(count int64, old *Layout) (*Layout, error) {
	if err := checkCount("count", count); err != nil {
		return nil, err
	}
	return old.repeat(count, old.Extent())
}

// Vector is count blocks of blocklength elements, stride extents apart.
func Vector(count, blocklength, stride int64, old *Layout) (*Layout, error) {
	if tooFar(stride, old.Extent()) {
		return nil, errTooLarge
	}
	return Hvector(count, blocklength, stride*old.Extent(), old)
}

// Hvector is count blocks of blocklength elements, stride bytes apart.
func Hvector(count, blocklength, stride int64, old *Layout) (*Layout, error) {
	if err := checkCount("count", count); err != nil {
		return nil, err
	}
	if err := checkCount("blocklength", blocklength); err != nil {
		return nil, err
	}
	block, err := old.repeat(blocklength, old.Extent())
	if err != nil {
		return nil, err
	}
	return block.repeat(count, stride)
}

// Blocks says which blocks an indexed type has: Length(i) elements at Disp(i) times Unit bytes.
type Blocks struct {
	Count  int64
	Length func(i int64) int64
	Disp   func(i int64) int64
	Unit   int64
	Name   string // of the argument with the lengths, for errors
}

// Indexed puts blocks of elements at given displacements.
func Indexed(blocks Blocks, old *Layout) (*Layout, error) {
	if err := checkCount("count", blocks.Count); err != nil {
		return nil, err
	}
	var b builder
	block := repeater{old: old}
	for i := range blocks.Count {
		n := blocks.Length(i)
		if n < 0 {
			return nil, mpi.Errorf(mpi.ErrCount, "%s is negative at [%d]: %d", blocks.Name, i, n)
		}
		if n == 0 {
			continue // whatever its displacement
		}
		if tooFar(blocks.Disp(i), blocks.Unit) {
			return nil, errTooLarge
		}
		part, err := block.of(n)
		if err != nil {
			return nil, err
		}
		if err := b.add(part, blocks.Disp(i)*blocks.Unit); err != nil {
			return nil, err
		}
	}
	return b.layout(), nil
}

// repeater makes blocks of elements, of which types have many but few different ones.
type repeater struct {
	old   *Layout
	known [16]*Layout // by length
}

func (r *repeater) of(n int64) (*Layout, error) {
	if n < int64(len(r.known)) && r.known[n] != nil {
		return r.known[n], nil
	}
	l, err := r.old.repeat(n, r.old.Extent())
	if err == nil && n < int64(len(r.known)) {
		r.known[n] = l
	}
	return l, err
}

// Struct puts lengths[i] elements of types[i] at displs[i] bytes.
func Struct(lengths, displs []int64, types []*Layout) (*Layout, error) {
	var b builder
	for i, t := range types {
		if lengths[i] < 0 {
			return nil, mpi.Errorf(mpi.ErrCount, "array_of_blocklengths is negative at [%d]: %d", i, lengths[i])
		}
		block, err := t.repeat(lengths[i], t.Extent())
		if err != nil {
			return nil, err
		}
		if err := b.add(block, displs[i]); err != nil {
			return nil, err
		}
	}
	return b.layout().padded(), nil
}

// Resized is old with bounds lb and lb + extent.
func Resized(old *Layout, lb, extent int64) (*Layout, error) {
	if tooFar(1, lb) || tooFar(1, extent) {
		return nil, errTooLarge
	}
	return old.marked(lb, lb+extent), nil
}
