// Package ampi gives ranks their MPI: the hot calls in C on the rank's stack, all others in Go on the PE's stack.
package ampi

import (
	"cmp"
	"errors"
	"fmt"
	"runtime/debug"

	"ampirun/ampi/mpi"
	"ampirun/vrank"
)

// Server serves the MPI calls of a worker's ranks that the C core does not. One goroutine uses it: the PE loop's.
type Server struct {
	ranks    *Table[*State]
	identity []int32 // 0, 1, ...: shared by the groups that hold all ranks
	current  call
	env      Environment
}

// State is what Go keeps for one rank: plain data, so that it can go where the rank goes.
type State struct {
	Types  Types
	Groups *Table[Group]
	Infos  *Table[*Info]
	Errors ErrorCodes
}

// New makes a server without ranks; a rank's state comes to be at its first call.
func New() *Server {
	return &Server{ranks: NewTable[*State]()}
}

// Serves tells whether there is a handler for a function of the shim's table.
func (s *Server) Serves(fn int) bool { return fn >= 0 && fn < len(handlers) && handlers[fn].run != nil }

// Serve carries out one call of a rank. PE stack.
func (s *Server) Serve(c *vrank.Call) {
	if !s.Serves(c.Fn) {
		c.Fail(mpi.ErrUnsupportedOperation, communicatorOf(c), "is not served by this version")
		return
	}
	h := &handlers[c.Fn]
	if err := s.run(h, c); err != nil {
		fail(c, err)
	}
}

// run calls a handler. A pointer of the program that leads nowhere is an error of the program.
func (s *Server) run(h *handler, c *vrank.Call) (err error) {
	if !h.anytime {
		if err := notRunning(c); err != nil {
			return err
		}
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		switch caught := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }:
			err = mpi.Errorf(mpi.ErrArg, "an argument points to memory that is not there: %#x", caught.Addr())
		default:
			panic(caught)
		}
	}()
	s.current = call{Call: c, server: s, state: s.state(c.Rank), wide: h.wide}
	return h.run(&s.current)
}

func (s *Server) state(rank int) *State {
	st, ok := s.ranks.Get(uint32(rank))
	if !ok {
		st = newState()
		s.ranks.Put(uint32(rank), st)
	}
	return st
}

func newState() *State {
	return &State{Types: newTypes(), Groups: NewTable[Group](), Infos: NewTable[*Info](), Errors: newErrorCodes()}
}

func fail(c *vrank.Call, err error) {
	var f *mpi.Fault
	if !errors.As(err, &f) {
		f = mpi.Errorf(mpi.ErrIntern, "%v", err)
	}
	comm := f.Comm
	if comm == 0 {
		comm = communicatorOf(c) // its handler takes the error, unless it is not a communicator
	}
	c.Fail(f.Class, comm, f.Text)
}

// Keeps tells whether a rank has anything here that must go with it.
func (s *Server) Keeps(rank int) bool {
	st, ok := s.ranks.Get(uint32(rank))
	return ok && !st.isEmpty()
}

func (st *State) isEmpty() bool {
	t := &st.Types
	return t.ByHandle.Len()+t.Made.Len()+len(t.Names)+len(t.F90)+st.Groups.Len()+st.Infos.Len()+len(st.Errors.Added)+len(st.Errors.Texts) == 0 &&
		st.Errors.Last == mpi.ErrLastcode
}

// Pack is what Go keeps of a rank, as bytes.
func (s *Server) Pack(rank int) []byte {
	st, ok := s.ranks.Get(uint32(rank))
	if !ok {
		panic(fmt.Sprintf("BUG: nothing is kept of rank %d", rank))
	}
	var l packedState
	l.state(st)
	return l.data
}

// Unpack takes a rank in that another worker has packed.
func (s *Server) Unpack(rank int, data []byte) error {
	st := newState()
	l := packedState{data: data, reading: true}
	if l.state(st); l.err != nil || len(l.data) > 0 {
		return fmt.Errorf("unpack what MPI keeps of it: %w, %d bytes are left", cmp.Or(l.err, errLonger), len(l.data))
	}
	s.ranks.Put(uint32(rank), st)
	return nil
}

// EndRank forgets a rank that has ended or goes to another worker.
func (s *Server) EndRank(rank int) { s.ranks.Delete(uint32(rank)) }
