package privatize

import (
	"cmp"
	"debug/elf"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ampirun/internal/abi"
)

// A program and its libraries have one MPI together: handles of one ABI mean nothing to functions of another.

const (
	wayMPI       = "compile it again with ampicc, ampicxx or ampif90, or against the MPI 5 standard ABI (libmpi_abi)"
	shimFunction = "ampi_shim_unpack"
	ownMPI       = "PMPI_Init" // who defines it is an MPI implementation: tools and stubs define MPI_Init alone
)

// abis is the table to go by.
func (o *Options) abis() abi.Table {
	if o.ABIs == nil {
		return abi.Known
	}
	return o.ABIs
}

// abiOf returns the row of a library that im needs, by its name.
func abiOf(t abi.Table, im *image, library string) *abi.ABI { return t.Find(library, im.imports) }

// imports tells whether the image has an undefined symbol whose name begins so.
func (im *image) imports(prefix string) bool {
	n := im.dyn.lastNamed()
	for i := range n {
		s, ok := im.dyn.symbolAt(i)
		if !ok {
			return false
		}
		if name, _ := im.dyn.str(uint64(s.name)); s.shndx == elf.SHN_UNDEF && strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func (im *image) defines(name string) bool {
	_, ok := im.find(newQuery(name, ""))
	return ok
}

// isMPI tells whether the image is an MPI implementation, whatever its name is.
func (im *image) isMPI() bool { return im.defines(ownMPI) && !im.defines(shimFunction) }

// refuseABI refuses a program for what is at the end of a chain: the program, libraries by which it needs this, the MPI library.
func refuseABI(chain []string, a *abi.ABI) *Refusal {
	prog, through, library := chain[0], chain[1:len(chain)-1], chain[len(chain)-1]
	what, way := "", wayMPI
	for _, l := range through {
		what += "needs " + filepath.Base(l) + ", which "
		way = "use a build of " + filepath.Base(l) + " for the MPI 5 standard ABI (libmpi_abi), or one made with ampicc"
	}
	what += fmt.Sprintf("is built for %s (%s), whose ABI ampirun does not serve", a.Name, filepath.Base(library))
	return &Refusal{prog, OtherMPI, what, way}
}

func refuseOwn(prog string) *Refusal {
	return &Refusal{prog, OtherMPI, "has an MPI implementation linked into it (it defines " + ownMPI + ")", wayMPI}
}

// chooseABI binds the MPI symbols of the program and its libraries as the row of their ABI says.
func (p *Program) chooseABI() error {
	table := p.opts.abis()
	var by string
	for _, im := range p.images {
		for _, name := range im.dyn.needed {
			a := abiOf(table, im, name)
			if a == nil || a == abi.Unknown { // Resolve has looked into the file of that name
				continue
			}
			if !a.Served() {
				return refuseABI(chainTo(p.Path(), im.path, name), a)
			}
			if p.abi != nil && p.abi != a {
				return refuseMix(p.Path(), by, p.abi, filepath.Base(im.path), a)
			}
			p.abi, by = a, filepath.Base(im.path)
		}
	}
	return p.bindABI(table)
}

func chainTo(prog, by, library string) []string {
	if by == prog {
		return []string{prog, library}
	}
	return []string{prog, by, library}
}

func refuseMix(prog, one string, a *abi.ABI, other string, b *abi.ABI) error {
	return &Refusal{prog, OtherMPI, fmt.Sprintf("has two kinds of MPI: %s is built for %s, %s for %s", one, a.Name, other, b.Name), wayMPI}
}

func (p *Program) bindABI(table abi.Table) error {
	if len(table) == 0 {
		return nil
	}
	if p.abi == nil {
		p.abi = table[0]
	}
	if p.abi.Functions != nil && p.opts.Fallback != nil {
		p.opts.Fallback = p.abi.Functions(p.opts.Fallback)
	}
	if p.abi.Library != nil {
		p.converter = p.images[slices.IndexFunc(p.images, p.isConverter)]
	}
	if im := p.images[0]; p.abi != abi.Standard && im.defines(shimFunction) && slices.Contains(table, abi.Standard) {
		return refuseMix(p.Path(), "the program", abi.Standard, "a library", p.abi)
	}
	return nil
}

// isConverter tells whether an image stands in for the MPI library: Resolve has given it that one's name.
func (p *Program) isConverter(im *image) bool {
	return p.abi.Library != nil && p.opts.abis().Find(im.name, func(string) bool { return true }) == p.abi
}

// isServed tells whether the runtime, or a library that stands in, takes the place of a library of this name.
func (p *Program) isServed(im *image, name string) bool {
	a := abiOf(p.opts.abis(), im, name)
	return a != nil && a == p.abi
}

// refuseOpening says why a library of another MPI cannot be opened at run time, as dlerror gives it.
func (p *Program) refuseOpening(name string, a *abi.ABI) error {
	if !a.Served() {
		return fmt.Errorf("%s: is the MPI library of %s, whose ABI ampirun does not serve: use libmpi_abi.so.0, the MPI 5 standard ABI", name, a.Name)
	}
	return fmt.Errorf("%s: is the MPI library of %s, and the program uses %s", name, a.Name, p.abi.Name)
}

// standIn is the image that takes the place of an MPI library that a rank opens.
func (p *Program) standIn(name string, a *abi.ABI) (*image, error) {
	switch {
	case a != p.abi:
		return nil, p.refuseOpening(name, a)
	case p.converter != nil:
		return p.converter, nil
	}
	return p.images[0], nil // the runtime's functions are found where the program's are
}

// kindOf is the kind of MPI that a library is, by the name it gives itself or by what it defines; nil for one that is none.
func kindOf(t abi.Table, im *image) *abi.ABI {
	a := abiOf(t, im, cmp.Or(im.dyn.soname, im.path))
	if a == nil && im.isMPI() {
		return abi.Unknown
	}
	return a
}

// isFortranMPI recognises procedures of MPI as compilers of Fortran call them.
func isFortranMPI(name string) bool {
	return strings.HasSuffix(name, "_") && (strings.HasPrefix(name, "mpi_") || strings.HasPrefix(name, "pmpi_"))
}
