package ampi

import (
	"testing"

	"ampirun/ampi/internal/testrank"
	"ampirun/ampi/mpi"
	"ampirun/shim"
	"ampirun/vrank"
)

// BenchmarkTypeCycle is one MPI_Type_vector, commit and free, without the switch to the PE's stack.
func BenchmarkTypeCycle(b *testing.B) {
	s, rank := New(), testrank.New(0, 1)
	if err := s.NewRank(rank.Rank()); err != nil {
		b.Fatal(err)
	}
	out := &array{rank.Alloc(8), 8}
	serve := func(fn shim.Function, args ...uint64) {
		call := vrank.NewCall(0, int(fn), args, rank)
		s.Serve(call)
		if _, class, _, text := call.Result(); class != 0 {
			b.Fatal(text)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		serve(shim.FnTypeVector, 10, 2, 5, mpi.TypeInt, out.addr())
		serve(shim.FnTypeCommit, out.addr())
		serve(shim.FnTypeFree, out.addr())
	}
}
