package vrank

import "unsafe"

// Server answers the calls of ranks that the C core does not: the MPI layer.
type Server interface {
	// Serve carries out one call on the PE's stack while its rank is suspended. It must not block.
	Serve(c *Call)
}

// Call is one call of a rank that Go serves. Its arguments are the C arguments widened to 64 bits; pointers among them are
// addresses that are valid in this process while the call is served.
type Call struct {
	Rank int
	Fn   int
	Args []uint64

	memory Memory
	result int64
	class  int
	comm   uint64
	text   string
}

// Memory is a rank's slice as the runtime uses it.
type Memory interface {
	Alloc(bytes uintptr) unsafe.Pointer // zeroed; nil when the slice is full
	Free(p unsafe.Pointer)
	// RankState is the MPI layer's C state of the rank, vr_rank.mpi.
	RankState() unsafe.Pointer
	// Rank is the rank control block.
	Rank() unsafe.Pointer
}

// NewCall makes a call on given memory; tests use it to serve without a rank.
func NewCall(rank, fn int, args []uint64, m Memory) *Call {
	return &Call{Rank: rank, Fn: fn, Args: args, memory: m}
}

// Memory is the slice of the calling rank.
func (c *Call) Memory() Memory { return c.memory }

// Return sets the value that the C function returns when it is not an error class.
func (c *Call) Return(v int64) { c.result = v }

// Fail makes the call raise an MPI error class, through the error handler of communicator comm (0: the handler for errors
// that belong to no object, MPI 5.0 section 9.3). The text names the argument and what is wrong with it.
func (c *Call) Fail(class int, comm uint64, text string) {
	c.class, c.comm, c.text = class, comm, text
}

// Result is what Return and Fail left.
func (c *Call) Result() (value int64, class int, comm uint64, text string) {
	return c.result, c.class, c.comm, c.text
}
