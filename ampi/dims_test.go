package ampi

import (
	"testing"

	"ampirun/ampi/mpi"
	"ampirun/shim"
)

// The results are MPICH's.
func TestDims(t *testing.T) {
	c := newClient(t)
	for _, k := range []struct {
		nodes    int
		in, want []int32
	}{
		{1, []int32{0, 0, 0}, []int32{1, 1, 1}},
		{6, []int32{0, 0}, []int32{3, 2}},
		{7, []int32{0, 0}, []int32{7, 1}},
		{6, []int32{0, 3, 0}, []int32{2, 3, 1}},
		{24, []int32{0, 0, 0}, []int32{4, 3, 2}},
		{64, []int32{0, 0, 0}, []int32{4, 4, 4}},
		{256, []int32{0, 0, 0}, []int32{8, 8, 4}},
		{360, []int32{0, 0, 0}, []int32{10, 6, 6}},
		{5040, []int32{0, 0, 0}, []int32{21, 16, 15}},
		{18000, []int32{0, 0, 0, 0, 0}, []int32{10, 10, 6, 6, 5}},
		{1000, []int32{0, 0, 0, 0}, []int32{8, 5, 5, 5}},
		{2000, []int32{0, 0, 0}, []int32{20, 10, 10}},
		{1536, []int32{0, 0, 0, 0, 0}, []int32{6, 4, 4, 4, 4}},
		{65536, []int32{0, 0, 0}, []int32{64, 32, 32}},
		{123456, []int32{0, 0}, []int32{643, 192}},
		{12, []int32{3, 4}, []int32{3, 4}},
		{1, nil, nil},
		{2147483647, []int32{0, 0}, []int32{2147483647, 1}},
	} {
		dims := c.ints(k.in...)
		c.do(shim.FnDimsCreate, k.nodes, len(k.in), dims)
		equal(t, "dims", dims.ints(), k.want)
	}
}

func TestDimsErrors(t *testing.T) {
	c := newClient(t)
	c.refuse(mpi.ErrDims, "dims[1] is negative: -1", shim.FnDimsCreate, 4, 2, c.ints(0, -1))
	c.refuse(mpi.ErrDims, "nnodes is 4, which is no multiple of the product of the dimensions given", shim.FnDimsCreate, 4, 2, c.ints(3, 0))
	c.refuse(mpi.ErrDims, "nnodes is 4, the product of dims is 2", shim.FnDimsCreate, 4, 2, c.ints(2, 1))
	c.refuse(mpi.ErrArg, "nnodes is 0, must be at least 1", shim.FnDimsCreate, 0, 1, c.ints(0))
	c.refuse(mpi.ErrDims, "ndims is negative: -1", shim.FnDimsCreate, 4, -1, c.ints(0))
}
