package ampi

import (
	"testing"

	"ampirun/ampi/mpi"
	"ampirun/shim"
)

func TestHintsOfCommunicators(t *testing.T) {
	c := newClient(t)
	own, given := c.words(0), c.handle(shim.FnInfoCreate)
	take := func() { c.do(fnCommHints, given, own) }
	all := func() uint64 {
		out := c.words(0)
		c.do(fnCommInfo, own.word(0), out)
		return out.word(0)
	}

	c.set(given, "unknown", "true")
	c.set(given, "mpi_assert_exact_length", "maybe")
	take()
	if own.word(0) != 0 {
		t.Error("hints that are ignored made an info object")
	}
	c.set(given, "mpi_assert_exact_length", "true")
	c.set(given, "mpi_assert_memory_alloc_kinds", "system")
	take()
	c.set(given, "mpi_assert_exact_length", "false")
	c.do(shim.FnInfoDelete, given, c.string("mpi_assert_memory_alloc_kinds"))
	take()
	for key, want := range map[string]string{"unknown": "none", "mpi_assert_exact_length": "false",
		"mpi_assert_memory_alloc_kinds": "system", "mpi_assert_no_any_tag": "false"} {
		if got := c.value(all(), key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	c.refuse(mpi.ErrInfo, "info is MPI_INFO_NULL", fnCommHints, mpi.InfoNull, own)
}
