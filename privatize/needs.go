package privatize

import (
	"path/filepath"
	"slices"
	"strings"
)

// Needs says how a program gets its MPI.
type Needs struct {
	Libraries  []string // DT_NEEDED, in order, each name once
	MPI        []string // those of them that are MPI libraries, by name
	ShimHash   bool     // the program carries ampicc's shim: it defines ampi_shim_hash
	ShimUnpack bool     // and ampi_shim_unpack
}

// Inspect reads the needs of a program file alone, without looking for its libraries. A file that is no
// ordinary PIE is a *Refusal.
func Inspect(prog string) (Needs, error) {
	f, data, err := mapFile(prog)
	if err != nil {
		return Needs{}, err
	}
	defer f.Close()
	defer unmapFile(data)
	im, err := parse(prog, data)
	if err == nil {
		err = checkProgram(im)
	}
	if err != nil {
		return Needs{}, err
	}
	var n Needs
	n.add(im)
	return n, nil
}

// Needs returns the needs of the program and all its libraries together.
func (p *Program) Needs() Needs {
	var n Needs
	for _, im := range p.images {
		n.add(im)
	}
	return n
}

func (n *Needs) add(im *image) {
	for _, l := range im.dyn.needed {
		if slices.Contains(n.Libraries, l) {
			continue
		}
		n.Libraries = append(n.Libraries, l)
		if isMPI(l) {
			n.MPI = append(n.MPI, l)
		}
	}
	n.ShimHash = n.ShimHash || im.defines("ampi_shim_hash")
	n.ShimUnpack = n.ShimUnpack || im.defines("ampi_shim_unpack")
}

func (im *image) defines(name string) bool {
	_, ok := im.find(newQuery(name, ""))
	return ok
}

// isStandardMPI recognises the library of the MPI 5 standard ABI, for which the runtime stands in.
func isStandardMPI(name string) bool { return strings.HasPrefix(filepath.Base(name), "libmpi_abi.so") }

// isMPI recognises the names that MPI libraries go by: libmpi_abi.so.0, libmpi.so.12, libmpichfort.so.12,
// libmpi_mpifh.so.40, libmpifort.so.12, libpmpi.so.12 and their like.
func isMPI(name string) bool {
	base := filepath.Base(name)
	return strings.HasPrefix(base, "libmpi") || strings.HasPrefix(base, "libpmpi") || strings.HasPrefix(base, "libopen-rte.so")
}
