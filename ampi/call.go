package ampi

import (
	"math"

	"ampirun/ampi/mpi"
	"ampirun/shim"
	"ampirun/vrank"
)

// call is one call being served. Reading an argument that is not there sets err, the first one stays; what is read then is
// empty.
type call struct {
	*vrank.Call
	server *Server
	state  *State
	wide   bool // a _c function: counts are 64 bits, arrays of counts too
	err    error
}

// fault notes what is wrong with an argument.
func (c *call) fault(class int, format string, args ...any) {
	if c.err == nil {
		c.err = mpi.Errorf(class, format, args...)
	}
}

// num is a number of any width.
func (c *call) num(i int) int64 { return int64(c.Args[i]) }

// length is the number of elements of arrays among the arguments.
func (c *call) length(i int, name string, class int) int64 {
	n := c.num(i)
	if n < 0 {
		c.fault(class, "%s is negative: %d", name, n)
		return 0
	}
	return n
}

// there tells whether an array of n elements can be read.
func (c *call) there(i int, n int64, name string) bool {
	if c.err != nil || n == 0 {
		return false
	}
	if c.Args[i] == 0 {
		c.fault(mpi.ErrArg, "%s is NULL", name)
		return false
	}
	return true
}

// ints is an array of C ints.
func (c *call) ints(i int, n int64, name string) []int64 {
	if !c.there(i, n, name) {
		return nil
	}
	return widen(view[int32](c.Args[i], n))
}

// addrs is an array of MPI_Aint, MPI_Count or handles.
func (c *call) addrs(i int, n int64, name string) []int64 {
	if !c.there(i, n, name) {
		return nil
	}
	return widen(view[int64](c.Args[i], n))
}

// nums is an array of counts: C ints, or MPI_Count in a _c function.
func (c *call) nums(i int, n int64, name string) []int64 {
	if c.wide {
		return c.addrs(i, n, name)
	}
	return c.ints(i, n, name)
}

func widen[T int32 | int64](in []T) []int64 {
	out := make([]int64, len(in))
	for i, v := range in {
		out[i] = int64(v)
	}
	return out
}

// out is the place for a result of type T. It is a dummy when the program gave none.
func out[T any](c *call, i int, name string) *T {
	if !c.there(i, 1, name) {
		return new(T)
	}
	return &view[T](c.Args[i], 1)[0]
}

// putInt sets a result that is a C int.
func (c *call) putInt(i int, name string, v int) { *out[int32](c, i, name) = int32(v) }

// putFlag sets a result that is a truth value.
func (c *call) putFlag(i int, name string, v bool) {
	n := 0
	if v {
		n = 1
	}
	c.putInt(i, name, n)
}

// put64 sets a result that is an MPI_Aint, MPI_Count or handle.
func (c *call) put64(i int, name string, v int64) { *out[int64](c, i, name) = v }

// putNum sets a result that is a C int, or an MPI_Count in a _c function. One that does not fit is MPI_UNDEFINED.
func (c *call) putNum(i int, name string, v int64) {
	if c.wide {
		c.put64(i, name, v)
		return
	}
	if v > math.MaxInt32 {
		v = mpi.Undefined
	}
	c.putInt(i, name, int(v))
}

// text is a C string.
func (c *call) text(i int, name string) string {
	if !c.there(i, 1, name) {
		return ""
	}
	return cString(c.Args[i])
}

// putText sets a C string in a buffer of room bytes, cut to fit; returns its length.
func (c *call) putText(i int, name, s string, room int) int {
	if !c.there(i, int64(room), name) {
		return 0
	}
	s = s[:min(len(s), room-1)]
	to := view[byte](c.Args[i], int64(room))
	to[copy(to, s)] = 0
	return len(s)
}

//go:generate go run ./internal/gen

// communicatorOf is the communicator that a call is about, 0 when it is about none.
func communicatorOf(c *vrank.Call) uint64 {
	at, ok := commArgument[shim.Function(c.Fn).String()]
	if !ok || at >= len(c.Args) {
		return 0
	}
	return c.Args[at]
}
