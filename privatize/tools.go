package privatize

import (
	"debug/elf"
	"strings"

	"ampirun/internal/abi"
)

// A library may define MPI functions: a tool that counts or traces, linked with the program or preloaded. In a program built with ampicc
// MPI_X and PMPI_X are one address, bound when it was linked, so the tool's functions are put into the table that the program jumps
// through, see Interposed. What a library itself calls as PMPI_X must not come to the tool: that is bound to the runtime.

// lookupMPI finds the PMPI functions that libraries call. A library that stands in for another MPI has functions of these names, so what it
// wants of the runtime goes by other ones.
func (p *Program) lookupMPI(q *query, im *image) (target, bool) {
	if p.converter != nil {
		name, native := strings.CutPrefix(q.name, abi.Native)
		if im != p.converter || !native {
			return target{}, false
		}
		return p.lookupFallback(newQuery(name, ""))
	}
	if im == p.searched()[0] || !strings.HasPrefix(q.name, "PMPI_") {
		return target{}, false
	}
	return p.lookupFallback(q)
}

// Interposed finds the function of this name in a library, as an offset in a rank's image area. One that is the same as the
// library's own PMPI function is no tool's: the library was linked with a shim.
func (p *Program) Interposed(name string) (offset uint64, ok bool) {
	for _, im := range p.images[1:] {
		if im == p.converter {
			continue
		}
		s, found := im.find(newQuery(name, ""))
		if !found || s.shndx == elf.SHN_UNDEF || s.typ != elf.STT_FUNC {
			continue
		}
		if other, found := im.find(newQuery("P"+name, "")); found && other.value == s.value {
			continue
		}
		return im.bias + s.value, true
	}
	return 0, false
}
