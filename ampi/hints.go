package ampi

import (
	"slices"
	"strconv"
	"strings"
)

// hint is one that objects of a kind keep (MPI 5.0 sections 7.4.4 and 12.2.1). Most are promises of the program that nothing here needs; others
// are ignored.
type hint struct {
	key, unset string
	accepts    func(value string) bool // whether a value means anything
}

var commHints = []hint{
	{"mpi_assert_no_any_tag", "false", isBoolean},
	{"mpi_assert_no_any_source", "false", isBoolean},
	{"mpi_assert_exact_length", "false", isBoolean},
	{"mpi_assert_allow_overtaking", "false", isBoolean},
	{"mpi_assert_strict_persistent_collective_ordering", "false", isBoolean},
	{"mpi_assert_memory_alloc_kinds", "", isAnything},
}

var winHints = []hint{
	{"no_locks", "false", isBoolean},
	{"accumulate_ordering", "rar,raw,war,waw", isOrdering},
	{"accumulate_ops", "same_op_no_op", func(s string) bool { return s == "same_op" || s == "same_op_no_op" }},
	{"mpi_accumulate_granularity", "0", isCount},
	{"same_size", "false", isBoolean},
	{"same_disp_unit", "false", isBoolean},
	{"alloc_shared_noncontig", "false", isBoolean},
	{"mpi_minimum_memory_alignment", "", isCount},
	{"mpi_assert_memory_alloc_kinds", "", isAnything},
}

func isBoolean(s string) bool  { return s == "true" || s == "false" }
func isAnything(s string) bool { return true }

func isCount(s string) bool {
	_, err := strconv.ParseUint(s, 10, 63)
	return err == nil
}

// isOrdering takes a list of pairs of accesses that stay in order.
func isOrdering(s string) bool {
	if s == "none" {
		return true
	}
	for pair := range strings.SplitSeq(s, ",") {
		if !slices.Contains([]string{"rar", "raw", "war", "waw"}, pair) {
			return false
		}
	}
	return true
}

// take copies the hints that are known and make sense.
func (o *Info) take(known []hint, from *Info) {
	for _, h := range known {
		if value, ok := from.get(h.key); ok && h.accepts(value) {
			o.set(h.key, value)
		}
	}
}

// takeHints serves C: (info that the program gave, *handle of the object's own or 0).
func takeHints(known []hint) func(*call) error {
	return func(c *call) error {
		given, own := c.info(0), out[uint64](c, 1, "info")
		if c.err != nil {
			return c.err
		}
		hints := &Info{}
		if *own != 0 {
			hints = c.infoAt(*own)
		}
		hints.take(known, given)
		if *own != 0 || len(hints.Keys) == 0 {
			return c.err
		}
		return c.putInfo(1, hints)
	}
}

// allHints serves C: (handle of an object's own info or 0, *new info): what is set, and what is not with its default.
func allHints(known []hint) func(*call) error {
	return func(c *call) error {
		all := &Info{}
		if c.Args[0] != 0 {
			all = c.info(0).clone()
		}
		for _, h := range known {
			if !slices.Contains(all.Keys, h.key) && h.unset != "" {
				all.set(h.key, h.unset)
			}
		}
		return c.putInfo(1, all)
	}
}

// sharedMemory is the resource that the ranks of a node share: the value of mpi_hw_resource_type, and the only resource that
// MPI_Get_hw_resource_info knows. Every rank is bound to one.
const sharedMemory = "mpi_shared_memory"

func hwResourceInfo(c *call) error {
	return c.putInfo(0, &Info{Keys: []string{sharedMemory}, Values: []string{"true"}})
}
