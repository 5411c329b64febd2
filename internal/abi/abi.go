// Package abi is the table of the binary interfaces that MPI has in compiled programs. The libraries that a program was
// linked with tell its row, and the row says what its MPI symbols are bound to, or that nothing serves them yet.
//
// To serve one more ABI, give its row Functions or Library: loader, dlopen and refusals all go by the table.
package abi

import (
	"path"
	"slices"
	"strings"
)

// Binding gives the address in this process of what a symbol stands for; 0 when it is none of MPI's.
type Binding func(symbol string) uintptr

// ABI is a row of the table. At most one of Functions and Library is set; a row without either is refused by name.
type ABI struct {
	Name string // "Open MPI 3 to 5": what a message calls it
	// Libraries are the names that libraries with this ABI go by, without what follows the version given: "libmpi.so.40"
	// stands for libmpi.so.40.30.4 too. A star stands for any letters.
	Libraries []string
	// Marks are beginnings of symbols that programs of this ABI take from the library. A row that has marks holds for programs
	// with one of them only: so rows are told apart whose libraries have one name.
	Marks []string

	// Functions serves an ABI whose symbols are functions alone: native gives the runtime's, in the standard ABI.
	Functions func(native Binding) Binding
	// Library serves an ABI by a shared library that is loaded into every rank in place of those above, with variables of its
	// own, and which calls the runtime by names that begin with Native. It returns the file, which all workers can read.
	Library func() (path string, err error)
}

// Native is put before the names of MPI functions by a Library that means those of the runtime, in the standard ABI: ampi_native_MPI_Send.
const Native = "ampi_native_"

// Served tells whether programs of this ABI run.
func (a *ABI) Served() bool { return a.Functions != nil || a.Library != nil }

// Table lists ABIs; the first one is that of programs that do not name any.
type Table []*ABI

// Find returns the row that a library's name marks, nil for a library that is none of MPI's. The name may be a path; marked
// tells whether the program takes a symbol that begins so from its libraries, and may be nil.
func (t Table) Find(library string, marked func(prefix string) bool) *ABI {
	base := path.Base(library)
	if !strings.HasPrefix(base, "lib") {
		return nil
	}
	for _, a := range t {
		if slices.ContainsFunc(a.Libraries, func(pattern string) bool { return matches(pattern, base) }) && a.isMarked(marked) {
			return a
		}
	}
	return nil
}

func (a *ABI) isMarked(marked func(string) bool) bool {
	return a.Marks == nil || marked != nil && slices.ContainsFunc(a.Marks, marked)
}

// matches compares a file's name with a pattern of the table, which has no brackets and so is never malformed.
func matches(pattern, base string) bool {
	for _, p := range []string{pattern, pattern + ".*"} {
		if ok, _ := path.Match(p, base); ok {
			return true
		}
	}
	return false
}
