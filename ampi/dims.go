package ampi

import (
	"slices"

	"ampirun/ampi/mpi"
)

// dimsCreate serves MPI_Dims_create (MPI 5.0 section 8.5.2).
func dimsCreate(c *call) error {
	nodes, n := c.num(0), c.length(1, "ndims", mpi.ErrDims)
	if nodes < 1 {
		c.fault(mpi.ErrArg, "nnodes is %d, must be at least 1", nodes)
	}
	if !c.there(2, n, "dims") {
		return c.err
	}
	dims := view[int32](c.Args[2], n)
	free, err := freeDims(nodes, dims)
	if err != nil {
		return err
	}
	for i, next := 0, 0; i < len(dims); i++ {
		if dims[i] == 0 {
			dims[i] = int32(free[next])
			next++
		}
	}
	return nil
}

// freeDims are the sizes of the dimensions that are 0, given those that are not.
func freeDims(nodes int64, dims []int32) ([]int64, error) {
	rest, n := nodes, 0
	for i, d := range dims {
		switch {
		case d < 0:
			return nil, mpi.Errorf(mpi.ErrDims, "dims[%d] is negative: %d", i, d)
		case d == 0:
			n++
		case rest%int64(d) != 0:
			return nil, mpi.Errorf(mpi.ErrDims, "nnodes is %d, which is no multiple of the product of the dimensions given", nodes)
		default:
			rest /= int64(d)
		}
	}
	if n == 0 && rest != 1 {
		return nil, mpi.Errorf(mpi.ErrDims, "nnodes is %d, the product of dims is %d", nodes, nodes/rest)
	}
	return balance(rest, n), nil
}

// balance writes nodes as n factors that do not increase: the largest as small as can be, then the second, and so on.
func balance(nodes int64, n int) []int64 {
	if n == 0 {
		return nil
	}
	f := &factoring{divisors: divisors(nodes), dead: map[[3]int64]bool{}}
	return f.factors(nodes, n, nodes)
}

func divisors(n int64) []int64 {
	var out []int64
	for d := int64(1); d*d <= n; d++ {
		if n%d == 0 {
			out = append(out, d)
			if d*d != n {
				out = append(out, n/d)
			}
		}
	}
	slices.Sort(out)
	return out
}

// factoring looks for factors and remembers where there are none.
type factoring struct {
	divisors []int64
	dead     map[[3]int64]bool
}

// factors are n factors of `of` that do not increase and are at most cap; nil when there are none.
func (f *factoring) factors(of int64, n int, limit int64) []int64 {
	if n == 1 {
		if of <= limit {
			return []int64{of}
		}
		return nil
	}
	key := [3]int64{of, int64(n), limit}
	if f.dead[key] {
		return nil
	}
	for _, d := range f.divisors {
		if d > limit || d > of {
			break
		}
		if of%d != 0 || !reaches(d, n, of) {
			continue
		}
		if rest := f.factors(of/d, n-1, d); rest != nil {
			return append([]int64{d}, rest...)
		}
	}
	f.dead[key] = true
	return nil
}

// reaches tells whether n factors d can make up `of`.
func reaches(d int64, n int, of int64) bool {
	for p := int64(1); n > 0; n-- {
		if p *= d; p >= of {
			return true
		}
		if d == 1 {
			return false
		}
	}
	return false
}
