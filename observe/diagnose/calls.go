package diagnose

import (
	"debug/elf"
	"slices"
	"strings"

	"ampirun/privatize"
)

// calls finds the MPI functions that files refer to.
type calls struct {
	served map[string]bool   // by C name
	lower  map[string]string // C name by the letters that Fortran leaves of it
	found  map[string]bool
}

func newCalls(functions []Function) *calls {
	c := &calls{served: map[string]bool{}, lower: map[string]string{}, found: map[string]bool{}}
	for _, f := range functions {
		c.served[f.Name] = f.Served
		c.lower[strings.ToLower(f.Name)] = f.Name
	}
	return c
}

func (c *calls) describe(files []*privatize.File, m *MPI) {
	for _, f := range files {
		if f.Shim() {
			c.shimmed(f, m)
		} else if !f.MPI() {
			f.EachDynamic(func(s privatize.Symbol) {
				if !s.Defined {
					c.note(s.Name, m)
				} else if f != files[0] && s.Type == elf.STT_FUNC && strings.HasPrefix(s.Name, "MPI_") && c.cName(s.Name) != "" {
					m.Interposed = append(m.Interposed, s.Name)
				}
			})
		}
	}
	for name := range c.found {
		m.Calls = append(m.Calls, name)
		if !c.served[name] {
			m.NotServed = append(m.NotServed, name)
		}
	}
	slices.Sort(m.Calls)
	slices.Sort(m.NotServed)
	m.Unknown, m.Interposed = unique(m.Unknown), unique(m.Interposed)
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// cName is the C name behind a symbol of C or Fortran, "" for symbols that are no MPI function's.
func (c *calls) cName(symbol string) string {
	name := symbol
	if rest, ok := strings.CutPrefix(name, "P"); ok {
		name = rest
	}
	if _, ok := c.served[name]; ok {
		return name
	}
	if name, ok := strings.CutSuffix(strings.TrimPrefix(symbol, "p"), "_"); ok && strings.HasPrefix(name, "mpi_") {
		for _, kind := range []string{"_f08ts", "_f08", ""} {
			if full, ok := c.lower[strings.TrimSuffix(name, kind)]; ok {
				return full
			}
		}
	}
	return ""
}

// note takes down that a symbol is referred to.
func (c *calls) note(symbol string, m *MPI) {
	if name := c.cName(symbol); name != "" {
		c.found[name] = true
	} else if strings.HasPrefix(symbol, "MPI_") || strings.HasPrefix(symbol, "PMPI_") {
		m.Unknown = append(m.Unknown, symbol)
	}
}

// shimmed looks at a file that ampicc has linked: it defines all functions, so what counts is where its own code goes.
func (c *calls) shimmed(f *privatize.File, m *MPI) {
	names := map[uint64][]string{}
	targets := map[uint64]bool{}
	from, to := ^uint64(0), uint64(0)
	f.EachDynamic(func(s privatize.Symbol) {
		if s.Type != elf.STT_FUNC || !s.Defined {
			return
		}
		if isShims(s.Name) {
			from, to = min(from, s.Value), max(to, s.Value+s.Size)
		}
		if c.cName(s.Name) != "" {
			names[s.Value], targets[s.Value] = append(names[s.Value], s.Name), true
		}
	})
	for at := range f.ReferencesTo(targets, from, to) {
		for _, name := range names[at] {
			c.note(name, m)
		}
	}
}

// isShims recognises functions that programs do not define themselves.
func isShims(name string) bool {
	for _, prefix := range []string{"PMPI_", "pmpi_", "AMPI_", "ampi_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
