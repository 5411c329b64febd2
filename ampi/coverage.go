package ampi

import (
	"sync"

	"ampirun/shim"
)

// functionNumbers maps MPI_ and PMPI_ names to places in the function table.
var functionNumbers = sync.OnceValue(func() map[string]int {
	m := make(map[string]int, 2*shim.Count)
	for fn := range shim.Count {
		name := shim.Function(fn).String()
		m[name], m["P"+name] = fn, fn
	}
	// Handles are the same numbers in C and Fortran, so the conversions of older standards are those of MPI 5.0.
	for _, kind := range []string{"Comm", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Type", "Win"} {
		for old, now := range map[string]string{"_c2f": "_toint", "_f2c": "_fromint"} {
			if fn, ok := m["MPI_"+kind+now]; ok {
				m["MPI_"+kind+old], m["PMPI_"+kind+old] = fn, fn
			}
		}
	}
	return m
})

// Coverage is one MPI function and who serves it.
type Coverage struct {
	Name   string
	Served bool
	By     string // "C" on the rank's stack, "Go" on the PE's, or "" when it is not served
}

// Functions lists all MPI functions of the standard with who serves them, from the table that programs call through.
func (s *Server) Functions() []Coverage {
	list := make([]Coverage, shim.Count)
	for i := range list {
		fn := shim.Function(i)
		by := ""
		switch {
		case coreServes(fn):
			by = "C"
		case s.Serves(i):
			by = "Go"
		}
		list[i] = Coverage{Name: fn.String(), Served: by != "", By: by}
	}
	return list
}
