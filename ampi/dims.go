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

// balance writes nodes as n factors that do not increase and are as close to each other as can be: the least difference between
// the largest and the smallest; of several such, the one with the largest smallest factor, then the next one, and so on.
func balance(nodes int64, n int) []int64 {
	if n == 0 {
		return nil
	}
	f := factoring{divisors(nodes)}
	least, most := f.span(nodes, n)
	return append(f.within(nodes/least, n-1, least, most), least)
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

// factoring looks for factors of a number, and knows its divisors.
type factoring struct {
	divisors []int64
}

// lower calls try with the divisors of `of` that can be the smallest of its n factors, the largest first, as long as it says so.
func (f factoring) lower(of int64, n int, floor int64, try func(d int64) bool) {
	for _, d := range slices.Backward(f.divisors) {
		if d < floor {
			return
		}
		if of%d == 0 && !exceeds(d, n, of) && !try(d) {
			return
		}
	}
}

// span is the smallest and the largest of the factors that are closest to each other.
func (f factoring) span(of int64, n int) (least, most int64) {
	if n == 1 {
		return of, of
	}
	spread := of
	f.lower(of, n, 1, func(d int64) bool {
		if found := f.smallestMost(of/d, n-1, d, d+spread); found != 0 {
			least, most, spread = d, found, found-d
		}
		return reaches(d+spread-1, n-1, of/d)
	})
	return least, most
}

// smallestMost is the least that the largest of n factors can be that are at least floor and below limit; 0 when there are none.
func (f factoring) smallestMost(of int64, n int, floor, limit int64) (most int64) {
	if n == 1 {
		if floor <= of && of < limit {
			return of
		}
		return 0
	}
	f.lower(of, n, floor, func(d int64) bool {
		if found := f.smallestMost(of/d, n-1, d, limit); found != 0 {
			most, limit = found, found
		}
		return reaches(limit-1, n-1, of/d)
	})
	return most
}

// within are n factors from floor to limit that do not increase, the smallest ones as large as can be; nil when there are none.
func (f factoring) within(of int64, n int, floor, limit int64) (factors []int64) {
	if n == 0 {
		return []int64{}
	}
	if n == 1 {
		if floor <= of && of <= limit {
			return []int64{of}
		}
		return nil
	}
	f.lower(of, n, floor, func(d int64) bool {
		if larger := f.within(of/d, n-1, d, limit); larger != nil {
			factors = append(larger, d)
		}
		return factors == nil && reaches(limit, n-1, of/d)
	})
	return factors
}

// exceeds tells whether the product of n factors d is more than `of`.
func exceeds(d int64, n int, of int64) bool {
	p := int64(1)
	for ; n > 0 && d > 1; n-- {
		if p > of/d {
			return true
		}
		p *= d
	}
	return p > of
}

// reaches tells whether the product of n factors d is at least `of`.
func reaches(d int64, n int, of int64) bool {
	return exceeds(d, n, of-1)
}
