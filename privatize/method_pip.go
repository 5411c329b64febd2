package privatize

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
)

// namespaces is how many of them glibc makes besides the first.
const namespaces = 15

// Pip is the method that has ld.so load the program and its libraries into a namespace of its own for each rank.
type Pip struct{}

// Facts describes the method.
func (Pip) Facts() Facts {
	return Facts{Name: "pip", How: "a namespace of ld.so for each rank (dlmopen)",
		Globals: true, Tagged: true, Libraries: true, LibC: true, PerWorker: namespaces, Limit: "namespaces of glibc",
		Stays:      "ld.so has its C library, its streams and its heap in a namespace of this worker",
		LoadedByLd: true, Cost: "dlmopen of the program and all its libraries",
		Environment: "GLIBC_TUNABLES=glibc.rtld.nns=16", Rebuild: "no"}
}

// Load prepares the copies, which live in memory alone. The process must have been started with Environment.
func (m Pip) Load(prog string, libs []Library, o Options) (Images, error) {
	return loadByLdso(prog, libs, o, o.BindNamespace, o.NamespaceLibraries, m.Facts(), &pipOpener{prog: prog})
}

type pipOpener struct {
	prog string
	made []*namespace
}

// place and libraries have nothing to do: each namespace loads its own.
func (o *pipOpener) place(_ []*image, libs []Library) ([]Library, error) { return libs, nil }
func (o *pipOpener) libraries(map[string]definition) error               { return nil }

func (o *pipOpener) open(n int, base uintptr, s *prelinked, given map[string]definition) (opened, error) {
	all := maps.Clone(given)
	s.definitions(base, all)
	name := fmt.Sprintf("%s (rank %d of a worker)", filepath.Base(o.prog), n)
	handle, err := openNamespace(name, provider(providerName, all), s.at(base), base, s.copies)
	if err != nil && strings.Contains(err.Error(), "no more namespaces") {
		return opened{}, fmt.Errorf("+privatize pip: glibc has no namespace for rank %d of this worker: take more workers (+p) or +privatize pie", n)
	}
	if err != nil {
		return opened{}, openingFailed(o.prog, "pip", err)
	}
	o.made = append(o.made, handle)
	return opened{symbol: handle.symbol}, nil
}

func (o *pipOpener) end(libraries []string) {
	for _, n := range o.made {
		n.end(libraries)
	}
}
