package ampi

import (
	"fmt"

	"ampirun/ampi/mpi"
)

// The calls of MPI 5.0 chapter 20 that tell of the ABI. The Fortran side is gfortran's and is known, so programs cannot set it.

func infoOf(pairs ...any) *Info {
	o := &Info{}
	for i := 0; i < len(pairs); i += 2 {
		o.set(fmt.Sprint(pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	return o
}

func abiInfo(c *call) error {
	return c.putInfo(0, infoOf("mpi_aint_size", 8, "mpi_count_size", 8, "mpi_offset_size", 8))
}

// fortranSupport lists the optional Fortran types of the standard, all of which the runtime serves. gfortran has no REAL*2 and COMPLEX*4;
// programs in C use MPI_REAL2 for _Float16.
var fortranSupport = []any{
	"mpi_logical_size", 4, "mpi_integer_size", 4, "mpi_real_size", 4, "mpi_double_precision_size", 8,
	"mpi_logical1_supported", true, "mpi_logical2_supported", true, "mpi_logical4_supported", true,
	"mpi_logical8_supported", true, "mpi_logical16_supported", true,
	"mpi_integer1_supported", true, "mpi_integer2_supported", true, "mpi_integer4_supported", true,
	"mpi_integer8_supported", true, "mpi_integer16_supported", true,
	"mpi_real2_supported", true, "mpi_real4_supported", true, "mpi_real8_supported", true, "mpi_real16_supported", true,
	"mpi_complex4_supported", true, "mpi_complex8_supported", true, "mpi_complex16_supported", true,
	"mpi_complex32_supported", true, "mpi_double_complex_supported", true,
}

func abiFortranInfo(c *call) error { return c.putInfo(0, infoOf(fortranSupport...)) }

func abiSetFortranInfo(c *call) error {
	if c.info(0); c.err != nil {
		return c.err
	}
	return mpi.Errorf(mpi.ErrAbi, "the Fortran types are those of gfortran and cannot be set")
}

// logicalSize is the size in bytes of a LOGICAL.
func (c *call) logicalSize() int64 {
	n := c.num(0)
	if n < 1 || n > 16 || n&(n-1) != 0 {
		c.fault(mpi.ErrArg, "logical_size is %d: LOGICAL has 1, 2, 4, 8 or 16 bytes", n)
	}
	return n
}

// abiFortranBooleans gives .true. and .false. as they lie in memory: 1 and 0, lowest byte first.
func abiFortranBooleans(c *call) error {
	n := c.logicalSize()
	for i, name := range []string{1: "logical_true", 2: "logical_false"} {
		if i == 0 || !c.there(i, n, name) {
			continue
		}
		to := view[byte](c.Args[i], n)
		clear(to)
		if i == 1 {
			to[0] = 1
		}
	}
	c.putFlag(3, "is_set", true)
	return c.err
}

func abiSetFortranBooleans(c *call) error {
	if c.logicalSize(); c.err != nil {
		return c.err
	}
	return mpi.Errorf(mpi.ErrAbi, "the values of LOGICAL are those of gfortran, 1 and 0, and cannot be set")
}
