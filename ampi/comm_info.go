package ampi

import "slices"

// commHint is a hint of communicators that is kept (MPI 5.0 section 7.4.4). All are promises of the program that nothing here
// needs; others are ignored.
type commHint struct{ key, unset string }

var commHintsKnown = []commHint{
	{"mpi_assert_no_any_tag", "false"},
	{"mpi_assert_no_any_source", "false"},
	{"mpi_assert_exact_length", "false"},
	{"mpi_assert_allow_overtaking", "false"},
	{"mpi_assert_strict_persistent_collective_ordering", "false"},
	{"mpi_assert_memory_alloc_kinds", ""},
}

func isBoolean(s string) bool { return s == "true" || s == "false" }

// accepts tells whether a value means anything for the hint.
func (h commHint) accepts(value string) bool { return h.unset == "" || isBoolean(value) }

// take copies the hints that are known and make sense.
func (o *Info) take(from *Info) {
	for _, h := range commHintsKnown {
		if value, ok := from.get(h.key); ok && h.accepts(value) {
			o.set(h.key, value)
		}
	}
}

// commHints serves C: (info that the program gave, *handle of the communicator's own or 0).
func commHints(c *call) error {
	given, own := c.info(0), out[uint64](c, 1, "info")
	if c.err != nil {
		return c.err
	}
	hints := &Info{}
	if *own != 0 {
		hints = c.infoAt(*own)
	}
	hints.take(given)
	if *own != 0 || len(hints.Keys) == 0 {
		return c.err
	}
	return c.putInfo(1, hints)
}

// commInfo serves C: (handle of a communicator's own info or 0, *new info): what is set, and what is not with its default.
func commInfo(c *call) error {
	all := &Info{}
	if c.Args[0] != 0 {
		all = c.info(0).clone()
	}
	for _, h := range commHintsKnown {
		if !slices.Contains(all.Keys, h.key) && h.unset != "" {
			all.set(h.key, h.unset)
		}
	}
	return c.putInfo(1, all)
}

// sharedMemory is the resource that the ranks of a node share: the value of mpi_hw_resource_type, and the only resource that
// MPI_Get_hw_resource_info knows. Every rank is bound to one.
const sharedMemory = "mpi_shared_memory"

func hwResourceInfo(c *call) error {
	return c.putInfo(0, &Info{Keys: []string{sharedMemory}, Values: []string{"true"}})
}
