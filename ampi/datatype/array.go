package datatype

import "ampirun/ampi/mpi"

// dims walks the dimensions of an array from the one whose elements lie next to each other outwards.
func dims(n int, order int64) ([]int, error) {
	out := make([]int, n)
	for i := range out {
		switch order {
		case mpi.OrderFortran:
			out[i] = i
		case mpi.OrderC:
			out[i] = n - 1 - i
		default:
			return nil, mpi.Errorf(mpi.ErrArg, "order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN: %d", order)
		}
	}
	return out, nil
}

// Subarray is a block of an array: subsizes elements from starts of one with sizes elements in each dimension.
func Subarray(sizes, subsizes, starts []int64, order int64, old *Layout) (*Layout, error) {
	walk, err := dims(len(sizes), order)
	if err != nil {
		return nil, err
	}
	for d := range sizes {
		if err := checkSubarray(d, sizes[d], subsizes[d], starts[d]); err != nil {
			return nil, err
		}
	}
	a := array{cur: old, stride: old.Extent()}
	for _, d := range walk {
		err = a.dimension(sizes[d], func(cur *Layout, stride int64) (*Layout, error) {
			a.offset += starts[d] * stride
			return cur.repeat(subsizes[d], stride)
		})
		if err != nil {
			return nil, err
		}
	}
	return a.finish()
}

func checkSubarray(d int, size, subsize, start int64) error {
	switch {
	case size < 1:
		return mpi.Errorf(mpi.ErrArg, "array_of_sizes[%d] is %d, must be at least 1", d, size)
	case subsize < 1 || subsize > size:
		return mpi.Errorf(mpi.ErrArg, "array_of_subsizes[%d] is %d, must be between 1 and the size %d", d, subsize, size)
	case start < 0 || start > size-subsize:
		return mpi.Errorf(mpi.ErrArg, "array_of_starts[%d] is %d, must be between 0 and %d", d, start, size-subsize)
	}
	return nil
}

// array is a type under construction, dimension by dimension.
type array struct {
	cur    *Layout
	stride int64 // bytes from one index of the next dimension to the following one
	offset int64
}

// dimension adds one of `size` indices; pick chooses what of it belongs to the type.
func (a *array) dimension(size int64, pick func(cur *Layout, stride int64) (*Layout, error)) error {
	if tooFar(size, a.stride) {
		return errTooLarge
	}
	next, err := pick(a.cur.unmarked(), a.stride)
	if err != nil {
		return err
	}
	a.cur = next
	a.stride *= size
	return nil
}

// unmarked is l with the bounds of its data only: the bounds of an array type are those of the whole array.
func (l *Layout) unmarked() *Layout {
	if !l.isMarked() {
		return l
	}
	r := *l
	r.LowMark, r.HighMark, r.Mark = false, false, Span{}
	return &r
}

func (a *array) finish() (*Layout, error) {
	l, err := a.cur.shifted(a.offset)
	if err != nil {
		return nil, err
	}
	return l.marked(0, a.stride), nil
}

// Darray is what a process holds of an array that is spread over a grid of processes.
type Darray struct {
	Size, Rank              int64 // processes of the grid, which one
	Gsizes, Distribs, Dargs []int64
	Psizes                  []int64
	Order                   int64
}

// Build is the type that describes the part of process Rank.
func (d *Darray) Build(old *Layout) (*Layout, error) {
	walk, err := dims(len(d.Gsizes), d.Order)
	if err != nil {
		return nil, err
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	coords := d.coords()
	a := array{cur: old, stride: old.Extent()}
	for _, i := range walk {
		block, err := d.block(i)
		if err != nil {
			return nil, err
		}
		err = a.dimension(d.Gsizes[i], func(cur *Layout, stride int64) (*Layout, error) {
			return cyclic(cur, stride, d.Gsizes[i], block, coords[i], d.Psizes[i])
		})
		if err != nil {
			return nil, err
		}
	}
	return a.finish()
}

func (d *Darray) check() error {
	if d.Size < 1 {
		return mpi.Errorf(mpi.ErrArg, "size is %d, must be at least 1", d.Size)
	}
	if d.Rank < 0 || d.Rank >= d.Size {
		return mpi.Errorf(mpi.ErrRank, "rank is %d, must be between 0 and %d", d.Rank, d.Size-1)
	}
	grid := int64(1)
	for i := range d.Gsizes {
		if d.Gsizes[i] < 1 {
			return mpi.Errorf(mpi.ErrArg, "array_of_gsizes[%d] is %d, must be at least 1", i, d.Gsizes[i])
		}
		if d.Psizes[i] < 1 || d.Psizes[i] > d.Size {
			return mpi.Errorf(mpi.ErrArg, "array_of_psizes[%d] is %d, must be between 1 and the size %d", i, d.Psizes[i], d.Size)
		}
		if grid *= d.Psizes[i]; grid > d.Size {
			break
		}
	}
	if grid != d.Size {
		return mpi.Errorf(mpi.ErrArg, "the product of array_of_psizes is not the size %d", d.Size)
	}
	return nil
}

// coords are the process's coordinates in the grid: row-major, whatever the order of the array.
func (d *Darray) coords() []int64 {
	out := make([]int64, len(d.Psizes))
	rest := d.Rank
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = rest % d.Psizes[i]
		rest /= d.Psizes[i]
	}
	return out
}

// block is the number of indices of dimension i that stay together.
func (d *Darray) block(i int) (int64, error) {
	g, p, arg := d.Gsizes[i], d.Psizes[i], d.Dargs[i]
	dflt := arg == mpi.DistributeDfltDarg
	if !dflt && arg < 1 && d.Distribs[i] != mpi.DistributeNone {
		return 0, mpi.Errorf(mpi.ErrArg, "array_of_dargs[%d] is %d, must be at least 1", i, arg)
	}
	switch d.Distribs[i] {
	case mpi.DistributeNone:
		if p != 1 {
			return 0, mpi.Errorf(mpi.ErrArg, "array_of_psizes[%d] is %d, must be 1 for MPI_DISTRIBUTE_NONE", i, p)
		}
		return g, nil
	case mpi.DistributeBlock:
		if dflt {
			return (g + p - 1) / p, nil
		}
		if float64(arg)*float64(p) < float64(g) {
			return 0, mpi.Errorf(mpi.ErrArg, "array_of_dargs[%d] is %d: %d blocks of it do not cover %d", i, arg, p, g)
		}
		return min(arg, g), nil
	case mpi.DistributeCyclic:
		if dflt {
			return 1, nil
		}
		return min(arg, g), nil
	}
	return 0, mpi.Errorf(mpi.ErrArg, "array_of_distribs[%d] is no distribution: %d", i, d.Distribs[i])
}

// cyclic picks, of size indices dealt out in blocks to procs processes in turn, those of process me.
func cyclic(cur *Layout, stride, size, block, me, procs int64) (*Layout, error) {
	if tooFar(procs, block) {
		return nil, errTooLarge
	}
	var b builder
	start := me * block
	full := max(0, size-start) / (procs * block)
	if rest := max(0, size-start) % (procs * block); rest >= block {
		full++
	}
	whole, err := cur.repeat(block, stride)
	if err != nil {
		return nil, err
	}
	if whole, err = whole.repeat(full, procs*block*stride); err != nil {
		return nil, err
	}
	if err := b.add(whole, start*stride); err != nil {
		return nil, err
	}
	tail := start + full*procs*block
	part, err := cur.repeat(max(0, size-tail), stride)
	if err != nil {
		return nil, err
	}
	err = b.add(part, tail*stride)
	return b.layout(), err
}
